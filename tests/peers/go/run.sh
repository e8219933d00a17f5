#!/bin/sh
# SPDX-License-Identifier: MIT OR Apache-2.0
# A client on google.golang.org/grpc against our transport with a fake service, then against the
# daemon. Usage: run.sh BUILD_DIR
# Development parameters of porep-2k: $CUZK_DEV_PARAMS, default .cache/params of the project; made when absent.
set -eu
build=$(cd "${1:-build/release}" && pwd)
cd "$(dirname "$0")"
if ! command -v go >/dev/null; then
    echo "skipped: go not found"
    [ "${CUZK_CI:-}" = 1 ] && exit 1
    exit 77
fi
params=${CUZK_DEV_PARAMS:-${FIL_PROOFS_PARAMETER_CACHE:-$(cd ../../.. && pwd)/.cache/params}}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$params"
stem=$("$build/tools/cuzk" params info porep-2k --dir "$params" | sed -n 's#^\.vk.*/\(v28[^ ]*\)\.vk:.*#\1#p')
[ -f "$params/$stem.params" ] || "$build/tools/cuzk" params setup --circuit porep-2k --out "$params" --seed 00
port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
cat >"$work/cuzk.toml" <<TOML
[daemon]
listen = ["unix://$work/cuzk.sock", "127.0.0.1:$port"]
shutdown_grace = "2s"
[srs]
param_cache = "$params"
TOML
"$build/tools/cuzk-bench" gen-vanilla porep --sector-size 2KiB -o "$work/c1.json"
go build -mod=readonly -o "$work" . ./transport
"$work/transport" "$build/tests/peer_echo_server"
"$work/peer" -daemon "$build/tools/cuzk" -config "$work/cuzk.toml" -tcp "127.0.0.1:$port" \
    -unix "unix://$work/cuzk.sock" -c1 "$work/c1.json" -proof-out "$work/proof.bin"
for proof in proof.bin proof.bin.2; do
    "$build/tools/cuzk" verify --vk "$params/$stem.vk" --proof "$work/$proof" --c1 "$work/c1.json" \
        --miner-id 1000 --sector-num 1
done
