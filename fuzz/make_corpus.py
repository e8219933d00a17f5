#!/usr/bin/env python3
# SPDX-License-Identifier: MIT OR Apache-2.0
"""Writes the synthetic inputs of fuzz/corpus: a 2 KiB C1 of zero nodes in each form, its parts, and short texts."""
import base64
import json
import pathlib
import struct

HERE = pathlib.Path(__file__).resolve().parent / "corpus"
ZERO = [0] * 32
LAYERS, LEVELS, DEPTH = 2, 2, 6


def path(levels, arity):
    return {"path": [{"hashes": [ZERO] * (arity - 1), "index": 0} for _ in range(levels)]}


def merkle(levels, arity):
    return {"data": {"Single": {"root": ZERO, "leaf": ZERO, "path": path(levels, arity)}}}


def column():
    return {"column": {"index": 0, "rows": [ZERO] * LAYERS, "_h": None}, "inclusion_proof": merkle(LEVELS, 8)}


def labeling(layer):
    return {"parents": [ZERO] * 37, "layer_index": layer, "node": 1}


def challenge():
    return {"comm_d_proofs": merkle(DEPTH, 2), "comm_r_last_proof": merkle(LEVELS, 8),
            "replica_column_proofs": {"c_x": column(), "drg_parents": [column()] * 6, "exp_parents": [column()] * 8},
            "labeling_proofs": [labeling(i + 1) for i in range(LAYERS)], "encoding_proof": labeling(LAYERS)}


def c1(version="V1_1", partitions=1):
    last = {key: ZERO for key in ("comm_r", "comm_d", "replica_id", "seed", "ticket")}
    return {"registered_proof": "StackedDrg2KiB" + version,
            "vanilla_proofs": {"StackedDrg2KiBV1": [[challenge(), challenge()] for _ in range(partitions)]}, **last}


def bincode():
    zero, u64, u32 = bytes(32), lambda n: struct.pack("<Q", n), lambda n: struct.pack("<I", n)
    one_merkle = lambda levels, arity: (u32(0) + 2 * zero + u64(levels) +
                                        levels * (u64(arity - 1) + (arity - 1) * zero + u64(0)))
    one_column = u32(0) + u64(LAYERS) + LAYERS * zero + one_merkle(LEVELS, 8)
    one_labeling = lambda layer: u64(37) + 37 * zero + u32(layer) + u64(1)
    one = (one_merkle(DEPTH, 2) + one_merkle(LEVELS, 8) + one_column + u64(6) + 6 * one_column + u64(8) +
           8 * one_column + u64(LAYERS) + b"".join(one_labeling(i + 1) for i in range(LAYERS)) + one_labeling(LAYERS))
    return u32(5) + u32(0) + u64(1) + u64(2) + 2 * one + 5 * zero


def dump(value):
    return json.dumps(value, separators=(",", ":")).encode()


def envelope(inner):
    return dump({"SectorNum": 7, "Phase1Out": base64.b64encode(inner).decode(), "SectorSize": 2048})


def main():
    inner = dump(c1())
    shuffled = {key: c1()[key] for key in ("ticket", "vanilla_proofs", "seed", "comm_d", "replica_id", "comm_r",
                                           "registered_proof")}
    files = {
        "c1/2k.json": inner, "c1/2k-envelope.json": envelope(inner), "c1/2k.bincode": bincode(),
        "c1/2k-other-order.json": json.dumps(shuffled, separators=(", ", " : ")).encode(),
        "c1/cut-envelope.json": envelope(inner[:600]), "c1/empty-proofs.json":
            dump({**c1(), "vanilla_proofs": {"StackedDrg2KiBV1": []}}),
        "c1/wrong-size.json": dump({**c1(), "registered_proof": "StackedDrg8MiBV1_1"})[:3000],
        "c1/deep.json": b'{"x":' + b"[" * 300, "c1/escaped-key.json": b'{"comm\\u005fr":[1,2],"seed":[]}',
        "c1/escaped-base64.json": b'{"SectorNum":1,"Phase1Out":"e30\\/","SectorSize":2048}',
        "json/mixed.json": b' {"a":[1,-2.5e+3,true,false,null],"\\u00e9\\ud83d\\ude00":"x\\n\xc3\xa9","c":{"d":[[],{}]}} ',
        "json/bytes.json": dump(list(range(224, 256))), "json/bytes-spaced.json": json.dumps(ZERO).encode(),
        "json/bytes-256.json": dump([256] + ZERO[1:]), "json/deep.json": b"[" * 31 + b"]" * 31,
        "json/cut-string.json": b'"abc\\u12', "json/lone-surrogate.json": b'"\\ud800"',
        "base64/long": base64.b64encode(bytes(range(256))), "base64/one": b"Zg==", "base64/two": b"Zm8=",
        "base64/bits": b"Zh==", "base64/inside": b"Zg==Zg==", "base64/all":
            b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/",
    }
    for name, data in files.items():
        (HERE / name).parent.mkdir(parents=True, exist_ok=True)
        (HERE / name).write_bytes(data)


if __name__ == "__main__":
    main()
