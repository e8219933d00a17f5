#!/bin/sh
# SPDX-License-Identifier: MIT OR Apache-2.0
# Compiles the device twin of the field arithmetic for sm_90. The compiler is NVIDIA's own, from
# five PyPI wheels (271 MB), installed below CACHE_DIR once. Usage: nvcc.sh CACHE_DIR
set -eu
[ $# = 1 ] || { echo "usage: $0 CACHE_DIR"; exit 2; }
root=$(cd "$(dirname "$0")/.." && pwd)
mkdir -p "$1"
cache=$(cd "$1" && pwd)
version=13.0
toolkit=$cache/$version/nvidia/cu13

missing() {
    echo "nvcc.sh: $*"
    exit 1
}

find_pip() { # sets $python to one that has pip
    python=python3
    command -v python3 >/dev/null || missing "python3 not found"
    python3 -m pip --version >/dev/null 2>&1 && return
    rm -rf "$cache/venv"
    python3 -m venv "$cache/venv" >/dev/null 2>&1 ||
        missing "python3 has neither pip nor venv (Debian: apt-get install python3-venv)"
    python=$cache/venv/bin/python3
}

install_toolkit() { # into a folder beside, then renamed: an interrupted install leaves nothing
    find_pip
    part=$cache/$version.part
    rm -rf "$part" "${cache:?}/$version"
    set --
    for wheel in nvcc crt runtime cccl; do
        set -- "$@" "nvidia-cuda-$wheel==$version.*"
    done
    "$python" -m pip install --quiet --disable-pip-version-check --root-user-action=ignore \
        --no-deps --target "$part" "$@" "nvidia-nvvm==$version.*" ||
        missing "pip could not install the compiler: $*"
    ln -s lib "$part/nvidia/cu13/lib64"
    mv "$part" "$cache/$version"
}

command -v c++ >/dev/null || missing "nvcc needs a host compiler: c++ not found"
[ -x "$toolkit/bin/nvcc" ] || install_toolkit
object=$cache/field_check.cubin
"$toolkit/bin/nvcc" -std=c++17 -arch=sm_90 -cubin -O3 -Werror all-warnings -Xptxas -v,-warn-spills \
    -I"$root/src" -o "$object" "$root/tests/cuda/field_check.cu" 2>"$object.log" ||
    { cat "$object.log"; missing "field_check.cu does not compile"; }
grep -E 'Compiling|Used' "$object.log"
echo "nvcc: $(wc -c <"$object") bytes for sm_90"
