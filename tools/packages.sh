#!/bin/sh
# SPDX-License-Identifier: MIT OR Apache-2.0
# Installs what the build and the tests need on Debian 12 or Ubuntu 24.04; silent when all is there.
set -eu
packages="build-essential cmake ninja-build pkg-config git ca-certificates python3 python3-venv libssl-dev
libnghttp2-dev libtomlplusplus-dev libcmocka-dev libjansson-dev clang-format-14"
missing=""
for package in $packages; do
    dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing="$missing $package"
done
[ -z "$missing" ] && exit 0
echo "installing:$missing"
sudo=""
[ "$(id -u)" = 0 ] || sudo="sudo"
export DEBIAN_FRONTEND=noninteractive
$sudo apt-get update -qq
# shellcheck disable=SC2086
$sudo apt-get install -y -qq --no-install-recommends $missing >/dev/null
