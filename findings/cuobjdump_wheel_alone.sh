#!/bin/sh
# CUDA's cuobjdump from PyPI (nvidia-cuda-cuobjdump 13.5.37): it lists and extracts by itself, and ends in an error where it shall print machine
# code (-sass), because it calls nvdisasm, which is in a wheel of its own that pip does not bring along.
# Expected before it was run: the wheel brings all that its program calls.
. "$(dirname "$0")/common.sh"
packages nvidia-cuda-nvcc==13.5.37 nvidia-cuda-cuobjdump==13.5.37
tools=$("$python" -c 'import nvidia; print(list(nvidia.__path__)[0])')/cu13/bin
chmod +x "$tools"/*
printf '.version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k() { ret; }\n' >"$work/k.ptx"
"$tools/ptxas" -arch=sm_90 -o "$work/k.cubin" "$work/k.ptx"
code() { # what is found in the machine code, or why there is none
    PATH=/usr/bin:/bin "$tools/cuobjdump" -sass "$work/k.cubin" >"$work/said" 2>&1 || true
    grep -oE "EXIT|Could not find executable file 'nvdisasm'" "$work/said"
}
same "machine code, the wheel alone" "$(code)" "Could not find executable file 'nvdisasm'"
"$python" -m pip install --quiet --disable-pip-version-check nvidia-cuda-nvdisasm==13.5.37
chmod +x "$tools"/*
same "with nvidia-cuda-nvdisasm 13.5.37" "$(code)" "EXIT"
