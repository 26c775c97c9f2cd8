#!/bin/sh
# CUDA's compiler from PyPI: nvcc 13.0.88 and 13.1.115 look for the runtime in lib64, and the wheels of the runtime have it in lib, so that no
# program links. nvcc 13.2.86 looks in lib, and the same program links.
# Expected before it was run: every version links, as its wheels belong together.
. "$(dirname "$0")/common.sh"
echo 'int main(void) { return 0; }' >"$work/main.c"
link() { # versions of the compiler and of the runtime
    rm -rf "$work/venv"
    packages "nvidia-cuda-nvcc==$1" "nvidia-cuda-runtime==$2" >&2
    tools=$("$python" -c 'import nvidia; print(list(nvidia.__path__)[0])')/cu13
    chmod +x "$tools"/bin/*
    if "$tools/bin/nvcc" -o "$work/main" "$work/main.c" >"$work/said" 2>&1; then
        echo links
    else
        grep -o 'cannot find -lcuda[a-z]*' "$work/said" | head -n 1
    fi
}
same "nvcc 13.0.88" "$(link 13.0.88 13.0.96)" "cannot find -lcudadevrt"
same "nvcc 13.1.115" "$(link 13.1.115 13.1.80)" "cannot find -lcudadevrt"
same "nvcc 13.2.86" "$(link 13.2.86 13.2.86)" "links"
