#!/bin/sh
# budget_test.sh SCRIPT WORK: .ci/budget.sh on a small tree without git.
set -eu
script=$1 said=$2.said
rm -rf "$2"
mkdir -p "$2/common/lab/deep" "$2/autograder/tests/watch" "$2/labs/01_x/steps" "$2/build"
cd "$2"
says() { # status, sentence, arguments of budget.sh
    status=$1 sentence=$2 got=0
    shift 2
    sh "$script" . "$@" >"$said" 2>&1 || got=$?
    { [ "$got" = "$status" ] && { [ -z "$sentence" ] || grep -qF -e "$sentence" "$said"; }; } || {
        echo "budget.sh $*: status $got instead of $status, or does not say: $sentence"
        cat "$said"
        exit 1
    }
}
row() { grep -qx "$1" budget.txt || { echo "no row: $1"; cat budget.txt; exit 1; }; }
printf '# lists\nlab\nbeside: tests\n' >common/modules.txt
printf '1\n2\n' >common/lab/a.c
echo 1 >common/lab/deep/a.h
echo 1 >autograder/tests/watch/w.c
printf '1\n2\n3\n' >'labs/01_x/steps/a name.cu'
echo 1 >README.md
echo 1 >build/made.c
says 1 'common/lab: has no row in budget.txt'
says 0 '' --write # the first time: everything gets its row
row 'common/lab 2 3 1'
row 'autograder/tests/watch 1 1 0'
row 'labs/01_x 1 3 0'
row 'top 1 1 0'
row 'sum 6 11 1'
says 0 ''
echo 3 >>common/lab/a.c
echo 1 >common/lab/b.h
says 1 'common/lab: 3 files, 1 more than its row of budget.txt'
says 1 'common/lab: 5 lines, 2 more than its row of budget.txt'
says 1 'common/lab: 2 headers, 1 more than its row of budget.txt'
says 1 'sum: 13 lines, 2 more' --write # raises nothing
row 'common/lab 2 3 1'
says 0 '' --write --raise common/lab
row 'common/lab 3 5 2'
row 'sum 7 13 2'
says 1 'common/gone: there is no such module' --write --raise common/gone
rm common/lab/b.h
says 0 '' --write # lowers
row 'common/lab 2 4 1'
row 'sum 6 12 1'
mkdir labs/02_y
echo 1 >labs/02_y/a.c
says 1 'labs/02_y: has no row in budget.txt' --write
says 0 '' --write --raise labs/02_y
row 'labs/02_y 1 1 0'
