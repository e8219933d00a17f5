#!/bin/sh
# SPDX-License-Identifier: MIT OR Apache-2.0
# Our kernels beside blst's in one run on one thread, alternating; minima, and ours / blst.
# Usage: bench.sh BUILD_DIR [FILTER [ROUNDS [MAX_LOG]]]
set -eu
build=${1:?usage: bench.sh BUILD_DIR [FILTER [ROUNDS [MAX_LOG]]]}
filter=${2:-}
rounds=${3:-2}
most=${4:-20}
root=$(cd "$(dirname "$0")/.." && pwd)
rows=$(mktemp)
trap 'rm -f "$rows"' EXIT

peer=""
if command -v cargo >/dev/null; then
    (cd "$root/tests/peers/blst" && cargo build --release --locked --quiet)
    peer=${CARGO_TARGET_DIR:-$root/tests/peers/blst/target}/release/blst-peer
else
    echo "blst is not measured: cargo not found"
fi
while [ "$rounds" -gt 0 ]; do
    "$build/tools/cuzk-bench" kernels --threads 1 --max-log "$most" ${filter:+--filter "$filter"} \
        >>"$rows"
    [ -z "$peer" ] || "$peer" --bench "$((most < 18 ? most : 18))" | grep -E "^#|,.*$filter.*," >>"$rows"
    rounds=$((rounds - 1))
done

# NTT has no counterpart in blst: its bar is 12 n products in Fr, blst's.
awk -F, '
/^#/ { if (!seen[$0]++ && $0 !~ /who/) print; next }
{
    key = $2 " " $3
    if (!(key in row)) { row[key] = ++rows; name[rows] = key }
    if (!(($1, key) in least) || $4 < least[$1, key]) least[$1, key] = $4
    if ($2 == "fr_mul" && $1 == "blst") product = least["blst", key]
}
function human(ns) {
    return ns < 1e4 ? sprintf("%.1f ns", ns) : ns < 1e7 ? sprintf("%.1f us", ns / 1e3) \
        : sprintf("%.1f ms", ns / 1e6)
}
END {
    printf "%-22s %8s %12s %12s %9s\n", "kernel", "size", "ours", "blst", "ours/blst"
    for (i = 1; i <= rows; i++) {
        key = name[i]
        split(key, part, " ")
        bar = ("blst", key) in least ? least["blst", key] : ""
        note = ""
        if (bar == "" && part[1] ~ /^ntt_/ && product) {
            bar = 12 * part[2] * product
            note = "  (12 n products)"
        }
        ours = ("ours", key) in least ? least["ours", key] : ""
        printf "%-22s %8d %12s %12s %9s%s\n", part[1], part[2], ours == "" ? "-" : human(ours), \
            bar == "" ? "-" : human(bar), ours == "" || bar == "" ? "-" : sprintf("%.2f", ours / bar), note
    }
}' "$rows"
