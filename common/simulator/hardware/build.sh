#!/bin/sh
# SPDX-License-Identifier: MIT
# Builds the programs that record a GPU's behaviour, with the flags that the labs are built with:
#   build.sh OUT_DIR      gives OUT_DIR/counter_kernels and OUT_DIR/operand_program
# Each class of operand cases is a program image of its own; NVCC and CUDA_ARCH (90) may be set.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
[ $# -eq 1 ] || {
    echo "usage: $0 OUT_DIR" >&2
    exit 2
}
mkdir -p "$1/objects"
out=$(cd "$1" && pwd)
nvcc=${NVCC:-nvcc}
arch=${CUDA_ARCH:-90}
cd "$here"

# compile SOURCE OBJECT [flags]: one object, without warnings
compile() {
    source=$1 object=$2
    shift 2
    "$nvcc" -O3 -lineinfo -std=c++17 -Xcompiler=-fPIC,-Wall,-Wextra,-Werror -Werror all-warnings \
        --compress-mode=none --generate-code="arch=compute_$arch,code=[compute_$arch,sm_$arch]" \
        "$@" -c -o "$out/objects/$object.o" "$source"
}

counter_objects=
for source in counter_*.cu; do
    name=${source%.cu}
    compile "$source" "$name"
    counter_objects="$counter_objects $out/objects/$name.o"
done
# shellcheck disable=SC2086 # the list of objects is meant to split
"$nvcc" -cudart shared -o "$out/counter_kernels" $counter_objects
