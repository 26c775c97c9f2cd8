#!/bin/sh
# sh labs.sh KIT BUILD WORK [NVCC..]: every lab's solution earns all points with each of these compilers. One build folder below
# WORK for each, made by the launcher, as a user has it. Steps that need more than the toolkit has are left out of the total,
# and named. Counts of a lab that differ from those of BUILD by more than 2 % are printed (counts.awk). Then some labs are
# built for old cards: on the simulator their steps get the verdicts of BUILD's. With LADDER_WRONG=yes, as
# `ladder test --full --toolkits` sets it, `check` finds nothing in the solutions, and every wrong kernel fails as it must. What was
# run goes to WORK/record.txt, as docs/systems.txt has it, unless it is a part without wrong kernels; the differing counts to
# WORK/counts.txt. LADDER_LABS, LADDER_OLD_LABS and LADDER_OLD_CARDS (architectures): others, or "". 77: none of the compilers
# is there.
# Without NVCC: those of $LADDER_TOOLKITS, separated by ':', else those that lie where packages and `ladder install` put them.
# test: autograder/full/toolkits @SOURCE@ @BUILD@ @BUILD@/autograder/tests/systems/toolkits
# labels: full
set -u
kit=$1 build=$2 work=$3
shift 3
if [ $# -eq 0 ]; then
    IFS=:
    # shellcheck disable=SC2046,SC2086 # split at colons
    set -- ${LADDER_TOOLKITS:-/usr/bin/nvcc:/opt/kernel-ladder/cuda/bin/nvcc:$(ls -d /usr/local/cuda-1[12].*/bin/nvcc 2>/dev/null | paste -sd: -)}
    unset IFS
fi
here=$(CDPATH='' cd -- "$(dirname "$0")" && pwd)
labs=${LADDER_LABS-$(cd "$kit/labs" && echo [0-9][0-9]_*)}
LADDER_SIM_DEVICE=h100
unset CUDAARCHS CUDAHOSTCXX
export LADDER_SIM_DEVICE LADDER_BUILD_DIR CUDACXX

grade() { # lab, title
    said=$LADDER_BUILD_DIR/graded/$1
    mkdir -p "$said"
    "$kit/ladder" grade "$1" --solution --seed 20251 --device sim --output "$said" >"$said/said" 2>&1 </dev/null
    if grep -q '^score 100.0 %' "$said/said"; then
        left=$(sed -n 's/^ *\([0-9]*\)  [a-z0-9_]*  *left out .*/\1/p' "$said/said" | paste -sd, -)
        echo "$2, $1: all points${left:+; left out: step $left}"
        [ -z "$left" ] || without="$without, $1 step $left"
        graded=$((graded + 1))
    else
        wrong=$((wrong + 1))
        echo "$2, $1: NOT all points"
        tail -n 60 "$said/said"
    fi
}

compare() { # lab
    name=${1#*_}
    for folder in "$build" "$LADDER_BUILD_DIR"; do
        counts=$LADDER_BUILD_DIR/graded/$1/counts
        [ "$folder" = "$LADDER_BUILD_DIR" ] || counts=$counts-here
        if ! cmake --build "$folder" --target "$name" "${name}_solution" >"$counts" 2>&1; then
            wrong=$((wrong + 1))
            tail -n 20 "$counts"
            return
        fi
        "$folder/labs/$1/$name" --solution --quick --device sim --json "$counts" >"$counts-said" 2>&1
    done
    awk -v lab="$1" -v toolkit="${LADDER_BUILD_DIR##*/}" -f "$here/counts.awk" "$counts-here" "$counts" | tee -a "$work/counts.txt"
}

# The checks find nothing in the solution; each wrong kernel is graded, and the test of the tier says how many were caught.
check_and_wrong() { # lab, title
    said=$LADDER_BUILD_DIR/graded/$1
    if ! "$kit/ladder" check "$1" --solution >"$said/checked" 2>&1 </dev/null; then
        wrong=$((wrong + 1))
        echo "$2, $1: check is NOT clean"
        tail -n 30 "$said/checked"
    fi
    if cmake -DLADDER_BUILD_TESTS=ON "$LADDER_BUILD_DIR" >"$said/wrong" 2>&1 &&
        cmake --build "$LADDER_BUILD_DIR" --target ladder_grade_test "${1#*_}_call" >"$said/wrong" 2>&1 &&
        ctest --test-dir "$LADDER_BUILD_DIR" --no-tests=error -V -R "^autograder/full/grade_wrong_$1\$" >"$said/wrong" 2>&1; then
        caught=$(sed -n 's/.*: \([0-9]*\) of [0-9]* are failed as they must be$/\1/p' "$said/wrong" | tail -n 1)
        all_caught=$((all_caught + caught))
        echo "$2, $1: no findings; $caught wrong kernels failed as they must"
    else
        wrong=$((wrong + 1))
        echo "$2, $1: NOT every wrong kernel fails as it must"
        tail -n 60 "$said/wrong"
    fi
}

verdicts() { # folder of a build, lab, file for them
    name=${2#*_}
    cmake --build "$1" --target "$name" "${name}_solution" >"$3.built" 2>&1 || tail -n 20 "$3.built"
    "$1/labs/$2/$name" --solution --check-only --device sim >"$3" 2>"$3.said"
}

same_verdicts() { # lab, title
    said=$LADDER_BUILD_DIR/graded/$1/verdicts
    mkdir -p "${said%/*}"
    verdicts "$build" "$1" "$said-here"
    verdicts "$LADDER_BUILD_DIR" "$1" "$said"
    if grep -q '  correct$' "$said" && diff "$said-here" "$said" >"$said-differ"; then
        echo "$2, $1: the same verdicts"
    else
        wrong=$((wrong + 1))
        echo "$2, $1: NOT the same verdicts"
        cat "$said.said" "$said-differ"
    fi
}

try_toolkit() { # its version; exits with the number of labs that were not right
    wrong=0 graded=0 without='' all_caught=0
    LADDER_BUILD_DIR=$work/$1
    began=$(date +%s)
    for lab in $labs; do
        grade "$lab" "CUDA $1"
        compare "$lab"
        [ -z "${LADDER_WRONG:-}" ] || check_and_wrong "$lab" "CUDA $1"
    done
    if [ -n "$without" ] && ! "$kit/ladder" doctor 2>&1 </dev/null | grep -q 'steps left out: '; then
        wrong=$((wrong + 1))
        echo "CUDA $1: doctor does not say what is left out"
    fi
    for card in ${LADDER_OLD_CARDS-52 70}; do
        "$CUDACXX" --list-gpu-arch | grep -qx "compute_$card" || continue
        cmake -DCMAKE_CUDA_ARCHITECTURES="$card" -S "$kit" -B "$LADDER_BUILD_DIR" >"$LADDER_BUILD_DIR/configured-$card" 2>&1
        for lab in ${LADDER_OLD_LABS-02_reduction 12_histogram}; do same_verdicts "$lab" "CUDA $1 for sm_$card"; done
    done
    rm -f "$LADDER_BUILD_DIR/CMakeCache.txt" # the next run begins with the usual architecture
    times >"$LADDER_BUILD_DIR/times"
    what="every lab's solution" caught=
    if [ -n "${LADDER_WRONG:-}" ]; then
        [ -z "${LADDER_LABS+set}" ] || what="solutions of ${labs# }"
        what="$what, check, wrong kernels" caught="; $all_caught wrong kernels failed as they must"
    elif [ -n "${LADDER_LABS+set}" ]; then
        exit "$wrong" # a part of it is no row
    fi
    # shellcheck disable=SC2086 # labs are words
    set -- "$1" $labs
    # shellcheck source=/dev/null
    echo "$(. /etc/os-release && echo "${PRETTY_NAME%% GNU*} $VERSION_ID"), $(dpkg --print-architecture) | $1 | $what |" \
        "$graded of $(($# - 1)) labs: all points${without:+; left out:${without#,}}$caught | $(date +%F) | - | - | $(($(date +%s) - began)) |" \
        "$(awk 'NR == 2 { gsub("[ms]", " "); print int($1 * 60 + $2 + $3 * 60 + $4 + 0.5) }' "$LADDER_BUILD_DIR/times")" >>"$work/record.txt"
    exit "$wrong"
}

failed=0 tried=0
for CUDACXX; do
    version=$("$CUDACXX" --version 2>/dev/null | sed -n 's/.*release [0-9.]*, V\([0-9.]*\).*/\1/p')
    [ -n "$version" ] || continue
    tried=$((tried + 1))
    mkdir -p "$work/$version"
    (try_toolkit "$version") || failed=1
done
[ "$tried" -gt 0 ] || {
    echo "skipped: no toolkit to try (LADDER_TOOLKITS names their nvcc)"
    exit 77
}
exit "$failed"
