#!/bin/sh
# Builds timing_kernels with plain nvcc and the flags that the labs are built with:
#   build.sh OUT_DIR      gives OUT_DIR/timing_kernels
# NVCC, CUDA_ARCH (90) and JOBS (all cores) may be set.
set -eu
[ $# -eq 1 ] || {
    echo "usage: $0 OUT_DIR" >&2
    exit 2
}
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1/timing"
out=$(cd "$1" && pwd)
NVCC=${NVCC:-nvcc}
arch=${CUDA_ARCH:-90}
cd "$here"
export NVCC out
plain=--compress-mode=none
"$NVCC" --help | grep -q -e "${plain%=*}" || plain=--no-compress # up to 12.6
flags="-O3 -lineinfo -std=c++17 $plain"
export flags="$flags --generate-code=arch=compute_$arch,code=[compute_$arch,sm_$arch]"
# shellcheck disable=SC2016 # expanded by the inner shell
printf '%s\n' *.cu | xargs -P "${JOBS:-$(getconf _NPROCESSORS_ONLN)}" -n 1 sh -c \
    '"$NVCC" $flags -c -o "$out/timing/${1%.cu}.o" "$1"' compile
"$NVCC" -cudart shared -o "$out/timing_kernels" "$out"/timing/*.o
