#!/bin/sh
# CUDA 13.5's compiler as wheels (nvidia-cuda-nvcc 13.5.37 and the four that it needs to compile): `nvcc -enable-tile` ends with
# "tileiras: not found", for a file without a tile kernel, too. The program is in a wheel of its own, nvidia-cuda-tileiras, which none
# of the others names as needed. With it the same file compiles, and its object has a second fat binary, .nvFatBinSegmentAlt.
# Expected before it was run: the option does nothing where no tile kernel is, and what nvcc calls comes with its wheel.
. "$(dirname "$0")/common.sh"
packages nvidia-cuda-nvcc==13.5.37 nvidia-nvvm==13.5.37 nvidia-cuda-crt==13.5.37 nvidia-cuda-runtime==13.5.37 \
    nvidia-cuda-cccl==13.3.5.0.6
tools=$("$python" -c 'import nvidia; print(list(nvidia.__path__)[0])')/cu13
chmod +x "$tools"/bin/* "$tools"/nvvm/bin/*
echo '__global__ void set(int *p) { *p = 3; }' >"$work/x.cu"
compile() {
    if "$tools/bin/nvcc" -c -arch=sm_90 -o "$work/x.o" "$@" "$work/x.cu" 2>"$work/said"; then
        objdump -h "$work/x.o" | grep -o 'nvFatBinSegment[A-Za-z]*' | sort -u | xargs
    else
        grep -o 'tileiras: not found' "$work/said"
    fi
}
same "without the option" "$(compile)" "nvFatBinSegment"
same "nvcc -enable-tile" "$(compile -enable-tile)" "tileiras: not found"
same "wheels that need nvidia-cuda-tileiras" "$(grep -lri '^Requires-Dist: nvidia-cuda-tileiras' \
    "$work"/venv/lib/python3*/site-packages/*.dist-info/METADATA | wc -l)" 0
"$python" -m pip install --quiet --disable-pip-version-check nvidia-cuda-tileiras==13.5.37
chmod +x "$tools"/bin/*
same "with nvidia-cuda-tileiras 13.5.37" "$(compile -enable-tile)" "nvFatBinSegment nvFatBinSegmentAlt"
