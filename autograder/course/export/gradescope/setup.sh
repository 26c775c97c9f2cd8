#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Makes the image in which Gradescope grades @LAB@, without a GPU: CUDA toolkit (no driver), the kit, its build.
# The kit has no solutions, so that no submission can read any. Ends by grading the steps that it hands out, so that an
# image that cannot grade is noticed now.
set -euo pipefail
export DEBIAN_FRONTEND=noninteractive
apt-get update
apt-get install -y --no-install-recommends ca-certificates curl g++ ninja-build bubblewrap python3-pip

# nvcc: https://docs.nvidia.com/cuda/cuda-installation-guide-linux/ (network repository of this release)
. /etc/os-release
repository=https://developer.download.nvidia.com/compute/cuda/repos/${ID}${VERSION_ID/./}/x86_64
curl -fsSL -o /tmp/cuda-keyring.deb "$repository/cuda-keyring_1.1-1_all.deb"
dpkg -i /tmp/cuda-keyring.deb
apt-get update
apt-get install -y --no-install-recommends cuda-nvcc-13-0 cuda-cudart-dev-13-0 libcublas-dev-13-0 libcusparse-dev-13-0

# CMake 3.25: older releases of Ubuntu have not come so far.
apt-get install -y --no-install-recommends cmake
cmake_version=$(cmake --version | sed -n 's/^cmake version //p')
if [ "$(printf '%s\n' 3.25 "$cmake_version" | sort -V | head -n 1)" != 3.25 ]; then
    apt-get remove -y cmake
    python3 -m pip install 'cmake>=3.25,<4'
fi

top=${AUTOGRADER:-/autograder}
rm -rf "$top/kit"
cp -R "$top/source/kit" "$top/kit"
cd "$top/kit"
./ladder grade @LAB@ --quick --device sim --output /tmp/handed_out
