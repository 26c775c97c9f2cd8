#!/bin/sh
# cli.sh LADDER WORK: a course from roster to export on the command line, with submissions that cost no compilation.
# test: autograder/gradebook_cli @ladder@ @WORK@
# labels: grade
# where: LADDER_HAVE_SQLITE
set -u
ladder=$1 work=$2 faults=0
rm -rf "$work"
mkdir -p "$work/in/Ann Lee" "$work/in/cy@x.edu"
cd "$work" || exit 1
printf ' ' >'in/Ann Lee/1_interleaved.cu'
printf ' ' >in/cy@x.edu/1_interleaved.cu
printf '%s\n' 'Student,ID,SIS User ID,SIS Login ID,Section,02_reduction (7)' '    Points Possible,,,,,98' \
    '"Lee, Ann",1,,ann@x.edu,A,40' '"Dee, Cy",2,,cy@x.edu,A,41' >roster.csv
try() { # expected exit status, what must be said, arguments of ladder
    want=$1 text=$2
    shift 2
    "$ladder" "$@" >said.txt 2>&1
    got=$?
    [ "$got" -eq "$want" ] && grep -q -e "$text" said.txt && return 0
    echo "fault: ladder $*: status $got, not $want, or no '$text': $(cat said.txt)"
    faults=1
}
class() { # expected exit status, what must be said, command, options
    want=$1 text=$2 command=$3
    shift 3
    try "$want" "$text" "$command" reduction --submissions in --quick --device sim --unsafe --gradebook course.db "$@"
}

try 1 'No such file' gradebook show course.db
try 0 '2 students added' gradebook roster course.db roster.csv
class 0 '2 new attempts, 0 already there' grade --due 2026-11-20T23:59Z --late 10% --counts last --who prof
try 0 'last attempt counts; due 2026-11-20 23:59 UTC, 10 %' gradebook show course.db reduction
try 0 'lab 02' gradebook show course.db
try 1 'needs its reason' gradebook override course.db reduction ann@x.edu 45
try 1 "no student 'nobody'" gradebook override course.db reduction nobody 45 --reason x
try 2 'expected a number of points' gradebook override course.db reduction 1 many --reason x
try 2 "'1,000' is 1000 or 1" gradebook override course.db reduction 1 1,000 --reason x
try 2 'is a percentage' gradebook override course.db reduction 1 50% --reason x
try 0 'entered' gradebook override course.db reduction 'Ann Lee' 45.5 --reason 'dispute 12' --who prof
# The page and the tables of the next run know the override; nothing else is graded again.
class 0 'gradebook course.db: 0 new attempts, 2 already there' grade --resume
grep -q 'kept [12] of 2' said.txt || { echo "fault: all was graded again: $(cat said.txt)"; faults=1; }
grep -q 'set by the instructor: 45.50; final: 45.50 of 98.00 points' results/submissions/Ann*/report.txt ||
    { echo 'fault: no override on the page'; faults=1; }
# A due date of one student: with a reason, on the page, in tables, and taken back.
try 1 'a due date needs its reason' gradebook due course.db reduction 2 2026-11-27T23:59Z
try 2 'expected a time such as' gradebook due course.db reduction 2 tomorrow --reason ill
try 0 'due 2026-11-27 23:59 UTC for this student' gradebook due course.db reduction cy@x.edu 2026-11-27T23:59Z --reason ill
class 0 'gradebook course.db: 0 new attempts, 2 already there' grade --resume
grep -q 'due for this student: 2026-11-27 23:59 UTC' results/submissions/cy*/report.txt ||
    { echo 'fault: no due date on the page'; faults=1; }
grep -q '^"Dee, Cy",.*,2026-11-27T23:59:00Z' results/handed_in.csv || { echo 'fault: no due date in the list'; faults=1; }
try 0 'due date of Dee, Cy, 2026-11-27 23:59 UTC, by' gradebook show course.db reduction
try 0 '"own_due": "2026-11-27T23:59:00Z"' gradebook show course.db reduction --json -
try 0 'the due date of the class counts again' gradebook due course.db reduction 2 --withdraw --reason well
try 0 'canvas: ./canvas.csv' gradebook export course.db reduction --export canvas --roster roster.csv
grep -q '^"Lee, Ann","1","","ann@x.edu","A","45.50"' canvas.csv || { echo "fault: $(cat canvas.csv)"; faults=1; }
try 0 '"override": 45.5' gradebook show course.db reduction --json -
try 0 'on small cases (--quick), as the gradebook has it' regrade reduction --submissions in --device sim --unsafe \
    --gradebook course.db --output again
grep -q '0 of 2 marks change' said.txt || { echo "fault: $(cat said.txt)"; faults=1; }
class 0 'entered into course.db' regrade --apply
class 2 'no policy and no export' regrade --counts best
try 2 'needs --submissions' grade reduction --gradebook course.db
try 0 'best of 2 attempts; due' gradebook policy course.db reduction --counts best --attempts 2
try 0 'taken back' gradebook override course.db reduction 1 --withdraw --reason 'a mistake'
try 0 'prof: override of 1, 02_reduction' gradebook history course.db 1
try 0 'copy.db: a copy of course.db' gradebook backup course.db copy.db
try 1 'exists already' gradebook backup course.db copy.db

# What a person marks: a criterion, points, comments on lines, a sheet to edit; on pages and in exports, and in no total
# before it is marked.
has() { # text, file, what is missing
    grep -q -e "$1" $2 || { echo "fault: no $3: $(cat $2)"; faults=1; }
}
try 1 'no criterion that a person marks' gradebook mark course.db reduction 1 quality 8
try 1 'no name of a criterion' gradebook criterion course.db reduction 'Good code' 10
try 0 'quality, 10 points, marked by a person' gradebook criterion course.db reduction quality 10 --text 'names, <structure>'
try 0 'answer, 5 points' gradebook criterion course.db reduction answer 5 --text 'why is step 2 faster?'
try 0 'quality, 10 points: 0 of 2 who handed in' gradebook show course.db reduction
class 0 '2 already there' grade --resume
has '15 of the points are not marked yet' 'results/submissions/Ann*/report.txt' 'note of what is not marked'
has '(0 of 113 points)' 'results/submissions/Ann*/report.txt' 'the one maximum of a lab'
try 1 "there are: quality" gradebook mark course.db reduction 1 qualty 8
try 1 'expected 0 to 10 points, not 11' gradebook mark course.db reduction 1 quality 11
try 0 '8.00 of 113 points, was 0.00 of 113 points' gradebook mark course.db reduction 'Ann Lee' quality 8 --text '=good & <b>short</b>'
try 0 'it is so already' gradebook mark course.db reduction 1 quality 8 --text '=good & <b>short</b>'
try 1 "'9_none.cu' is no line" gradebook mark course.db reduction 1 --line 9_none.cu:3 --text why
try 2 'points are given without --line' gradebook mark course.db reduction 1 quality 8 --line 1_interleaved.cu:1 --text why
try 0 'entered' gradebook mark course.db reduction 1 --line 1_interleaved.cu:1 --text 'where is the kernel?'
try 1 '1 student has more points' gradebook criterion course.db reduction quality 7
class 0 'kept 2 of 2' grade --resume
has 'quality: 8 of 10 points. =good' 'results/submissions/Ann*/report.txt' 'mark on the page'
has '1_interleaved.cu:1: where is the kernel' 'results/submissions/Ann*/report.txt' 'comment on a line'
has 'names, &lt;structure&gt;<br>=good &amp; &lt;b&gt;short' 'results/submissions/Ann*/report.html' 'escaped comment'
has '"line_comments": \[' 'results/submissions/Ann*/result.json' 'comment as JSON'
has '^"Lee, Ann",.*,8.0000,5.0000,' results/summary.csv 'columns of what was given'
class 0 '0 of 2 marks change' regrade
try 0 '"criterion": "quality"' gradebook show course.db reduction --json -
try 0 'not marked yet' gradebook show course.db reduction --csv -
try 0 'student 2' gradebook marks course.db reduction
cp said.txt marks.txt
has '^quality 8 =good' marks.txt 'mark in the sheet'
has '^answer -$' marks.txt 'open mark in the sheet'
try 0 '0 entries are new' gradebook marks course.db reduction marks.txt
printf 'student 2\nquality 9 ok\n3_sequential.cu:31 a barrier\nanswer lots\n' >bad.txt
try 1 'bad.txt:4: answer: expected points or -, not' gradebook marks course.db reduction bad.txt
printf 'student 2\nquality 8/10 ok\n' >bad.txt
try 1 "bad.txt:2: quality: expected points or -, not '8/10'" gradebook marks course.db reduction bad.txt
printf '\nquality 3\n' >bad.txt
try 1 'bad.txt:2: expected first: student' gradebook marks course.db reduction bad.txt
printf '\nstudent zoe\nquality 3\n' >bad.txt
try 1 "bad.txt:2: no student 'zoe'" gradebook marks course.db reduction bad.txt
printf 'student 2\nquality 9 ok\n3_sequential.cu:31 a barrier\n\nstudent 1\nanswer 2.5\n' >marks.txt
try 0 '3 entries are new' gradebook marks course.db reduction marks.txt
class 0 'gradescope' grade --resume --export gradescope --export autolab --export junit --export prairielearn
has '"name": "quality"' 'results/submissions/Ann*/gradescope.json' 'mark for Gradescope'
has '"answer": 2.5,.*"quality": 8\|"quality": 8.*"answer": 2.5' 'results/submissions/Ann*/autolab.txt' 'mark for Autolab'
has 'value="answer: not marked yet (5 points)"' 'results/submissions/cy*/junit.xml' 'mark for JUnit'
grep -q '"answer":' results/submissions/cy*/autolab.txt && tail -1 results/submissions/cy*/autolab.txt | grep -q '"answer":' &&
    { echo 'fault: an open mark is a score'; faults=1; }
try 0 'canvas: ./canvas.csv' gradebook export course.db reduction --export canvas --roster roster.csv
has '^"Lee, Ann","1","","ann@x.edu","A","9.11"' canvas.csv 'scaled mark' # 10.5 of 113, of 98
try 0 'moodle' gradebook export course.db reduction --export moodle
has 'given by a person: 10.5 of 15' moodle.csv 'given points as feedback'
try 0 'was 9.00 of' gradebook mark course.db reduction 2 quality --withdraw
try 0 'graded with --quick$' gradebook policy course.db reduction --due 2026-11-20T23:59Z --late '10%, grace 15'
# An override of the lab's points as they were, and as they are.
try 0 '50.00 of 113 points' gradebook override course.db reduction 2 50 --reason oral
try 0 'answer is not marked any more' gradebook criterion course.db reduction answer --withdraw
try 0 'oral; the lab had 113 points then and has 108$' gradebook show course.db reduction
try 0 'mark of 1, 02_reduction' gradebook history course.db 1
# Who leaves is in no table and export, and can come back; who is erased is in no byte of the file.
try 1 'a drop needs its reason' gradebook drop course.db 'Ann Lee'
try 1 'is in the course: first ladder gradebook drop' gradebook erase course.db 1 --reason 'asked for it'
try 0 '  dropped: Lee, Ann (1)' gradebook drop course.db 'Ann Lee' --reason 'left on Monday'
grep -q '^1 student, 1 matched, 0 to decide' said.txt || { echo "fault: counts $(cat said.txt)"; faults=1; }
try 1 'is dropped already' gradebook drop course.db 1 --reason again
try 1 'Lee, Ann (1) is dropped: ladder gradebook drop' gradebook override course.db reduction 1 40 --reason x
try 0 '^1 student$' gradebook show course.db
grep -q Ann said.txt && { echo 'fault: the table has who was dropped'; faults=1; }
try 0 'canvas: ./canvas.csv' gradebook export course.db reduction --export canvas --roster roster.csv
grep -q 'not entered' said.txt && { echo "fault: who was dropped is to be entered: $(cat said.txt)"; faults=1; }
try 0 '0 students added' gradebook roster course.db roster.csv
class 0 '  dropped, and handed in: Lee, Ann (1)' grade --resume
try 0 'in the course again' gradebook drop course.db 1 --withdraw --reason 'came back'
try 0 '^2 students$' gradebook show course.db
try 0 'taken back: came back' gradebook history course.db 1
try 0 'no table and no export' gradebook drop course.db ann@x.edu --reason 'left again'
try 1 'an erasure needs its reason' gradebook erase course.db 1
grep -qi 'ann@x' course.db || { echo 'fault: the file has no login to erase'; faults=1; }
try 0 'erased: a student, 1 attempt, ' gradebook erase course.db 1 --reason 'request 7' --who prof
grep -qi 'ann' course.db && { echo "fault: the file still has $(strings course.db | grep -i ann)"; faults=1; }
try 0 'prof: erase' gradebook history course.db
grep -qi 'ann\|dispute 12' said.txt && { echo "fault: history: $(cat said.txt)"; faults=1; }
try 1 "no student '1'" gradebook history course.db 1
# An exam's window stays in the book, until it is taken back.
printf 'ID,Name,Login,Submitted\n2,Cy Dee,cy@x.edu,2026-12-01T12:01Z\n' >times.csv
late='Dee, Cy: handed in at 2026-12-01 12:01 UTC, outside of the window from 2026-12-01 10:00 UTC to 2026-12-01 12:00 UTC'
class 1 "$late" grade --resume --students times.csv --window 2026-12-01T10:00Z 2026-12-01T12:00Z
class 1 "$late" grade --resume --students times.csv
try 0 'window from 2026-12-01 10:00 UTC to 2026-12-01 12:00 UTC; graded' gradebook show course.db reduction
try 0 'window from 2026-12-01 10:00 UTC to 2026-12-01 13:00 UTC' gradebook policy course.db reduction \
    --window 2026-12-01T10:00Z 2026-12-01T13:00Z
try 0 'minutes; graded' gradebook policy course.db reduction --no-window
# A sheet that turns a name around changes nothing; one that spells it otherwise does.
printf 'Name,ID,Login\nCy Dee,2,cy@x.edu\n' >turned.csv
try 0 '0 students added, 0 changed, 1 as before' gradebook roster course.db turned.csv
printf 'Name,ID,Login\nCy Dée,2,cy@x.edu\n' >turned.csv
try 0 '0 students added, 1 changed, 0 as before' gradebook roster course.db turned.csv
# Two labs share slip days, which are spent best: what the second one takes from the first is on its page at once, and on
# that of the first after --resume, which grades nothing. An earlier attempt that counts is named, as are old pages.
mkdir -p spent/1/gus spent/2/gus spent/r2/pages
printf 'no code\n' | tee spent/1/gus/1_naive.cu >spent/2/gus/1_interleaved.cu # the kit's given step has points
printf 'ID,Name,Login,Submitted\n8,Gus Lind,gus,2026-11-22T10:00Z\n' >spent/s.csv
printf 'late 10%% per day, 2 slip days, spent best\ndue 01 2026-11-20T12:00Z\ndue 02 2026-11-20T12:00Z\n' >spent/course.txt
spent() { # what must be said, lab, its number, options
    text=$1 lab=$2 number=$3
    shift 3
    try 0 "$text" grade $lab --submissions spent/$number --output spent/r$number --quick --device sim --unsafe \
        --gradebook spent/x.db --students spent/s.csv --course spent/course.txt "$@"
}
agrees() { # lab, number: the page has the gradebook's final points
    final=$("$ladder" gradebook show spent/x.db $1 --csv - | sed -n 's/.*,\([0-9.]*\)00,[0-9.]*,"[0-9a-f]\{64\}".*/\1/p')
    has "; final: $final of" "spent/r$2/submissions/gus/report.txt" "$1: the gradebook's $final"
}
try 0 '^1 student added, 0 changed' gradebook roster spent/x.db spent/s.csv
spent '  2 (2 slip)      0.0 ' reduction 2
agrees reduction 2
has '2 days late, 2 slip days: nothing is lost; final: 4.00' 'spent/r2/submissions/gus/report.txt' 'slip days'
touch spent/r2/pages/class.html
spent '1 mark of 02_reduction changed with' transpose 1
agrees transpose 1
spent '^kept 1 of 1\|0 new attempts' reduction 2 --resume
grep -q 'building' said.txt && { echo "fault: graded again: $(cat said.txt)"; faults=1; }
has 'pages is of an earlier run: ./ladder report' said.txt 'word of old pages'
agrees reduction 2
printf ' ' >spent/2/gus/1_interleaved.cu
spent 'Gus Lind (8) is that of attempt 1 of 2, 3.20' reduction 2
try 0 '2 (2 slip)' gradebook show spent/x.db transpose

printf 'no database' >notes.txt
try 1 'no gradebook' gradebook show notes.txt
exit $faults
