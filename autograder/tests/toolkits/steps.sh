#!/bin/sh
# steps.sh BUILD KIT WORK nvcc|clang: the solutions' steps of some labs compiled by others than the build's nvcc, and run on the simulator by the
# lab's own program of BUILD, below which WORK lies: each step that compiles is right. nvcc: by the oldest and the newest of the toolkits
# that are on this machine, or in $LADDER_TOOLKITS, and accept its g++; 77 where there are not two. clang: by $CLANGXX (clang++ -x cuda --cuda-gpu-arch=sm_90), with the
# headers of the CUDA 12 that $LADDER_CLANG_CUDA names, for clang 19 does not know those of 13; what ran goes to WORK/record.txt, as
# docs/systems.txt has it. $LADDER_LABS: the labs.
# test: autograder/toolkits_two @BUILD@ @SOURCE@ @BUILD@/autograder/tests/systems/two nvcc
# test: autograder/full/clang @BUILD@ @SOURCE@ @BUILD@/autograder/tests/systems/clang clang
set -eu
build=$1 kit=$2 work=$3 by=$4
rm -rf "$work"
mkdir -p "$work"
version_of() { "$1" --version 2>/dev/null | sed -n 's/.*release [0-9.]*, V\([0-9.]*\)$/\1/p'; }
if [ "$by" = clang ]; then
    cuda=${LADDER_CLANG_CUDA:-} compilers=${CLANGXX:-clang++-19} labs=${LADDER_LABS:-01_transpose 02_reduction}
    flags="-x cuda --cuda-path=$cuda -Wno-unknown-cuda-version -fPIC" card=--cuda-gpu-arch=sm_90
    command -v "$compilers" >/dev/null && [ -x "$cuda/bin/nvcc" ] || {
        echo "skipped: no $compilers, or LADDER_CLANG_CUDA does not name a CUDA 12"
        exit 77
    }
else
    labs=${LADDER_LABS:-01_transpose} flags=-Xcompiler=-fPIC card=-arch=sm_90
    IFS=:
    # shellcheck disable=SC2046,SC2086 # split at colons
    set -- ${LADDER_TOOLKITS:-/usr/bin/nvcc:$(ls -d /opt/kernel-ladder/cuda/bin/nvcc /usr/local/cuda-1[1-9].*/bin/nvcc "$build"/toolkits/*/bin/nvcc \
        2>/dev/null | paste -sd: -)}
    unset IFS
    compilers=$(for nvcc; do ! "$nvcc" -E -x cu /dev/null >/dev/null 2>&1 || echo "$(version_of "$nvcc") $nvcc"; done | sort -t. -k1,1n -k2,2n -u |
        sed -n 's/^[0-9][^ ]* //p' | sed -n '1p; $p' | uniq)
    [ "$(echo "$compilers" | grep -c .)" -eq 2 ] || {
        echo "skipped: there are not two toolkits on this machine"
        exit 77
    }
fi
runtime=$(sed -n 's/^CUDA_CUDART:[A-Z]*=//p' "$build/CMakeCache.txt")
began=$(date +%s) right=0 steps=0 wrong=0 lacking=''
try_step() { # compiler, lab, file
    step=${3##*/} && step=${step%%_*} exact=
    ! grep -q wgmma "$3" || exact=a
    steps=$((steps + 1))
    rm -f "$work/$2/solution/step_$step.so"
    # shellcheck disable=SC2086 # several flags
    "$1" $flags $card$exact -O3 -std=c++17 "-I$kit/labs/$2" -c "$3" -o "$work/step.o" 2>"$work/said" || {
        lacking="$lacking, $2 step $step"
        echo "$1: $2, step $step does not compile: $(grep -m1 error: "$work/said")"
        [ "$by" = clang ] || wrong=1
        return 0
    }
    g++ -shared -Wl,--no-undefined "$work/step.o" "$runtime" -o "$work/$2/solution/step_$step.so"
    "$work/$2/${2#*_}" "$step" --solution --check-only --device sim >"$work/said" 2>&1 || :
    if grep -qE "^ +$step +[a-z0-9_]+ +correct$" "$work/said"; then right=$((right + 1)); else
        echo "$1: $2, step $step is NOT right" && tail -n 20 "$work/said"
        wrong=1
    fi
}
for lab in $labs; do
    cmake --build "$build" --target "${lab#*_}" "${lab#*_}_solution" >"$work/built" 2>&1 || tail -n 20 "$work/built"
    cp -R "$build/labs/$lab" "$work/"
    for compiler in $compilers; do
        for file in "$kit/solutions/$lab"/steps/*.cu "$kit/labs/$lab"/steps/0_*.cu; do try_step "$compiler" "$lab" "$file"; done
    done
done
echo "$right of $steps steps right${lacking:+; do not compile:${lacking#,}}"
[ "$right" -gt 0 ] || wrong=1
# shellcheck source=/dev/null
[ "$by" != clang ] || echo "$(. /etc/os-release && echo "${NAME%% *} $VERSION_ID"), $(dpkg --print-architecture), clang $("$compilers" -dumpversion) |" \
    "$(version_of "$cuda/bin/nvcc") | solutions' steps of $labs by clang | $right of $steps steps right${lacking:+; do not compile:${lacking#,}} |" \
    "$(date +%F) | - | - | $(($(date +%s) - began)) | -" >"$work/record.txt"
exit "$wrong"
