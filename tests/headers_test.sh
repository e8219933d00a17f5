#!/bin/sh
# SPDX-License-Identifier: MIT OR Apache-2.0
# Every header compiles alone, templates (*_tmpl.h) excepted; the public one as C++17, too.
# Usage: headers_test.sh C_COMPILER CXX_COMPILER
set -eu
cd "$(dirname "$0")/.."
cc=$1
cxx=$2
for header in $(find include src tools -name '*.h' ! -name '*_tmpl.h'); do
    "$cc" -std=gnu17 -D_GNU_SOURCE -Wall -Wextra -Werror -Wno-unused-function -fsyntax-only \
        -Iinclude -Isrc -x c -include "$header" /dev/null
done
"$cxx" -std=c++17 -Wall -Wextra -Werror -fsyntax-only -x c++ -include include/cuzk.h /dev/null
echo "headers: each compiles alone"
