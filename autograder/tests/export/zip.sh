#!/bin/sh
# SPDX-License-Identifier: MIT
# `ladder export gradescope`: the archive is whole, its two scripts are programs that a shell accepts, and the kit in it is
# the handout with the whole rubric. Arguments: the program `ladder` in its build folder, a folder to work in, the kit.
set -u
ladder=$1 work=$2 kit=$3 faults=0

fast=/tmp # of the files on their way into the archive
[ ! -w /dev/shm ] || fast=/dev/shm

fault() {
    echo "fault: $*"
    faults=1
}
rm -rf "$work"
mkdir -p "$work"
cd "$work" || exit 1

TMPDIR=$fast "$ladder" export gradescope 2 --unsafe --output a.zip || fault "no archive"
TMPDIR=$fast "$ladder" export gradescope 2 --unsafe --output b.zip && cmp a.zip b.zip || fault "another archive from the same files"
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
for rubric in "$kit"/labs/*/rubric.json; do
    cmp -s "$rubric" "source/kit/${rubric#"$kit"/}" || fault "another rubric: $rubric"
done
for solution in "$kit"/solutions/*/steps/*.cu; do
    student=source/kit/labs/${solution#"$kit"/solutions/}
    grep -q 'TODO(student)' "$solution" && ! grep -q 'TODO(student)' "$student" && fault "solved: $student"
done
! TMPDIR=$fast "$ladder" export gradescope 2 --output /dev/null/a.zip 2>said.txt || fault "wrote nowhere"
grep -q 'cannot be written' said.txt || fault "said: $(cat said.txt)"
rm -rf source a.zip b.zip
exit $faults
