#!/bin/sh
# Classes in the layouts of course systems, from the download to marks in the gradebook and in the tables for Canvas and
# Moodle: groups, who is missing, archives in archives, hand-in times. The submissions cost no compilation; all names are
# invented. usage: cli.sh LADDER WORK CMAKE
# test: autograder/people_cli @ladder@ @WORK@ @CMAKE@
# labels: grade
set -u
ladder=$1 work=$2 cmake=$3 faults=0
rm -rf "$work"
mkdir -p "$work/export" && cd "$work" || exit 1
export COLUMNS=80 # of what is printed

fault() {
    echo "fault: $*"
    faults=1
}
has() { # text, file
    grep -q -e "$1" "$2" || fault "no '$1' in $2: $(cat "$2")"
}
lacks() {
    grep -q -e "$1" "$2" && fault "'$1' in $2: $(cat "$2")"
}
try() { # expected exit status, arguments of ladder
    want=$1
    shift
    "$ladder" "$@" >said.txt 2>&1
    got=$?
    [ "$got" -eq "$want" ] || fault "ladder $*: status $got, not $want: $(cat said.txt)"
    grep -n ' $' said.txt && fault "blanks at the end of lines: ladder $*"
}
grade() { # expected exit status, what was handed in, options
    want=$1 what=$2
    shift 2
    try "$want" grade reduction --submissions "$what" --quick --device sim --unsafe "$@"
}
step() { # folder
    mkdir -p "$1"
    printf ' ' >"$1/1_interleaved.cu"
}

printf '%s\n' 'Student,ID,SIS User ID,SIS Login ID,Section,02_reduction (7)' '    Points Possible,,,,,100' \
    '"Lee, Ann",4711,300,ann,A,' '"Roe, Bo",4712,301,bo,A,' '"Dee, Cy",4713,302,cy,A,' '"Fox, Di",4714,303,di,A,' \
    '"Student, Test",4799,,77ab,A,12' >canvas.csv
printf '%s\n' 'Identifier,Full name,Email address,Group,Status,Grade,Maximum Grade,Last modified (submission),Feedback comments' \
    'Participant 17,Ann Lee,ann@x.edu,Team A,,,100.00,"Friday, 20 November 2026, 9:04 PM",' \
    'Participant 18,Bo Roe,bo@x.edu,Team A,,,100.00,"Friday, 20 November 2026, 9:04 PM",' \
    'Participant 19,Cy Dee,cy@x.edu,,,,100.00,-,' 'Participant 20,Di Fox,di@x.edu,,,,100.00,-,' >moodle.csv

# Gradescope: one submission of two, and one whose folder did not come along: not a 0, but on the list.
step export/submission_11
cat >export/submission_metadata.yml <<'TEXT'
---
submission_11:
  :submitters:
  - :name: Ann Lee
    :sid: '300'
    :email: ann@x.edu
  - :name: Bo Roe
    :email: bo@x.edu
  :created_at: 2026-11-19 10:00:00.000000000 Z
submission_12:
  :submitters:
  - :name: Cy Dee
    :email: cy@x.edu
  :created_at: 2026-11-19 10:00:00.000000000 Z
TEXT
"$cmake" -E tar cf export.zip --format=zip export
grade 1 export.zip --export canvas=c.csv --roster canvas.csv
has '2 submissions, 1 listed without a file' said.txt
has '^Dee, Cy  *none .*cannot be read' said.txt
has '^3 students, 3 matched, 0 to decide$' said.txt
has 'could not be graded, the roster.s mark stays: Dee, Cy' said.txt
has '"4711",.*"0.00"' c.csv
has '"4712",.*"0.00"' c.csv
has '"4713",.*,""' c.csv
lacks 'Test' c.csv # Canvas's test student keeps what Canvas has
has '"Ann Lee, Bo Roe","submission_11","bo@x.edu",.*,"Bo Roe"' results/handed_in.csv
has '"Ann Lee, Bo Roe","submission_11","300",.*,"Ann Lee"' results/handed_in.csv
has '"students": \[' results/submissions/submission_11/result.json
grade 1 export.zip --export moodle=m.csv --roster moodle.csv
has '^"Participant 17",.*"0.00"' m.csv
has '^"Participant 18",.*"0.00"' m.csv

# The same into a gradebook that both sheets have been read into: no ghosts. An override of one of the two, and one before
# anything was graded, reach every table.
try 0 gradebook roster course.db canvas.csv
has '^4 students, 4 matched, 0 to decide$' said.txt
try 0 gradebook roster course.db moodle.csv
has '^0 students added' said.txt
has '^4 students, 4 matched, 0 to decide$' said.txt
try 0 gradebook override course.db reduction di@x.edu 49 --reason oral
has '^Fox, Di (4714), 02_reduction: 49.00 of 98 points, was no mark$' said.txt
for format in canvas moodle; do
    try 0 gradebook export course.db reduction --export $format=before.csv --roster $format.csv
    has 'Di.*"50.00"' before.csv
    lacks 'Ann.*"0.00"' before.csv
done
grade 1 export.zip --gradebook course.db --export canvas=c.csv --roster canvas.csv
has 'gradebook course.db: 2 new attempts' said.txt
[ "$(grep -c '^3 students, 3 matched, 0 to decide$' said.txt)" -eq 1 ] || fault "counts: $(cat said.txt)"
has '"4714",.*"50.00"' c.csv # who handed in nothing
try 0 gradebook override course.db reduction 'Roe, Bo' 24.5 --reason 'dispute 12'
has '^Roe, Bo (4712), 02_reduction: 24.50 of 98 points, was 0.00 of 98 points$' said.txt
grade 1 export.zip --resume --gradebook course.db --export canvas=c.csv --roster canvas.csv
has '"4711",.*"0.00"' c.csv
has '"4712",.*"25.00"' c.csv
grep -q 'set by the instructor' results/submissions/submission_11/report.txt && fault 'one override on the page of two'
try 1 gradebook override course.db reduction 4711 300 --reason x
has 'with --bonus' said.txt
try 1 gradebook override course.db reduction 4711 -5 --reason x
has 'of 0 or more, not -5' said.txt
try 0 gradebook override course.db reduction 4711 147 --reason contest --bonus
try 0 gradebook export course.db reduction --export canvas=c.csv --roster canvas.csv
has '"4711",.*"150.00"' c.csv

# A name that nobody has is decided by a command, and known from then on.
step stranger/annie
grade 0 stranger --gradebook course.db
has 'no roster names the student: annie' said.txt
has '^1 student, 0 matched, 1 to decide$' said.txt
try 1 gradebook alias course.db 4711 annie
has 'ladder gradebook merge' said.txt
try 0 gradebook merge course.db annie 4711
has '^4 students, 4 matched, 0 to decide$' said.txt
grade 0 stranger --gradebook course.db
has '^1 student, 1 matched, 0 to decide$' said.txt
try 0 gradebook history course.db 4711
has 'merge of 4711' said.txt
has 'grade of annie' said.txt

# Groups that the download does not tell: those of a sheet, for Canvas's group name and a team's repository.
mkdir canvas_groups && printf ' ' >canvas_groups/teama_4711_80_1_interleaved.cu
printf '%s\n' 'name,canvas_user_id,user_id,login_id,sections,group_name' 'Ann Lee,4711,300,ann,A,Team A' \
    'Bo Roe,4712,301,bo,A,Team A' 'Cy Dee,4713,302,cy,A,Team C' >groups.csv
grade 0 canvas_groups --students groups.csv --export canvas=c.csv --roster canvas.csv
has '^groups.csv: 2 students, 2 matched, 0 to decide$' said.txt
has '"4711",.*"0.00"' c.csv
has '"4712",.*"0.00"' c.csv
has '"4713",.*,""' c.csv
if command -v git >/dev/null; then
    for team in team-a team-c; do
        step repositories/lab-2-$team/labs/02_reduction/steps
        git init -q repositories/lab-2-$team
        GIT_AUTHOR_DATE=2026-11-01T10:00Z GIT_COMMITTER_DATE=2026-11-22T10:00Z git -C repositories/lab-2-$team \
            -c user.name=x -c user.email=x@x.edu -c commit.gpgsign=false commit -q --allow-empty -m "committer x 9 +0000"
    done
    grade 0 repositories --students groups.csv --due 2026-11-20T23:59Z --late 10% --export moodle=m.csv --roster moodle.csv
    for participant in 17 18 19; do has "^\"Participant $participant\",.*\"0.00\"" m.csv; done
    has '"Team A: Ann Lee, Bo Roe","lab-2-team-a","4711","2026-11-22T10:00:00Z",,2,.*"Ann Lee"' results/handed_in.csv
    lacks 'no time known' said.txt
fi

# Moodle: each member's copy; times from the worksheet. Without it the command says what it does not know.
for name in 'Team A-Ann Lee_17' 'Team A-Bo Roe_18' 'Team C-Cy Dee_19'; do step "moodle/${name}_assignsubmission_file"; done
printf '  ' >'moodle/Team C-Cy Dee_19_assignsubmission_file/1_interleaved.cu'
grade 0 moodle --due 2026-11-20T12:00 --late 10%
has 'no time known for 2 of 2 submissions' said.txt
grade 0 moodle --due 2026-11-20T12:00 --late 10% --students moodle.csv --export moodle=m.csv --roster moodle.csv
has '1 group of several students' said.txt
has 'no time known for 1 of 2 submissions' said.txt
has '^3 students, 3 matched, 0 to decide$' said.txt
has '"Team A: Ann Lee, Bo Roe",.*,1,' results/handed_in.csv
for participant in 17 18 19; do has "^\"Participant $participant\",.*\"0.00\"" m.csv; done

# An archive in an archive is opened; where there is no code in it, nobody gets a 0 for it.
mkdir nested pack
step pack/steps
(cd pack && "$cmake" -E tar cf ../inner.zip --format=zip steps && mv ../inner.zip . && "$cmake" -E tar cf ../nested/ann.zip --format=zip inner.zip)
printf 'x' >pack/report.pdf
(cd pack && "$cmake" -E tar cf ../nested/bo.zip --format=zip report.pdf)
grade 1 nested --export canvas=c.csv --roster canvas.csv
has '^Lee, Ann  *0.0 ' said.txt
has '^Roe, Bo  *none ' said.txt
has '"4711",.*"0.00"' c.csv
has '"4712",.*,""' c.csv
has 'no step file of this lab' results/submissions/bo.zip/report.txt
has 'taken from an archive in the archive: inner.zip' results/submissions/ann.zip/report.txt

# Everything is in the sheet's order, also where its names are others than those of the files; who is in no sheet comes last.
for name in zoe_1_11 ann_2_12 moe_3_13 eve_4_14; do
    mkdir -p order
    printf ' ' >"order/${name}_1_interleaved.cu"
done
printf 'ID,Name,Login\n2,Zed Ash,ann\n1,Al Zorn,zoe\n3,Kim Moe,moe\n' >order.csv
in_order() { # file: the first words of its lines that have a name
    got=$(grep -o 'Zed Ash\|Al Zorn\|Kim Moe\|\beve\b' "$1" | uniq | tr '\n' ' ')
    [ "$got" = 'Zed Ash Al Zorn Kim Moe eve ' ] || fault "the order of $1: $got"
}
for sheet in --students --roster; do
    grade $([ $sheet = --students ]; echo $?) order $sheet order.csv --output ordered --export canvas=c.csv
    for file in ordered/summary.csv ordered/handed_in.csv; do in_order $file; done
    [ $sheet = --roster ] || in_order c.csv
    sed -n '/^submission /,$p' said.txt >table.txt
    in_order table.txt
done

# A sheet in another encoding would rename a student.
printf 'ID,Name,Login\n4711,Jos\351 Ruiz,ann\n' >latin.csv
try 1 gradebook roster course.db latin.csv
has 'latin.csv: line 2: a letter that is not UTF-8' said.txt
try 1 gradebook roster other.db latin.csv
exit $faults
