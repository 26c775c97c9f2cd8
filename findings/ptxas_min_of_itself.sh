#!/bin/sh
# ptxas 13.0.88 and 13.5.37: min.f32 and max.f32 of a register with itself are a move from -O1 on, for f16 and f64 as well, so that a NaN keeps its
# bits. The manual says that the minimum of two NaN is the canonical NaN, which the instruction of -O0 gives. min.NaN.f32 stays one.
# Expected before it was run: the instruction stays.
. "$(dirname "$0")/common.sh"
code() { # operation, type, optimisation: what of it is in the machine code
    printf '.version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p) {\n.reg .b64 r; .reg .%s a;\nld.param.u64 r, [p];\nld.global.%s a, [r]; %s a, a, a; st.global.%s [r+8], a; ret; }\n' \
        "$2" "$2" "$1" "$2" >"$work/a.ptx"
    "$tools/ptxas" "-O$3" -arch=sm_90 -o "$work/a.cubin" "$work/a.ptx"
    "$tools/nvdisasm" "$work/a.cubin" | grep -oE ' (FMNMX|HMNMX2|DSETP)[.A-Z]*' | xargs
}
for version in 13.0.88 13.5.37; do
    rm -rf "$work/venv"
    packages "nvidia-cuda-nvcc==$version" nvidia-cuda-nvdisasm==13.5.37
    tools=$("$python" -c 'import nvidia; print(list(nvidia.__path__)[0])')/cu13/bin
    chmod +x "$tools"/*
    same "ptxas $version -O0" "$(code min.f32 f32 0), $(code max.f32 f32 0), $(code min.f16 b16 0), $(code min.f64 f64 0)" \
        "FMNMX, FMNMX, HMNMX2, DSETP.MIN.AND"
    same "ptxas $version -O1" "$(code min.f32 f32 1)$(code max.f32 f32 1)$(code min.f16 b16 1)$(code min.f64 f64 1)" ""
    same "ptxas $version -O3, min.NaN.f32" "$(code min.NaN.f32 f32 3)" "FMNMX.NAN"
done
