#!/bin/sh
# What `ladder new-lab` writes, in a folder of its own: steps that rubric, page and hints agree on, a skeleton without the
# solution, sources that compile without a warning, edits that apply, a deck and a walkthrough whose marks are filled in.
# (new_lab_full.session builds and grades it.)
#   new_lab.sh LADDER LADDER-LAB APPLY_EDIT LADDER-DOCS CC NVCC INCLUDES KIT WORK      INCLUDES: folders, with semicolons
# test: autograder/new_lab @ladder@ @BUILD@/ladder-lab @ladder_apply_edit@ @ladder-docs@ @CC@ @NVCC@ "$<TARGET_PROPERTY:ladder_grader,INCLUDE_DIRECTORIES>" @SOURCE@ @WORK@
# where: LADDER_HAVE_JANSSON
set -eu
ladder=$1 describe=$2 apply_edit=$3 docs=$4 cc=$5 nvcc=$6 includes=$7 kit=$8 work=$9
rm -rf "$work"
mkdir -p "$work"
cd "$work"
lab=labs/42_stencil solution=solutions/42_stencil
fail() {
    echo "$*"
    cat said
    exit 1
}
# run STATUS EXPECTED COMMAND..: what it says has a line with EXPECTED, an extended expression.
run() {
    status=$1 expected=$2 code=0
    shift 2
    "$@" >said 2>&1 </dev/null || code=$?
    { tr -s ' \n' ' ' <said && echo; } >line
    [ $code -eq "$status" ] && grep -qE "$expected" line || fail "$*: $code, expected $status and \"$expected\""
}
# Deck, walkthrough and questions of the lab FOLDER below ROOT.
look_at_pages() { # ROOT FOLDER
    run 0 '3 questions, 2 to be checked live, a draft' "$docs" check shape "$1/slides/$2.md"
    run 0 '' "$docs" check numbers "$1/slides/$2.md" "$1/solutions/$2/walkthrough.md"
    for page in "$1/slides/$2.md" "$1/solutions/$2/walkthrough.md"; do
        run 0 '' "$docs" numbers "$1" "$kit/slides/facts.txt" "$page"
        ! grep -q '{{\|nan' said || fail "$page: a mark is left"
    done
}
# What ladder-lab makes of the lab FOLDER below ROOT, in described; page, steps and numbers to watch agree with it.
look_at_description() { # ROOT FOLDER STEPS
    mkdir -p described
    run 0 '' "$describe" "$1/labs/$2" described
    run 0 '' sh "$kit/common/tests/labs/steps.sh" "$1/labs/$2" "$1/solutions/$2" described/description.cmake
    run 0 "0 differ, of $3 steps" "$docs" watch "$1/labs/$2"
}

run 0 'Lab 42_stencil: 16 files.*labs/42_stencil/steps/1_neighbours.cu.*./ladder run stencil --solution' \
    "$ladder" new-lab 42_stencil --into "$work"
run 1 already "$ladder" new-lab 42_stencil --into "$work"
look_at_pages . 42_stencil
look_at_description . 42_stencil 2
# What has not changed keeps its time; a mistake is told and leaves what is there.
cp -p described/rubric.c made.c
cp $lab/lab.json lab.json
sed 's/"points": 4/"pionts": 4/' lab.json >$lab/lab.json
sleep 1.1
run 1 '^labs/42_stencil/lab.json:[0-9]+:[0-9]+: step 0, criterion 1: unknown field .pionts.: did you mean .points.' \
    "$describe" labs/42_stencil described
cp lab.json $lab/lab.json
run 0 '' "$describe" "$lab/" described
[ -z "$(find described -name rubric.c -newer made.c)" ] || fail "rubric.c was written again"
! find labs solutions autograder slides -name '*@*' -o -name '*.in' | grep . || fail "a template's word is left"
! grep -rE '@[A-Z_]+@' labs solutions autograder slides || fail "a template's word is left"
step=$lab/steps/1_neighbours.cu
grep -q 'TODO.student.' $step && grep -q '#define IMPLEMENTED 0' $step && ! grep 'SOLUTION\|y.i. = ' $step || fail "the skeleton is none"

flags=$(printf '%s\n' "$lab" described "$includes" | tr ';' '\n' | sed 's/^/-I/')
for file in $lab/problem.c $lab/reference.c $lab/call.c described/rubric.c described/questions.c; do
    # shellcheck disable=SC2086 # no folder of the kit has a blank
    run 0 '' "$cc" -std=c11 -Wall -Wextra -Werror $flags -c $file -o object.o
done
for file in $lab/steps/0_runs.cu $lab/steps/1_neighbours.cu $solution/steps/1_neighbours.cu; do
    run 0 '' "$nvcc" -Werror all-warnings "-I$lab" -c "$file" -o object.o
done
# Of a solution that computes something else each place is told that still speaks of the template's.
run 0 '' sh "$kit/common/tests/labs/template.sh" "$work" 42_stencil
cp -r $solution/steps unchanged
for file in unchanged/*.cu; do sed 's/3\.0f \* x\[i\]/x[i] + 1.0f/' "$file" >"$solution/steps/${file#*/}"; done
for place in labs/42_stencil/tests/problem_test.c:[0-9]+ labs/42_stencil/README.md:3 labs/42_stencil/hints.md:3 \
    solutions/42_stencil/walkthrough.md:3 slides/42_stencil.md:6 autograder/tests/wrong/42_stencil.edits:1 \
    autograder/tests/lazy/42_stencil.edits:1; do
    run 1 "$place: " sh "$kit/common/tests/labs/template.sh" "$work" 42_stencil
done
cp unchanged/*.cu $solution/steps
# More steps: listed everywhere, each with a name and a function of its own.
run 0 '' "$ladder" new-lab 43_wide --steps 4 --into "$work/more"
look_at_description more 43_wide 4
look_at_pages more 43_wide
step=more/solutions/43_wide/steps/3_step3.cu
grep -q 'wide_step3.const float' $step && ! grep 'neighbours\|_step1\|step 1:\|TODO: step3' $step || fail "the fourth step is none"
run 2 'from 2 to 12' "$ladder" new-lab 44_one --steps 1 --into "$work/more"
for edit in wrong/1_no_op wrong/1_off_by_one lazy/1_lanes_apart; do
    run 0 '' "$apply_edit" "autograder/tests/${edit%/*}/42_stencil.edits" "${edit#*/}" $solution/steps/1_neighbours.cu edited.cu
done
