#!/bin/sh
# killed.sh LADDER WORK: a class run that is killed (kill -9) once it has graded some goes on with --resume: every
# submission is graded once, nothing is lost, all are graded on the inputs of the first run, and the tables are those of
# a run that nobody disturbed. The submissions cost no compilation.
# test: autograder/class_killed @ladder@ @WORK@
# labels: grade
set -u
ladder=$1 work=$2 faults=0
rm -rf "$work"
mkdir -p "$work/in"
cd "$work" || exit 1
fault() {
    echo "fault: $*"
    faults=1
}
count=12
for i in $(seq 10 $((9 + count))); do
    mkdir "in/student$i"
    printf '\377\376/' >"in/student$i/1_interleaved.cu" # UTF-16: refused
done
grade() { # folder of results, options
    out=$1
    shift
    "$ladder" grade reduction --submissions in --output "$out" --quick --device sim --unsafe --jobs 2 --json "$out.json" \
        --due 2026-11-20T23:59 --late 10% "$@"
}
grade whole 2>whole.log >whole.txt || fault "the undisturbed run: $(cat whole.log)"

lines() { grep -c "^$1" killed/class/journal 2>/dev/null || true; }
# To a file, not in a subshell: the process to kill must be the program itself.
"$ladder" grade reduction --submissions in --output killed --quick --device sim --unsafe --jobs 2 \
    --due 2026-11-20T23:59 --late 10% >killed.log 2>&1 &
pid=$!
while kill -0 "$pid" 2>/dev/null; do # until it has graded three, however long that takes
    graded=$(lines 'graded ')
    [ "${graded:-0}" -lt 3 ] || break
done
# While it is alive (it cannot end while it is stopped), nothing else grades into its folder.
kill -STOP "$pid" 2>/dev/null
ended=$(tail -n 1 killed/class/journal)
if kill -0 "$pid" 2>/dev/null && [ "$ended" != end ]; then
    for how in --jobs=1 --resume; do
        grade killed "$how" >second.log 2>&1 && fault "a second run with $how was let in"
        tr '\n' ' ' <second.log | grep -q "process $pid on .* grades *into *killed *since" ||
            fault "the first run is not named: $(cat second.log)"
    done
fi
kill -9 "$pid" 2>/dev/null
wait "$pid" 2>/dev/null
before=$(lines 'graded ')
[ "$before" -ge 3 ] || fault "killed before three were graded: $(cat killed.log)"

grade killed --resume 2>resume.log >resume.txt || fault "the run that goes on: $(cat resume.log)"
[ "$ended" = end ] || grep -q "process $pid on .* has died; this one takes its place" resume.log ||
    fault "no word of the killed run: $(cat resume.log)"
for i in $(seq 10 $((9 + count))); do
    graded=$(grep -c "^graded student$i " killed/class/journal)
    kept=$(grep -c "^kept student$i\$" killed/class/journal)
    [ "$graded" -le 1 ] || fault "student$i was graded $graded times"
    [ $((graded + kept)) -ge 1 ] || fault "student$i was lost"
done
[ "$(tail -n 1 killed/class/journal)" = end ] || fault 'the journal does not end'
seeds=$(sed -n 's/^run [^ ]* [^ ]* \([0-9]*\) .*/\1/p' killed/class/journal | sort -u | wc -l)
[ "$(grep -c '^end' killed/class/journal)" -gt 1 ] || [ "$seeds" -eq 1 ] || fault "$seeds seeds in one class"
for file in summary.csv handed_in.csv; do
    cmp -s "whole/$file" "killed/$file" || fault "$file differs: $(diff "whole/$file" "killed/$file")"
done
cmp -s whole.json killed.json || fault 'the JSON differs'

# Again: nothing is left to do, and a finished run gives its seed to no other.
grade killed --resume 2>again.log >again.txt || fault "the finished run: $(cat again.log)"
[ "$(grep -c '^kept ' again.log)" -eq $count ] || fault "not all were kept: $(cat again.log)"
exit $faults
