#!/bin/sh
# A kit that somebody else built, in which nothing can be written: it grades as it is, or says what is not built and who
# builds it; results that cannot be written are refused with the reason. Runs as an ordinary user (isolation/as_user.sh).
# Arguments: the program `ladder` in its build folder, the kit.
set -u
ladder=$1 kit=$2 faults=0
build=${ladder%/autograder/ladder}
work=$(mktemp -d) || exit 1
cd "$work" || exit 1

said() { # FILE: what stands there, on one line
    tr -s ' \n' '  ' <"$1"
}
fault() {
    echo "fault: $*"
    faults=1
}
other=$work/kit
mkdir -p "$other/build/autograder" "$other/build/common" "$other/build/labs" "$other/common" sub
cp "$build/autograder/ladder" "$build/autograder/ladder-runner" "$build/autograder/ladder-sandbox" "$other/build/autograder"
ln -s "$build/common/simulator" "$other/build/common/simulator"
ln -s "$build/labs/02_reduction" "$other/build/labs/02_reduction"
cp "$build/CMakeCache.txt" "$kit/ladder" "$other/build"
cp "$kit/ladder" "$other"
cp -r "$kit/common/launcher" "$other/common"
chmod -R a-w "$other"
cp "$kit/labs/02_reduction/steps/0_one_block.cu" sub

# Without a write: by the launcher, which builds nothing here. Results lie beside the caller's files.
"$other/ladder" grade reduction sub --quick --device sim --unsafe >said.txt 2>err.txt || fault "does not grade: $(cat err.txt)"
grep -q 'one_block  *correct' said.txt || fault "said: $(cat said.txt)"
[ -s results/submissions/sub/report.txt ] || fault "no results here"

# What is not built is named, with who builds it.
! "$other/ladder" grade transpose sub --unsafe >said.txt 2>err.txt || fault "graded what is not built"
said err.txt | grep -q 'labs/01_transpose/call.so is not built.*\./ladder grade transpose' || fault "said: $(cat err.txt)"
chmod u+w "$other/build/autograder" && rm "$other/build/autograder/ladder" && chmod a-w "$other/build/autograder"
! "$other/ladder" list 2>err.txt || fault "listed with nothing built"
grep -q 'is not built, and .* cannot be written' err.txt || fault "said: $(cat err.txt)"

# Results that cannot be written.
mkdir locked
chmod a-w locked
for folder in locked locked/results /dev/null/results; do
    ! "$ladder" grade reduction sub --quick --unsafe --output "$folder" >said.txt 2>err.txt || fault "wrote into $folder"
    said err.txt | grep -Eq "$folder.*(Permission denied|Not a directory|Read-only).*--output DIR" || fault "$folder: $(cat err.txt)"
done
chmod -R u+w "$work"
cd / && rm -rf "$work"
exit $faults
