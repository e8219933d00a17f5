#!/bin/sh
# SPDX-License-Identifier: MIT OR Apache-2.0
# Only cuzk_* symbols leave libcuzk.so.
set -eu
library=$1/libcuzk.so
foreign=$(nm -D --defined-only "$library" | awk '{print $3}' | grep -v '^cuzk_' || true)
count=$(nm -D --defined-only "$library" | awk '{print $3}' | grep -c '^cuzk_')
if [ -n "$foreign" ]; then
    echo "symbols that are not cuzk_*:"
    echo "$foreign"
    exit 1
fi
echo "symbols: ok ($count, all cuzk_*)"
[ "$count" -gt 0 ]
