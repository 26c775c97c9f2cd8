#!/bin/sh
# Steps 0 to 5 use nothing that compute capability 8.0 does not have: as PTX for it alone they are right on a card of it.
#   ptx_alone.sh NVCC LAB SOLUTION PROGRAM WORK      LAB, SOLUTION: folders; PROGRAM: the lab's; WORK takes the steps
# LD_LIBRARY_PATH leads to the drop-in runtime.
# test: lab/attention_ptx_alone @NVCC@ @SOURCE@/labs/14_attention @SOURCE@/solutions/14_attention @attention@ @WORK@
# environment: LD_LIBRARY_PATH=@RUNTIME@
# labels: full
set -eu
[ $# -eq 5 ] || {
    echo "usage: $0 NVCC LAB SOLUTION PROGRAM WORK" >&2
    exit 2
}
mkdir -p "$5"
for step in 0 1 2 3 4 5; do
    "$1" -O3 -std=c++17 -gencode arch=compute_80,code=compute_80 -cudart shared -shared -Xcompiler -fPIC -I "$2" \
        -o "$5/step_$step.so" "$3/steps/${step}"_*.cu
done
"$4" --steps-from "$5" --device a100 --quick --check-only 0 1 2 3 4 5 >"$5/run.txt"
[ "$(grep -c ' correct$' "$5/run.txt")" -eq 6 ] || {
    cat "$5/run.txt" >&2
    exit 1
}
