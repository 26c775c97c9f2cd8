#!/bin/sh
# `ladder grade --export` from end to end, with submissions that cost nothing: files of one submission, a class
# with a roster, a run that goes on, and what is refused. Arguments: the program `ladder`, a folder to work in.
# test: autograder/export_cli @ladder@ @WORK@
# labels: grade
set -u
ladder=$1 work=$2 faults=0

fault() {
    echo "fault: $*"
    faults=1
}
has() { grep -q -e "$1" "$2" || fault "no '$1' in $2: $(cat "$2")"; }
grade() { # expected exit status, arguments
    want=$1
    shift
    "$ladder" grade reduction --quick --device sim --unsafe "$@" >said.txt 2>&1
    got=$?
    [ "$got" -eq "$want" ] || fault "grade $*: status $got, not $want: $(cat said.txt)"
}

rm -rf "$work"
mkdir -p "$work/inbox/ann@x.edu" "$work/inbox/bo" "$work/one" "$work/none"
cd "$work" || exit 1
touch none/notes.txt
printf ' ' | tee one/1_interleaved.cu inbox/ann@x.edu/1_interleaved.cu >inbox/bo/1_interleaved.cu
printf '%s\n' 'Student,ID,SIS User ID,SIS Login ID,Section,02_reduction (7)' '    Points Possible,,,,,50' \
    '"Lee, Ann",1,,ann@x.edu,A,40' '"Dee, Cy",2,,cy@x.edu,A,41' >roster.csv

grade 0 one --output out --export gradescope=gs.json --export junit=ju.xml --export autolab=-
has '"score": 0,' gs.json
has '"name": "step 3 sequential: right in every case"' gs.json
has '<failure message="0.00 of 6.00 points, not submitted"' ju.xml
has 'scoreboard": \[0,0\]}$' said.txt
has '^gradescope: gs.json$' said.txt
# What has no step file is not graded, and no system is told a 0.
grade 1 none --output out2 --json none.json --export gradescope=none_gs.json --export prairielearn=none_pl.json --export autolab=none.txt
has 'not graded: none: no step file of this lab .* not taken: notes.txt (not a .cu file)' said.txt
has '"gradable": false' none_pl.json
has 'not taken: notes.txt (not a .cu file). This is no 0 and no attempt' none_pl.json
has '"score": null' none.json
has '"points": null' none.json
if grep -q '"points": 0[,}]*$' none.json; then fault "a 0 in none.json"; fi
[ ! -e none_gs.json ] && [ ! -e none.txt ] || fault "a mark of what was not graded"
if command -v xmllint >/dev/null; then xmllint --noout ju.xml || fault "xmllint refuses the XML"; fi

# "bo" is in no row: the other mark is entered, and the command says so and fails.
grade 1 --submissions inbox --output class --export canvas --export junit --roster roster.csv
has '"1","","ann@x.edu","A","0.00"' class/canvas.csv
has '"2","","cy@x.edu","A","41"' class/canvas.csv
has 'no student in the roster for the submission: bo' said.txt
has 'no mark for the student: Dee, Cy' said.txt
[ -f class/submissions/bo/junit.xml ] || fault "no file for bo"

# Going on: a file that is missing is made again; what is not asked for again does not outlive its grade.
rm class/submissions/bo/junit.xml
grade 0 --submissions inbox --output class --resume --export junit
[ -f class/submissions/bo/junit.xml ] || fault "no file for bo after --resume"
grade 0 --submissions inbox --output class
[ ! -f class/submissions/bo/junit.xml ] || fault "an old export beside a new grade"

grade 2 one --export canvas
has 'needs --submissions' said.txt
grade 2 --submissions inbox --export junit=x.xml
grade 2 one --export excel
has 'json, gradescope, prairielearn' said.txt
grade 2 one --roster roster.csv --export junit
grade 1 one --output out --export junit=/dev/null/x.xml
has '/dev/null/x.xml cannot be written' said.txt
grade 1 nothing-there
has 'No such file' said.txt
[ -z "$(find . -name '*.part')" ] || fault "half files: $(find . -name '*.part')"
exit $faults
