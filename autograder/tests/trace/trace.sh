#!/bin/sh
# trace.sh LADDER PROGRAM ADVICE_DEF WORK: what a timeline advises of a small program is done in its twin, below: does it say so of the
# first and not of the second, which takes less modelled time?
# test: autograder/trace_advice @ladder@ @ladder_trace_case@ @SOURCE@/common/base/advice.def @WORK@
# labels: grade
set -eu
ladder=$1 program=$2 rows=$3 failed=0
mkdir -p "$4"
cd "$4"
trace() { # of a program: all that is said as one line; its time in the file trace.json
    "$ladder" trace --devices 2 --json trace.json -- "$program" "$1" | tr '\n' ' ' | tr -s ' '
}
time_us() { sed -n 's/.*"sim__elapsed_us.sum": \([0-9.e+]*\).*/\1/p' trace.json; }
while read -r _ row before after; do
    text=$(awk -v row="KL_ADVICE($row," 'index($0, row) { on = 1 } on { print } on && /\)$/ { exit }' "$rows" |
        tr '\n' ' ' | sed 's/^[^"]*"//; s/") $//; s/" *"//g')
    first=$(trace "$before") from=$(time_us) second=$(trace "$after") to=$(time_us)
    echo "$row: $before $from us, $after $to us"
    case $first in *"> $text"*) ;; *) echo "is not said of $before: $text" && failed=1 ;; esac
    case $second in *"> $text"*) echo "is said of $after: $text" && failed=1 ;; esac
    awk "BEGIN { exit !($to < $from) }" || { echo "$after is not faster" && failed=1; }
done <<'ROWS'
advice TRACE_PINNED pageable overlapping
advice TRACE_CHUNKS one_stream overlapping
advice TRACE_OWN_STREAM default_stream overlapping
advice TRACE_NO_SYNC waits waits_once
advice TRACE_EVENT no_event event
advice TRACE_EVENT devices_no_event devices_event
advice TRACE_GRAPH launches graph
ROWS
exit $failed
