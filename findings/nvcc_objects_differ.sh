#!/bin/sh
# nvcc 13.1.115 and 13.5.37: a file that is compiled twice gives two objects that differ, because the name of a temporary file, which has the
# number of the process, stays in the table of symbols. With -keep that name is the source's, and the objects are equal.
# Expected before it was run: equal objects, as from gcc, so that what is built can be compared and cached by its bytes.
. "$(dirname "$0")/common.sh"
echo '__global__ void set(int *p) { *p = 3; }' >"$work/x.cu"
objects() { # options
    mkdir -p "$work/kept"
    for at in 1 2; do (cd "$work" && "$tools/bin/nvcc" -arch=sm_90 "$@" -c -o "$at.o" x.cu); done
    if cmp -s "$work/1.o" "$work/2.o"; then echo equal; else echo "$(cmp -l "$work/1.o" "$work/2.o" | wc -l | sed 's/[1-9]/some/') bytes differ"; fi
    objdump -t "$work/2.o" | awk '$3 == "df" && /cudafe1/ { sub("_.*", "", $NF); print $NF }'
}
for versions in '13.1.115 13.1.80 13.1.115' '13.5.37 13.5.37 13.3.5.0.6'; do
    rm -rf "$work/venv"
    # shellcheck disable=SC2086 # compiler, runtime, headers
    set -- $versions
    packages "nvidia-cuda-nvcc==$1" "nvidia-nvvm==$1" "nvidia-cuda-crt==$1" "nvidia-cuda-runtime==$2" "nvidia-cuda-cccl==$3"
    tools=$("$python" -c 'import nvidia; print(list(nvidia.__path__)[0])')/cu13
    chmod +x "$tools"/bin/* "$tools"/nvvm/bin/*
    same "nvcc $1" "$(objects)" "some bytes differ
tmpxft"
    same "nvcc $1 -keep" "$(objects -keep -keep-dir "$work/kept")" "equal
x.cudafe1.cpp"
done
