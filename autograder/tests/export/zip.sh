#!/bin/sh
# `ladder export gradescope`: the archive is whole, its two scripts are programs that a shell accepts, and the kit in it is
# the handout with all criteria. Arguments: see archive.sh.
# shellcheck source=autograder/tests/export/archive.sh
# test: autograder/export_zip @ladder@ @WORK@ @SOURCE@ @UNZIP@
# labels: grade
. "${0%/*}/archive.sh"
cd "$work" || exit 1

export_archive a.zip 2 || fault "no archive"
export_archive b.zip 2 && cmp a.zip b.zip || fault "another archive from the same files"
unzip -tqq a.zip || fault "unzip finds it damaged"
[ "$(unzip -Z1 a.zip | head -n 2 | tr '\n' ' ')" = 'setup.sh run_autograder ' ] || fault "not at the root: the scripts"
unzip -qq a.zip -d source || fault "cannot be unpacked"
for script in setup.sh run_autograder; do
    [ -x "source/$script" ] || fault "$script is no program"
    bash -n "source/$script" || fault "$script is no script"
    ! grep -q '@[A-Z]*@' "source/$script" || fault "$script has holes"
done
[ -x source/kit/ladder ] || fault "no kit"
unzip -Z1 a.zip | grep -E '^kit/(solutions|slides|autograder/tests|labs/[^/]*/tests)/' && fault "these are in it"
steps_of() { sed -n '/^  "steps": \[/,/^  \]/p' "$1"; }
for lab in "$kit"/labs/*/lab.json; do
    copy=source/kit/${lab#"$kit"/}
    steps_of "$lab" >steps.txt
    [ -s steps.txt ] || fault "no steps: $lab"
    steps_of "$copy" | cmp -s - steps.txt || fault "other criteria: $lab"
    ! grep -q '"answer"' "$copy" || fault "answers: $lab"
done
for solution in "$kit"/solutions/*/steps/*.cu; do
    student=source/kit/labs/${solution#"$kit"/solutions/}
    grep -q 'TODO(student)' "$solution" && ! grep -q 'TODO(student)' "$student" && fault "solved: $student"
done
! TMPDIR=$fast "$ladder" export gradescope 2 --output /dev/null/a.zip 2>said.txt || fault "wrote nowhere"
grep -q 'cannot be written' said.txt || fault "said: $(cat said.txt)"
rm -rf source a.zip b.zip steps.txt
exit $faults
