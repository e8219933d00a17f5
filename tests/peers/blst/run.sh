#!/bin/sh
# SPDX-License-Identifier: MIT OR Apache-2.0
# blst recomputes what our field, curve, MSM and pairing answer to random and edge inputs, with the
# kernels of this processor and with the portable ones. Usage: run.sh BUILD_DIR
set -eu
build=$(cd "${1:-build/release}" && pwd)
cd "$(dirname "$0")"
if ! command -v cargo >/dev/null; then
    echo "skipped: cargo not found"
    [ "${CUZK_CI:-}" = 1 ] && exit 1
    exit 77
fi
cargo build --release --locked --quiet
peer=${CARGO_TARGET_DIR:-target}/release/blst-peer
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for cpu in native portable; do
    echo "$cpu kernels"
    if [ "$cpu" = portable ]; then
        CUZK_CPU=portable "$build/tests/peer_blst_ours" "$work/records"
    else
        "$build/tests/peer_blst_ours" "$work/records"
    fi
    "$peer" "$work/records"
done

# An oracle that never objects proves nothing: one altered answer must be found.
size=$(wc -c <"$work/records")
at=$((size - 100)) # inside the last pairing's value
byte=$(od -An -tu1 -j "$at" -N 1 "$work/records" | tr -d ' ')
printf "$(printf '\\%03o' $((byte ^ 1)))" |
    dd of="$work/records" bs=1 seek="$at" conv=notrunc status=none
if "$peer" "$work/records" >/dev/null 2>&1; then
    echo "an altered record was accepted"
    exit 1
fi
echo "an altered record is found"
