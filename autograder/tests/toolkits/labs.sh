#!/bin/sh
# sh labs.sh KIT BUILD WORK [NVCC..]: every lab's solution earns all points with each of these compilers. One build folder below
# WORK for each, made by the launcher, as a user has it. Steps that need more than the toolkit has are left out of the total,
# and named. Counts of a lab that differ from those of BUILD by more than 2 % are printed (counts.awk). Then some labs are
# built for old cards: on the simulator their steps get the verdicts of BUILD's. With LADDER_WRONG=yes, as
# `ladder test --full --toolkits` sets it, `check` finds nothing in the solutions, and every wrong kernel fails as it must. What
# had the same PTX with an earlier compiler of this run (LADDER_RAN_BEFORE=yes: or of earlier runs), and was right there, is neither
# checked nor run again: it is said how many. What was run goes to WORK/record.txt, as docs/systems.txt has it, unless it is a part
# without wrong kernels; the differing counts to WORK/counts.txt. LADDER_LABS, LADDER_OLD_LABS and LADDER_OLD_CARDS (architectures):
# others, or "". The labs of a toolkit run side by side, as many as there are processors. 77: none of the compilers is there.
# Without NVCC: those of $LADDER_TOOLKITS, separated by ':', else those that lie where packages and `ladder install` put them.
# test: autograder/full/toolkits @SOURCE@ @BUILD@ @BUILD@/autograder/tests/systems/toolkits
set -u
kit=$1 build=$2 work=$3
shift 3
here=$(CDPATH='' cd -- "$(dirname "$0")" && pwd)
jobs=$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2)

# What is not right goes to the lab's file `wrong`, a line each, what is said to its file `says`.
not_right() { # words, file whose end tells why
    echo "$1" >>"$said/wrong"
    echo "$1"
    tail -n 60 "$2"
}

grade() { # lab, title
    "$kit/ladder" grade "$1" --solution --seed 20251 --device sim --output "$said" >"$said/said" 2>&1 </dev/null
    if grep -q '^score 100.0 %' "$said/said"; then
        left=$(sed -n 's/^ *\([0-9]*\)  [a-z0-9_]*  *left out .*/\1/p' "$said/said" | paste -sd, -)
        echo "$2, $1: all points${left:+; left out: step $left}"
        [ -z "$left" ] || echo "$1 step $left" >"$said/left"
        : >"$said/graded"
    else
        not_right "$2, $1: NOT all points" "$said/said"
    fi
}

count() { # lab, folder of a build, file for the counts
    "$2/labs/$1/${1#*_}" --solution --quick --device sim --json "$3" >"$3-said" 2>&1
}

ptx_of() { # lab, step's file, file for its PTX; prints the hash of what does not name the compiler
    sh "$kit/common/cmake/nvcc/compile.sh" "$CUDACXX" -ptx -O3 -std=c++17 -arch=compute_90a "-I$kit/labs/$1" "$2" -o "$3" >/dev/null 2>&1 &&
        sed '/^\/\//d; /^\.version/d' "$3" | sha256sum | cut -c1-64
}

# What `check` finds depends on the PTX of a step. clean.txt: lab, step, hash, compiler.
check_lab() { # lab, title
    steps=''
    for step in "$kit/labs/$1"/steps/*.cu; do
        name=${step##*/}
        case ,${left:-}, in *",${name%%_*},"*) continue ;; esac
        [ ! -f "$kit/solutions/$1/steps/$name" ] || step=$kit/solutions/$1/steps/$name
        line="$1 ${name%%_*} $(cd "$kit" && ptx_of "$1" "${step#"$kit/"}" "$said/ptx")" || continue
        if grep "^$line " "$work/clean.txt" >>"$said/same"; then continue; fi
        steps="$steps ${name%%_*}"
        echo "$line ${LADDER_BUILD_DIR##*/}" >>"$said/clean"
    done
    # shellcheck disable=SC2086 # several steps
    if [ -z "$steps" ] || "$kit/ladder" check "$1" $steps --solution >"$said/checked" 2>&1 </dev/null; then
        echo "$2, $1: no findings in step${steps:-s: all have the PTX of those without}"
        cat "$said/clean" >>"$work/clean.txt" 2>/dev/null
    else
        not_right "$2, $1: check is NOT clean" "$said/checked"
    fi
}

try_lab() { # lab, title
    grade "$1" "$2"
    count "$1" "$build" "$said/counts-here"
    count "$1" "$LADDER_BUILD_DIR" "$said/counts"
    awk -v lab="$1" -v toolkit="${LADDER_BUILD_DIR##*/}" -f "$here/counts.awk" "$said/counts-here" "$said/counts" >"$said/differ"
    cat "$said/differ"
    [ -z "${LADDER_WRONG:-}" ] || check_lab "$1" "$2"
}

if [ "${1:-}" = --lab ]; then # lab, title: one of those that run side by side
    said=$LADDER_BUILD_DIR/graded/$2
    try_lab "$2" "$3" >"$said/says"
    exit 0
fi
if [ "${1:-}" = --ptx ]; then # lab, wrong kernel: the hash of its PTX, if it compiles
    made=$work/wrong/$2 # the same path for all, which names of static variables depend on
    mkdir -p "$made"
    step=$(ls "$kit/solutions/$2/steps/${3%%_*}"_*.cu 2>/dev/null || ls "$kit/labs/$2/steps/${3%%_*}"_*.cu)
    "$LADDER_BUILD_DIR/autograder/tests/ladder_apply_edit" "$kit/autograder/tests/wrong/$2.edits" "$3" "$step" "$made/$3.cu" &&
        hash=$(ptx_of "$2" "$made/$3.cu" "$made/$3.ptx") && echo "$2 $3 $hash"
    exit 0
fi
if [ $# -eq 0 ]; then
    IFS=:
    # shellcheck disable=SC2046,SC2086 # split at colons
    set -- ${LADDER_TOOLKITS:-/usr/bin/nvcc:/opt/kernel-ladder/cuda/bin/nvcc:$(ls -d /usr/local/cuda-1[12].*/bin/nvcc 2>/dev/null | paste -sd: -)}
    unset IFS
fi
labs=${LADDER_LABS-$(cd "$kit/labs" && echo [0-9][0-9]_*)}
LADDER_SIM_DEVICE=h100
unset CUDAARCHS CUDAHOSTCXX
export LADDER_SIM_DEVICE LADDER_BUILD_DIR CUDACXX

# The programs of all labs, in this kit's build and in the toolkit's; with the tests of wrong kernels.
build_all() { # title
    targets="ladder_programs sim_runtime"
    for lab in $labs; do targets="$targets ${lab#*_} ${lab#*_}_solution"; done
    # shellcheck disable=SC2086 # several targets
    cmake --build "$build" --parallel "$jobs" --target $targets >"$LADDER_BUILD_DIR/built" 2>&1 &&
        "$kit/ladder" list >"$LADDER_BUILD_DIR/built" 2>&1 </dev/null || return
    if [ -n "${LADDER_WRONG:-}" ]; then
        cmake -DLADDER_BUILD_TESTS=ON "$LADDER_BUILD_DIR" >"$LADDER_BUILD_DIR/built" 2>&1 || return
        targets="$targets ladder_grade_test ladder_apply_edit"
        for lab in $labs; do targets="$targets ${lab#*_}_call"; done
    fi
    # shellcheck disable=SC2086
    cmake --build "$LADDER_BUILD_DIR" --parallel "$jobs" --target $targets >"$LADDER_BUILD_DIR/built" 2>&1
}

# Each wrong kernel is graded, and the tests of the tier say how many were caught; but for those with the PTX of one that was
# caught: PTX is what runs, so answers and findings are equal. One of each lab runs always. failed.txt: lab, kernel, hash, compiler.
wrong_kernels() { # title, version
    known=$LADDER_BUILD_DIR/graded/known
    for lab in $labs; do sed -n "s/^=== edit \([^ ]*\).*/$lab \1/p" "$kit/autograder/tests/wrong/$lab.edits"; done |
        xargs -P "$jobs" -L 1 sh "$here/labs.sh" "$kit" "$build" "$work" --ptx >"$known-ptx"
    awk 'NR == FNR { with[$1, $2, $3] = $4; next } ($1, $2, $3) in with && seen[$1]++ { print $1, $2, with[$1, $2, $3] }' \
        "$work/failed.txt" "$known-ptx" >"$known"
    # shellcheck disable=SC2086 # labs are words
    LADDER_KNOWN_WRONG=$known ctest --test-dir "$LADDER_BUILD_DIR" --no-tests=error -j "$jobs" -V \
        -R "^autograder/full/grade_wrong_($(echo $labs | tr ' ' '|'))\$" >"$LADDER_BUILD_DIR/wrong" 2>&1
    for lab in $labs; do
        said=$LADDER_BUILD_DIR/graded/$lab
        caught=$(sed -n "s/.* $lab: \([0-9]*\) of [0-9]* are failed as they must be\$/\1/p" "$LADDER_BUILD_DIR/wrong" | tail -n 1)
        same=$(grep -c "^$lab " "$known")
        if grep -q "grade_wrong_$lab \.* *Passed" "$LADDER_BUILD_DIR/wrong"; then
            all_caught=$((all_caught + caught)) all_same=$((all_same + same))
            sed -n "/^$lab /s/\$/ $2/p" "$known-ptx" >>"$work/failed.txt"
            echo "$1, $lab: $caught wrong kernels failed as they must, $same have the PTX of one that did"
        else
            number=$(sed -n "s/.* Test *#\([0-9]*\): .*grade_wrong_$lab \..*/\1/p" "$LADDER_BUILD_DIR/wrong" | tail -n 1)
            grep "^$number: " "$LADDER_BUILD_DIR/wrong" >"$said/kernels"
            not_right "$1, $lab: NOT every wrong kernel fails as it must" "$said/kernels"
        fi
    done
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
    wrong=0 graded=0 without='' all_caught=0 all_same=0
    LADDER_BUILD_DIR=$work/$1
    began=$(date +%s)
    rm -rf "$LADDER_BUILD_DIR/graded"
    mkdir -p "$LADDER_BUILD_DIR/graded"
    for lab in $labs; do mkdir "$LADDER_BUILD_DIR/graded/$lab"; done
    build_all || {
        echo "CUDA $1: the kit does NOT build"
        tail -n 60 "$LADDER_BUILD_DIR/built"
        exit 1
    }
    # shellcheck disable=SC2086 # labs are words
    [ -z "$labs" ] || printf '%s\n' $labs | xargs -P "$jobs" -I '{}' sh "$here/labs.sh" "$kit" "$build" "$work" --lab '{}' "CUDA $1"
    for lab in $labs; do
        said=$LADDER_BUILD_DIR/graded/$lab
        cat "$said/says"
        cat "$said/differ" >>"$work/counts.txt"
        [ ! -f "$said/graded" ] || graded=$((graded + 1))
        [ ! -f "$said/left" ] || without="$without, $(cat "$said/left")"
    done
    [ -z "${LADDER_WRONG:-}" ] || [ -z "$labs" ] || wrong_kernels "CUDA $1" "$1"
    wrong=$(cat "$LADDER_BUILD_DIR"/graded/*/wrong 2>/dev/null | grep -c .)
    if [ -n "$without" ] && ! "$kit/ladder" doctor 2>&1 </dev/null | tr -s '\n ' '  ' | grep -q 'steps left out: '; then
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
        what="$what, check, wrong kernels" caught="; $all_caught wrong kernels failed as they must, $all_same have the PTX of one that did"
        checked=$(cat "$LADDER_BUILD_DIR"/graded/*/clean 2>/dev/null | grep -c .)
        same=$(cat "$LADDER_BUILD_DIR"/graded/*/same 2>/dev/null | grep -c .)
        caught="; $checked steps without findings, $same have the PTX of such$caught"
    elif [ -n "${LADDER_LABS+set}" ]; then
        exit "$wrong" # a part of it is no row
    fi
    # shellcheck disable=SC2086 # labs are words
    set -- "$1" $labs
    # shellcheck source=/dev/null
    echo "$(. /etc/os-release && echo "${NAME%% *} $VERSION_ID"), $(dpkg --print-architecture) | $1 | $what |" \
        "$graded of $(($# - 1)) labs: all points${without:+; left out:${without#,}}$caught | $(date +%F) | - | - | $(($(date +%s) - began)) |" \
        "$(awk 'NR == 2 { gsub("[ms]", " "); print int($1 * 60 + $2 + $3 * 60 + $4 + 0.5) }' "$LADDER_BUILD_DIR/times")" >>"$work/record.txt"
    exit "$wrong"
}

failed=0 tried=0
mkdir -p "$work"
[ -n "${LADDER_RAN_BEFORE:-}" ] || rm -f "$work/failed.txt" "$work/clean.txt" # of the same kit, run by run
touch "$work/failed.txt" "$work/clean.txt"
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
