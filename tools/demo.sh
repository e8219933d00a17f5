#!/bin/sh
# SPDX-License-Identifier: MIT OR Apache-2.0
# From nothing to a verified proof: seal, parameters, daemon, proof, independent verification.
# Usage: demo.sh BUILD_DIR. Parameters go to $FIL_PROOFS_PARAMETER_CACHE, else to .cache/params.
set -eu
cd "$(dirname "$0")/.."
build=$1
cuzk=$build/tools/cuzk
bench=$build/tools/cuzk-bench
params=${FIL_PROOFS_PARAMETER_CACHE:-$PWD/.cache/params}
work=$PWD/demo
mkdir -p "$params" "$work"
socket=$(mktemp -u /tmp/cuzk-demo-XXXXXX.sock)
daemon=""
stop() {
    [ -z "$daemon" ] || { kill "$daemon" 2>/dev/null && wait "$daemon" 2>/dev/null || true; }
}
trap stop EXIT INT TERM

say() { printf '\n%s\n' "$*"; }

say "1/5  sealing a 2 KiB sector"
"$bench" gen-vanilla porep --sector-size 2KiB --miner-id 1000 --sector-number 1 -o "$work/c1.json"

stem=$("$cuzk" params info porep-2k --dir "$params" | sed -n 's#^\.vk.*/\(v28[^ ]*\)\.vk:.*#\1#p')
if [ -f "$params/$stem.params" ]; then
    say "2/5  parameters: cached"
else
    say "2/5  making development parameters (1.1 GB, about a minute; once)"
    "$cuzk" params setup --circuit porep-2k --out "$params"
fi

say "3/5  starting the daemon on unix://$socket"
cat >"$work/cuzk.toml" <<TOML
[daemon]
listen = "unix://$socket"
[srs]
param_cache = "$params"
TOML
"$cuzk" -c "$work/cuzk.toml" 2>"$work/daemon.log" &
daemon=$!
for _ in 1 2 3 4 5 6 7 8 9 10; do
    [ -S "$socket" ] && break
    kill -0 "$daemon" 2>/dev/null || { cat "$work/daemon.log"; exit 1; }
    sleep 0.3
done

say "4/5  proving through the daemon"
tail -n 0 -f "$work/daemon.log" &
follow=$!
code=0
"$bench" -a "unix://$socket" single --type porep --c1 "$work/c1.json" -o "$work/proof.bin" || code=$?
kill "$follow" 2>/dev/null || true
[ "$code" = 0 ] || exit "$code"

say "5/5  verifying independently of the daemon"
"$cuzk" verify --vk "$params/$stem.vk" --proof "$work/proof.bin" --c1 "$work/c1.json" \
    --miner-id 1000 --sector-num 1

kill "$daemon"
wait "$daemon" && echo "daemon stopped, exit 0" || { echo "daemon: exit $?"; exit 1; }
daemon=""
say "C1          $work/c1.json
proof       $work/proof.bin (192 bytes)
daemon log  $work/daemon.log
parameters  $params/$stem.{params,vk}"
