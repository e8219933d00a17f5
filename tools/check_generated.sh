#!/bin/sh
# SPDX-License-Identifier: MIT OR Apache-2.0
# Regenerates every generated file and compares it with what is committed.
set -eu
cd "$(dirname "$0")/.."
fresh=$(mktemp -d)
trap 'rm -rf "$fresh"' EXIT
python3 tools/gen_consts.py "$fresh"
[ -f tools/gen_asm.py ] && python3 tools/gen_asm.py "$fresh"
status=0
for file in $(cd "$fresh" && find . -type f); do
    if ! cmp -s "$fresh/$file" "src/$file"; then
        echo "src/${file#./}: differs from what the generator writes"
        status=1
    fi
done
[ "$status" = 0 ] && echo "generated files: ok ($(find "$fresh" -type f | wc -l))"
exit "$status"
