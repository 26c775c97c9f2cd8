#!/bin/sh
# A hostile submission on a grading machine, with and without namespaces: it reads all that it can and must find no solution,
# neither source nor binary. Where there are no namespaces the grader's first line says so. To show that it would find one, a
# solution is put there: then it does without namespaces, and does not with them. Arguments: see archive.sh. 77: this machine has
# no sandbox, which is one half of the test.
# shellcheck source=autograder/tests/export/archive.sh
# test: autograder/export_hostile @ladder@ @WORK@ @SOURCE@ @UNZIP@
# labels: grade
. "${0%/*}/archive.sh"
build=${ladder%/autograder/ladder}
top=$work/autograder

mkdir -p "$top/submission"
export_archive "$top/a.zip" reduction >/dev/null || fault "no archive"
unzip -qq "$top/a.zip" -d "$top/source" || fault "cannot be unpacked"
rm "$top/a.zip"
cp -R "$top/source/kit" "$top/kit"

# As setup.sh builds it: programs, the simulator, what calls this lab's steps.
mkdir -p "$top/kit/build/autograder" "$top/kit/build/common/simulator" "$top/kit/build/labs/02_reduction"
cp "$build/autograder/ladder" "$build/autograder/ladder-runner" "$build/autograder/ladder-sandbox" "$top/kit/build/autograder"
cp -P "$build"/common/simulator/libcudart.so* "$build/common/simulator/ladder-engine" "$top/kit/build/common/simulator"
cp "$build/labs/02_reduction/call.so" "$top/kit/build/labs/02_reduction"

# The longest line that the solution of step 3 has and students have nowhere; the function that its binary has.
solution=$kit/solutions/02_reduction/steps/3_sequential.cu
cat "$top"/kit/labs/02_reduction/*.md "$top"/kit/labs/02_reduction/steps/*.cu >"$work/known.txt"
line=$(sed 's/^ *//' "$solution" | while read -r one; do
    grep -qF -- "$one" "$work/known.txt" || printf '%s\n' "$one"
done | awk 'length > most { most = length; line = $0 } END { print line }')
[ -n "$line" ] || fault "the solution has no line of its own"
sh "$kit/autograder/tests/export/hostile_step.sh" "$top" "$line" reduction_step3 >"$top/submission/1_interleaved.cu"
printf ' ' >"$top/submission/0_one_block.cu" # else the kit's is graded

# What it said, by the file that students see.
run() {
    LADDER_KIT=$top/kit AUTOGRADER=$top "$top/source/run_autograder" >"$work/said.txt" 2>&1 ||
        fault "run_autograder: $(cat "$work/said.txt")"
    sed 's/\\n/\n/g' "$top/results/results.json" | grep -E '^(FOUND|LOOKED)' >"$work/found.txt"
}
plant() {
    mkdir -p "$top/kit/solutions"
    cp "$solution" "$top/kit/solutions"
    cp "$build/labs/02_reduction/solution/step_3.so" "$top/kit/solutions" || fault "no built solution of step 3"
}

have=yes
run
if head -n 1 "$work/said.txt" | grep -q 'WITHOUT A SANDBOX'; then
    have=no
elif grep -q 'FOUND\|many' "$work/found.txt" || ! grep -q 'LOOKED AT' "$work/found.txt"; then
    fault "with namespaces: $(cat "$work/found.txt")"
fi
plant
run
[ $have = no ] || ! grep -q 'FOUND' "$work/found.txt" || fault "with namespaces: $(cat "$work/found.txt")"

# Without namespaces: nothing starts a sandbox any more.
rm "$top/kit/build/autograder/ladder-sandbox"
run
head -n 1 "$work/said.txt" | grep -q 'WITHOUT A SANDBOX' || fault "first said: $(head -n 1 "$work/said.txt")"
for kind in source binary; do
    grep -q "FOUND $kind" "$work/found.txt" || fault "a planted $kind was not found: $(cat "$work/found.txt")"
done
rm -r "$top/kit/solutions"
run
grep -q 'LOOKED AT many files' "$work/found.txt" || fault "it read nothing: $(cat "$work/said.txt" "$work/found.txt")"
! grep 'FOUND' "$work/found.txt" || fault "found without namespaces"

# What fails leaves no old result.
rm -r "$top/submission"
! AUTOGRADER=$top "$top/source/run_autograder" >"$work/said.txt" 2>&1 || fault "graded nothing: $(cat "$work/said.txt")"
[ ! -e "$top/results/results.json" ] || fault "an old result"
rm -rf "$work"
[ $faults -eq 0 ] || exit 1
[ $have = yes ] || exit 77
