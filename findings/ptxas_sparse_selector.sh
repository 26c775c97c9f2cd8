#!/bin/sh
# ptxas 13.0.88 and 13.5.37: mma.sp.m16n8k32 reads the metadata of a sparse matrix from two of four lanes, and its last operand says from which two,
# 0 or 1 for f16 and bf16 alike, as the manual has it. ptxas refuses 2 and 3 for bf16, and makes code of them for f16.
# Expected before it was run: both types have one layout of metadata, so both have one range.
. "$(dirname "$0")/common.sh"
taken() { # type: the selectors that ptxas takes
    for selector in 0 1 2 3 4; do
        printf '.version 8.5\n.target sm_90\n.address_size 64\n.entry k() {\n.reg .b32 r; .reg .f32 f;\n%s%s {f,f,f,f}, {r,r,r,r}, {r,r,r,r}, {f,f,f,f}, r, %s;\nret; }\n' \
            'mma.sp::ordered_metadata.sync.aligned.m16n8k32.row.col' ".f32.$1.$1.f32" "$selector" >"$work/a.ptx"
        if "$ptxas" -arch=sm_90 -o "$work/a.cubin" "$work/a.ptx" >/dev/null 2>&1; then printf ' %s' "$selector"; fi
    done
}
for version in 13.0.88 13.5.37; do
    rm -rf "$work/venv"
    packages "nvidia-cuda-nvcc==$version"
    ptxas=$("$python" -c 'import nvidia; print(list(nvidia.__path__)[0])')/cu13/bin/ptxas
    chmod +x "$ptxas"
    same "selectors of bf16 in ptxas $version" "$(taken bf16)" " 0 1"
    same "selectors of f16 in ptxas $version" "$(taken f16)" " 0 1 2 3"
done
