#!/usr/bin/env python3
# SPDX-License-Identifier: MIT OR Apache-2.0
"""Arrows point down: a file includes headers of lower floors and of its own folder, nothing else."""
import pathlib
import re
import sys

FLOORS = {
    "base": 0, "device": 1, "rpc": 1, "field": 1, "hash": 2, "curve": 2, "ntt": 3, "msm": 3, "r1cs": 3,
    "filecoin": 3, "backend": 4, "vanilla": 4, "circuits": 5, "seal": 5, "groth16": 6, "keys": 7,
    "engine": 8, "daemon": 10,
}
# What daemon and api may see of the house: the public header, never the rooms below it, except these.
DAEMON_SEES = {"base", "rpc", "daemon"}
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.M)


def problems(root):
    for path in sorted((root / "src").rglob("*")):
        if path.suffix not in {".c", ".h", ".cpp", ".cu", ".cuh", ".S"}:
            continue
        folder = path.relative_to(root / "src").parts[0]
        if folder not in FLOORS:
            yield f"{path}: folder {folder} has no floor"
            continue
        for name in INCLUDE.findall(path.read_text()):
            if name == "cuzk.h":
                if FLOORS[folder] < 8:
                    yield f"{path}: includes cuzk.h from floor {FLOORS[folder]}"
                continue
            if path.stem.endswith("_test") and (root / "tests" / name).is_file():
                continue
            parts = name.split("/")
            if len(parts) < 2 or parts[0] not in FLOORS:
                yield f"{path}: include \"{name}\" is not of the form \"folder/header.h\""
                continue
            other = parts[0]
            if other == folder:
                continue
            if FLOORS[other] >= FLOORS[folder]:
                yield f"{path}: {folder} (floor {FLOORS[folder]}) includes {other} (floor {FLOORS[other]})"
            if folder == "daemon" and other not in DAEMON_SEES:
                yield f"{path}: the daemon is a client of cuzk.h and rpc, not of {other}"


def main():
    root = pathlib.Path(__file__).resolve().parent.parent
    found = list(problems(root))
    for line in found:
        print(line)
    print(f"layers: {'ok' if not found else f'{len(found)} arrows point the wrong way'}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
