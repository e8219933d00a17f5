#!/bin/sh
# SPDX-License-Identifier: MIT OR Apache-2.0
# bellperson accepts our proofs and refuses altered ones, proves our rows from our parameters, and
# makes a key that we read and prove from. Usage: run.sh BUILD_DIR
set -eu
build=$(cd "${1:-build/release}" && pwd)
cd "$(dirname "$0")"
if ! command -v cargo >/dev/null; then
    echo "skipped: cargo not found"
    [ "${CUZK_CI:-}" = 1 ] && exit 1
    exit 77
fi
cargo build --release --locked --quiet
peer=${CARGO_TARGET_DIR:-target}/release/bellperson-peer
ours=$build/tests/peer_ours
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

refuses() { # COMMAND...: must exit with 1, invalid
    code=0
    "$@" >/dev/null 2>&1 || code=$?
    [ "$code" = 1 ] || { echo "exit $code, expected 1: $*"; exit 1; }
}

flip() { # FILE OFFSET OUT: one bit of one byte
    cp "$1" "$3"
    byte=$(od -An -tu1 -j "$2" -N 1 "$1" | tr -d ' ')
    printf "$(printf '\\%03o' $((byte ^ 1)))" |
        dd of="$3" bs=1 seek="$2" conv=notrunc status=none
}

echo "our proof under our key"
"$ours" make "$work"
"$peer" verify "$work/ours.vk" "$work/ours.proof" "$work/ours.inputs"
for at in 20 100 180; do
    flip "$work/ours.proof" $at "$work/altered.proof"
    refuses "$peer" verify "$work/ours.vk" "$work/altered.proof" "$work/ours.inputs"
done
sed '2s/.*/0300000000000000000000000000000000000000000000000000000000000000/' \
    "$work/ours.inputs" >"$work/altered.inputs"
refuses "$peer" verify "$work/ours.vk" "$work/ours.proof" "$work/altered.inputs"

echo "our rows, proved by bellperson from our parameters"
"$peer" replay "$work/circuit.export" "$work/ours.params" "$work/theirs.proof" "$work/their.inputs"
cmp "$work/their.inputs" "$work/ours.inputs"
"$ours" verify "$work/ours.vk" "$work/theirs.proof" "$work/their.inputs"
refuses "$ours" verify "$work/ours.vk" "$work/theirs.proof" "$work/altered.inputs"

echo "our proof under a key that bellperson made of our rows"
"$peer" keygen "$work/circuit.export" "$work/theirs"
"$ours" prove "$work/theirs.params" "$work/foreign.proof" "$work/foreign.inputs"
"$peer" verify "$work/theirs.vk" "$work/foreign.proof" "$work/foreign.inputs"
refuses "$peer" verify "$work/ours.vk" "$work/foreign.proof" "$work/foreign.inputs"
# A PoRep partition: the rows and the witness of a C1 that rust-fil-proofs made, through the tool.
stem=v28-stacked-proof-of-replication-merkletree-poseidon_hasher-8-0-0-sha256_hasher-
stem=${stem}032d3138d22506ec0082ed72b2dcba18df18477904e35bafee82b3793b06832f
cuzk=$build/tools/cuzk
rust=${CUZK_VECTORS:-../../../../shared/vectors}/rust
if [ ! -x "$cuzk" ] || [ ! -r "$rust/porep-2k-v1_1.c1.json" ]; then
    echo "skipped: porep-2k, needs $cuzk and $rust"
    [ "${CUZK_CI:-}" = 1 ] && exit 1
    exit 0
fi
echo "porep-2k, proved by bellperson from our parameters"
params=${FIL_PROOFS_PARAMETER_CACHE:-$work/params}
[ -r "$params/$stem.params" ] ||
    "$cuzk" params setup --circuit porep-2k --out "$params" --seed 00
"$cuzk" circuit export porep-2k "$work/porep.export" --witness "$rust/porep-2k-v1_1.c1.json"
"$peer" replay "$work/porep.export" "$params/$stem.params" "$work/porep.proof" "$work/porep.inputs"
cmp "$work/porep.inputs" "$rust/porep-2k-v1_1.p0.inputs"
"$cuzk" verify --vk "$params/$stem.vk" --proof "$work/porep.proof" --inputs "$work/porep.inputs"
echo "bellperson agrees"
