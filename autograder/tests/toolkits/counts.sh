#!/bin/sh
# counts.sh WORK: what counts.awk says of two runs: differences of more than 2 %, steps that did not run in both, counters of one run alone;
# that each toolkit of wheels.txt has its five wheels with hashes, and that no step's program includes what they lack.
# test: autograder/toolkit_counts @WORK@
set -eu
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
rm -rf "$1"
mkdir -p "$1"
run() { # file, counters of steps 1 and 2
    printf '    {"step": 1, "name": "a",\n      "counters": {%s}},\n    {"step": 2, "name": "b",\n      "counters": {%s}},\n' "$2" "$3" >"$1"
    printf '    {"step": 3, "name": "c",\n      "counters": {%s}}\n' "$4" >>"$1"
}
run "$1/here" '"regs": 20, "x": 100, "y": 0' '"regs": 40, "x": 100, "y": 7' '"x": 9'
run "$1/there" '"regs": 16, "x": 102, "y": 3' '"regs": 60, "x": 103, "y": 7' ''
said=$(awk -v lab=L -v toolkit=T -f "$here/counts.awk" "$1/here" "$1/there")
wanted='T | L | 2 | regs 2 0.80 1.50, x 1 1.03 1.03, y 1 new new'
[ "$said" = "$wanted" ] || { echo "says $said, not $wanted" && exit 1; }
said=$(awk -v lab=L -v toolkit=T -f "$here/counts.awk" "$1/here" "$1/here")
[ "$said" = 'T | L | 3 | -' ] || { echo "says $said of equal runs" && exit 1; }
awk '/^#/ { next }
    /^=== 13\.[0-9]\.[0-9]*$/ { if (count && count != 5) exit bad = 1; count = 0; toolkits++; next }
    { count++; if ($1 !~ /^nvidia-[a-z-]*==13\.[0-9.]*$/ || NF != 3) exit bad = 1 }
    { for (i = 2; i <= NF; i++) if ($i !~ /^--hash=sha256:[0-9a-f]*$/ || length($i) != 78) exit bad = 1 }
    END { exit bad || count != 5 || toolkits != 5 }' "$here/wheels.txt" || { echo "wheels.txt has a wrong line" && exit 1; }
# These headers are in wheels of their own, which the launcher does not take.
kit=$here/../../..
if grep -rnE '#include <(cuda_profiler_api|cupti|nvrtc|nvJitLink|curand|cublas_v2)\.h>' "$kit/common/lab" "$kit/common/gpu" "$kit/common/host" \
    "$kit/common/run" "$kit/solutions" --include='*.[ch]' --include='*.cu' --include='*.cuh'; then
    echo "a header that a toolkit of PyPI lacks" && exit 1
fi
