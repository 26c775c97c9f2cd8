#!/bin/sh
# SPDX-License-Identifier: MIT
# cli.sh LADDER WORK: a course from roster to export on the command line, with submissions that cost no compilation.
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
grep -q '^"cy@x.edu",.*,2026-11-27T23:59:00Z' results/handed_in.csv || { echo 'fault: no due date in the list'; faults=1; }
try 0 'due date of Dee, Cy, 2026-11-27 23:59 UTC, by' gradebook show course.db reduction
try 0 '"own_due": "2026-11-27T23:59:00Z"' gradebook show course.db reduction --json -
try 0 'the due date of the class counts again' gradebook due course.db reduction 2 --withdraw --reason well
try 0 'canvas: ./canvas.csv' gradebook export course.db reduction --export canvas --roster roster.csv
grep -q '^"Lee, Ann","1","","ann@x.edu","A","45.50"' canvas.csv || { echo "fault: $(cat canvas.csv)"; faults=1; }
try 0 '"override": 45.5' gradebook show course.db reduction --json -
class 0 '0 of 2 marks change' regrade
class 0 'entered into course.db' regrade --apply
class 2 'no policy and no export' regrade --counts best
try 2 'needs --submissions' grade reduction --gradebook course.db
try 0 'best of 2 attempts; due' gradebook policy course.db reduction --counts best --attempts 2
try 0 'taken back' gradebook override course.db reduction 1 --withdraw --reason 'a mistake'
try 0 'prof: override of 1, 02_reduction' gradebook history course.db 1
try 0 'copy.db: a copy of course.db' gradebook backup course.db copy.db
try 1 'exists already' gradebook backup course.db copy.db
printf 'no database' >notes.txt
try 1 'no gradebook' gradebook show notes.txt
exit $faults
