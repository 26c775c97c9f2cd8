#!/bin/sh
# ptxas 13.0.88 and 13.5.37: a variable of shared memory that nothing uses takes room in each block where it is declared inside of a kernel, and
# none where it is declared outside, at every optimisation. One of 49,153 bytes is refused inside, and taken outside.
# Expected before it was run: what nothing uses is removed, wherever it is declared.
. "$(dirname "$0")/common.sh"
size() { # declarations outside, inside: the bytes of shared memory that ptxas reports, or that it refuses
    printf '.version 9.0\n.target sm_90\n.address_size 64\n%s\n.visible .entry k(.param .u64 p) {\n%s\n.reg .b64 r; ld.param.u64 r, [p]; st.global.u32 [r], 1; ret; }\n' \
        "$1" "$2" >"$work/a.ptx"
    if "$ptxas" -O3 -v -arch=sm_90 -o "$work/a.cubin" "$work/a.ptx" >"$work/said" 2>&1; then
        bytes=$(sed -n 's/.* \([0-9]*\) bytes smem.*/\1/p' "$work/said")
        echo "${bytes:-0}"
    else
        grep -o 'uses too much shared data' "$work/said"
    fi
}
for version in 13.0.88 13.5.37; do
    rm -rf "$work/venv"
    packages "nvidia-cuda-nvcc==$version"
    ptxas=$("$python" -c 'import nvidia; print(list(nvidia.__path__)[0])')/cu13/bin/ptxas
    chmod +x "$ptxas"
    same "outside, ptxas $version" "$(size '.shared .b8 unused[100];' '')" 0
    same "inside, ptxas $version" "$(size '' '.shared .b8 unused[100];')" 100
    same "49,153 bytes outside, ptxas $version" "$(size '.shared .b8 unused[49153];' '')" 0
    same "49,153 bytes inside, ptxas $version" "$(size '' '.shared .b8 unused[49153];')" "uses too much shared data"
done
