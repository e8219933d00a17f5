#!/bin/sh
# SPDX-License-Identifier: MIT OR Apache-2.0
# The README's status table against what the programs say. Usage: readme_test.sh BUILD_DIR
set -eu
cd "$(dirname "$0")/.."
cuzk=$1/tools/cuzk
fail() { echo "README: $*"; exit 1; }
"$cuzk" circuit list >/tmp/readme.$$
trap 'rm -f /tmp/readme.$$' EXIT
for size in 2k 8m 512m 32g 64g; do
    grep -q "^porep-$size .* yes " /tmp/readme.$$ || fail "porep-$size is not served"
done
grep -q 'UNIMPLEMENTED' README.md || fail "the row of kinds not served is gone"
for kind in winning window snap; do
    grep -q "^$kind-2k .* no " /tmp/readme.$$ || fail "$kind is served, the table says it is not"
done
for command in prove verify "params setup" "params check" "params list" "params info" \
    "circuit list" "circuit info" "circuit digest" "circuit export"; do
    "$cuzk" --help | grep -q "^  $command " || fail "command $command is missing"
done
echo "README: agrees"
