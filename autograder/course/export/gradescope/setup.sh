#!/usr/bin/env bash
# Makes the image in which Gradescope grades @LAB@, without a GPU: CUDA toolkit (no driver), the kit, its build.
# The kit has no solutions, so that no submission can read any. Ends by grading the steps that it hands out, so that an
# image that cannot grade is noticed now.
set -euo pipefail
export DEBIAN_FRONTEND=noninteractive
apt-get update
apt-get install -y --no-install-recommends ca-certificates curl

top=${AUTOGRADER:-/autograder}
rm -rf "$top/kit"
cp -R "$top/source/kit" "$top/kit"
cd "$top/kit"
./ladder install || { # the toolkit of this Ubuntu is too old: NVIDIA's, from the network repository of this release
    . /etc/os-release
    repository=https://developer.download.nvidia.com/compute/cuda/repos/${ID}${VERSION_ID/./}/x86_64
    curl -fsSL -o /tmp/cuda-keyring.deb "$repository/cuda-keyring_1.1-1_all.deb"
    dpkg -i /tmp/cuda-keyring.deb
    apt-get update
    apt-get install -y --no-install-recommends cuda-nvcc-13-0 cuda-cudart-dev-13-0
    ./ladder install
}
./ladder grade @LAB@ --quick --device sim --output /tmp/handed_out
