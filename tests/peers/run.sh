#!/bin/sh
# SPDX-License-Identifier: MIT OR Apache-2.0
# Provers, verifiers and clients that are not ours. A missing toolchain skips its peer, saying so;
# with CUZK_CI set that is a failure.
set -u
cd "$(dirname "$0")/../.."
build=${1:-build/release}
failed=""
for peer in blst bellperson snarkjs go; do
    [ -x "tests/peers/$peer/run.sh" ] || { echo "peer $peer: no run.sh"; failed="$failed $peer"; continue; }
    echo "-- peer $peer"
    "tests/peers/$peer/run.sh" "$build"
    code=$?
    if [ "$code" = 77 ] && [ -z "${CUZK_CI:-}" ]; then
        echo "-- peer $peer: skipped"
    elif [ "$code" != 0 ]; then
        echo "-- peer $peer: FAILED ($code)"
        failed="$failed $peer"
    else
        echo "-- peer $peer: ok"
    fi
done
[ -z "$failed" ] || { echo "peers failed:$failed"; exit 1; }
