#!/bin/sh
# SPDX-License-Identifier: MIT
# `ladder export gradescope`: the archive is whole, its two scripts are programs that a shell accepts, and
# run_autograder grades a submission that lies where Gradescope puts it. Arguments: the program `ladder` in its
# build folder, a folder to work in.
set -u
ladder=$1 work=$2 faults=0

fault() {
    echo "fault: $*"
    faults=1
}
rm -rf "$work"
mkdir -p "$work/autograder/submission" "$work/autograder/kit"
cd "$work" || exit 1

"$ladder" export gradescope 2 --kit https://git.school.edu/kit.git --revision v1 --unsafe --output a.zip ||
    fault "no archive"
"$ladder" export gradescope 2 --kit https://git.school.edu/kit.git --revision v1 --unsafe --output b.zip &&
    cmp a.zip b.zip || fault "another archive from the same texts"
unzip -tqq a.zip || fault "unzip finds it damaged"
[ "$(unzip -Z1 a.zip | tr '\n' ' ')" = 'setup.sh run_autograder ' ] || fault "other files: $(unzip -Z1 a.zip)"
unzip -qq a.zip -d source || fault "cannot be unpacked"
for script in setup.sh run_autograder; do
    [ -x "source/$script" ] || fault "$script is no program"
    bash -n "source/$script" || fault "$script is no script"
    ! grep -q '@[A-Z]*@' "source/$script" || fault "$script has holes"
done
grep -q "git clone 'https://git.school.edu/kit.git' /autograder/kit" source/setup.sh || fault "no clone"

# The image as setup.sh leaves it, with this build for its own.
ln -s "${ladder%/autograder/ladder}" autograder/kit/build
touch autograder/submission/notes.txt
echo '{"score": 98}' >autograder/submission/results.json
AUTOGRADER=$work/autograder source/run_autograder >said.txt 2>&1 || fault "run_autograder: $(cat said.txt)"
grep -q '"score": 0,' autograder/results/results.json || fault "no score: $(cat said.txt)"
# What fails leaves no old result.
rm -r autograder/submission
! AUTOGRADER=$work/autograder source/run_autograder >said.txt 2>&1 || fault "graded nothing: $(cat said.txt)"
[ ! -e autograder/results/results.json ] || fault "an old result"

for word in "a b" "x';rm" '-u' ''; do
    ! "$ladder" export gradescope 2 --kit "$word" --output c.zip 2>/dev/null || fault "took --kit $word"
done
[ ! -e c.zip ] || fault "an archive of what was refused"
! "$ladder" export gradescope 2 --kit x --output /dev/null/a.zip 2>said.txt || fault "wrote nowhere"
grep -q 'cannot be written' said.txt || fault "said: $(cat said.txt)"
exit $faults
