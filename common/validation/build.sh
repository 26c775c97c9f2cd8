#!/bin/sh
# Builds the programs that record a GPU's behaviour, with the flags that the labs are built with:
#   build.sh OUT_DIR      gives OUT_DIR/counter_kernels, matrix_program, operand_program, texture_program,
#                         texture_counts, filter_program, timing_kernels, and for sm_90a tensor_program, warpgroup_program
# Each class of operand cases is a program image of its own. NVCC, CUDA_ARCH (90) and JOBS (all cores) may be set.
set -eu
[ $# -eq 1 ] || {
    echo "usage: $0 OUT_DIR" >&2
    exit 2
}
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1/objects"
out=$(cd "$1" && pwd)
NVCC=${NVCC:-nvcc}
arch=${CUDA_ARCH:-90}
jobs=${JOBS:-$(getconf _NPROCESSORS_ONLN)}
cd "$here"

plain=--compress-mode=none
"$NVCC" --help | grep -q -e "${plain%=*}" || plain=--no-compress # up to 12.6
device="-O3 -lineinfo -std=c++17 -Xcompiler=-fPIC,-Wall,-Wextra,-Werror -Werror=all-warnings"
device="$device $plain --generate-code=arch=compute_$arch,code=[compute_$arch,sm_$arch]"
host="-O2 -Xcompiler=-std=c11,-D_GNU_SOURCE,-fPIC,-Wall,-Wextra,-Werror,-ffp-contract=off"

# One line a compilation: OBJECT SOURCE [flags]
{
    for source in counters/counter_*.cu counters/texture_counts.cu operands/matrix_*.cu textures/*.cu; do
        echo "$(basename "$source" .cu) $source $device"
    done
    for source in timing/kernels/*.cu; do echo "timing_$(basename "$source" .cu) $source $device"; done
    echo "warpgroup_program operands/warpgroup_program.cu $device" | sed "s/_$arch/_90a/g"
    for source in operands/*.c textures/*.c; do echo "$(basename "$source" .c) $source $host"; done
    sed -n 's/^OPERAND_CLASS(\(.*\))$/\1/p' operands/operand_classes.def | while read -r class; do
        echo "class_$class operands/operand_class.cu $device -DOPERAND_CLASS_NAME=$class -DOPERAND_IN_$class"
    done
} >"$out/objects/list"

rm -f "$out"/objects/*.o
export NVCC out
# shellcheck disable=SC2016 # expanded by the inner shell
xargs -P "$jobs" -L 1 sh -c 'object=$1; shift; "$NVCC" -c -o "$out/objects/$object.o" "$@"' compile \
    <"$out/objects/list"

"$NVCC" -cudart shared -o "$out/counter_kernels" "$out"/objects/counter_*.o
"$NVCC" -cudart shared -o "$out/timing_kernels" "$out"/objects/timing_*.o
"$NVCC" -cudart shared -o "$out/operand_program" "$out"/objects/operand_*.o "$out"/objects/class_*.o
"$NVCC" -cudart shared -o "$out/texture_counts" "$out/objects/texture_counts.o"
rm "$out/objects/texture_counts.o"
"$NVCC" -cudart shared -o "$out/texture_program" "$out"/objects/texture_*.o
"$NVCC" -cudart shared -o "$out/filter_program" "$out/objects/filter_program.o"
"$NVCC" -cudart shared -o "$out/matrix_program" "$out/objects/matrix_program.o"
"$NVCC" -cudart shared -o "$out/warpgroup_program" "$out/objects/warpgroup_program.o"
"$NVCC" -O3 -std=c++17 -arch=sm_90a $plain -cudart shared -o "$out/tensor_program" operands/tensor_program.cu
