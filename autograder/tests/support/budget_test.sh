#!/bin/sh
# budget_test.sh WORK: budget.sh on work that is made up, below its bars and above them.
# test: autograder/budget @WORK@
set -eu
here=$(CDPATH='' cd -- "$(dirname "$0")" && pwd -P)
rm -rf "$1"
mkdir -p "$1/work" "$1/none"
cd "$1"
simulated() { # test, millions of warp instructions: launches and warp instructions, 64 bits each, the lowest byte first
    rest=$(($2 * 1000000)) bytes=
    for byte in 1 2 3 4 5 6 7 8; do
        bytes="$bytes\\$(printf %03o $((rest % 256)))"
        rest=$((rest / 256))
    done
    printf "\\001\\0\\0\\0\\0\\0\\0\\0$bytes" >"work/$1.simulated"
}
says() { # status, lines of the answer; FOLDER and BARS before
    status=$1
    shift
    got=0
    sh "$here/budget.sh" "$folder" bars 02_reduction 07_gemm >said 2>&1 || got=$?
    [ "$got" = "$status" ] || { echo "status $got instead of $status:"; cat said; exit 1; }
    for line; do
        grep -q "$line" said || { echo "does not say: $line"; cat said; exit 1; }
    done
}
printf ccc >work/autograder+grade_wrong_07_gemm.compiled
printf c >work/autograder+matrix_07_gemm.compiled
simulated lab+gemm_solution 20
simulated autograder+grade_wrong_07_gemm 6000
simulated lab+reduction_solution 7
simulated lab+reductions_of_another_name 500
folder=work
printf '# lab compiled simulated\n07_gemm 4 6020\nother 0 7\n' >bars
says 0 '02_reduction  *0 of 0  *7.0 of 7$' '07_gemm  *4 of 4  *6020.0 of 6020$'
if grep -q 'tests do more' said; then exit 1; fi
printf '07_gemm 3 6019\nother 0 7\n' >bars
says 1 '^07_gemm: its tests do more than 3 compiled files, most of it (3.0) in autograder/grade_wrong_07_gemm\.' \
    '^07_gemm: its tests do more than 6019 million warp instructions, most of it (6000.0) in autograder/grade_wrong_07_gemm\.'
printf '07_gemm 4 6020\nother 0 6\n' >bars
says 1 '^02_reduction: its tests do more than 6 million warp instructions, most of it (7.0) in lab/reduction_solution\.'
folder=none
says 1 'no test has told its work'
