#!/bin/sh
# SPDX-License-Identifier: MIT OR Apache-2.0
# snarkjs accepts our exported key, proof and inputs, and refuses altered ones.
# Usage: run.sh BUILD_DIR
set -eu
build=$(cd "${1:-build/release}" && pwd)
cd "$(dirname "$0")"
if ! command -v npm >/dev/null; then
    echo "skipped: npm not found"
    [ "${CUZK_CI:-}" = 1 ] && exit 1
    exit 77
fi
[ -d node_modules/snarkjs ] || npm ci --silent --no-audit --no-fund
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
ours=$build/tests/peer_ours
"$ours" make "$work"
if [ -x "$build/tools/cuzk" ]; then
    "$build/tools/cuzk" verify --vk "$work/ours.vk" --proof "$work/ours.proof" \
        --inputs "$work/ours.inputs" --export-json "$work/json"
else
    "$ours" json "$work/ours.vk" "$work/ours.proof" "$work/ours.inputs" "$work/json"
fi
node verify.js "$work/json"
