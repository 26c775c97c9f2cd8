#!/bin/sh
# cli.sh LADDER SOURCE WORK: the work log of a kit made here, in which step 2 ran and step 3 was edited since; the student's own
# words stay, and what is handed in is shown on the page, as text.
# test: autograder/log_cli @ladder@ @SOURCE@ @WORK@
# labels: grade
set -u
ladder=$1 source=$2 work=$3 faults=0
steps=$work/kit/labs/02_reduction/steps
rm -rf "$work"
mkdir -p "$steps" "$work/kit/labs/03_occupancy/steps" "$work/kit/build/labs/02_reduction" "$work/in/ann" || exit 1
fault() {
    echo "fault: $*"
    faults=1
}
has() { # text, file
    grep -q -e "$1" "$2" || fault "no '$1' in $(cat "$2")"
}
for step in 1_interleaved 2_strided 3_sequential; do
    grep -v '^//!' "$source/solutions/02_reduction/steps/$step.cu" >"$steps/$step.cu"
done
run() { # step, hash, microseconds
    printf 'sim NVIDIA H100 80GB HBM3 (simulated)\t%s\t%s\tsum-exact\t%s\t%s\t%s\tsim__shared_ld_requests.sum=98000\n' "$4" "$1" 1000000 "$2" "$3"
}
{
    echo 'ladder.past-runs/1'
    run 3 abc 20 yours
    run 3 abc 5 solution
    run 2 abc 40 yours
    echo 'a damaged line'
} >"$work/kit/build/labs/02_reduction/past_runs.txt"
cat >"$steps/predictions.txt" <<'TEXT'
predict 3 aa 2026-11-22T10:51 gain=2
first 3 bb 2026-11-22T10:52 run
predict 3 bb 2026-11-22T10:53 conflicts_per_load=0
TEXT
log() {
    LADDER_KIT=$work/kit "$ladder" log "$@"
}
log reduction >"$work/said.txt" 2>&1 || fault "log: $(cat "$work/said.txt")"
has 'steps/log.md: 3 steps' "$work/said.txt"
has '^First run: 2026-11-22T10:52 (run). Now: changed since' "$steps/log.md"
has '^| gain | 2 | - | - | before the first run |$' "$steps/log.md"
has '^| conflicts_per_load | 0 | - | - | after the first run |$' "$steps/log.md"
has '| sum-exact | 1,000,000 | 20.0 us, before the last edit | 2.00 times as fast |' "$steps/log.md"
has 'shared load requests per 1,000 elements: 98 (the solution: 98)' "$steps/log.md"
has '^+ *if (t < stride) {$' "$steps/log.md"
grep -q '5.0 us' "$steps/log.md" && fault "the solution's time is in the log"
# What was written by hand stays, and the rest is made anew.
sed 's/^<!-- my words, step 3 -->$/&\nI tried <b>twice<\/b>/; s/20.0 us/1.0 us/' "$steps/log.md" >"$work/edited.md"
cp "$work/edited.md" "$steps/log.md"
log reduction >"$work/said.txt" 2>&1 || fault "log again: $(cat "$work/said.txt")"
has '^I tried <b>twice</b>$' "$steps/log.md"
has '20.0 us' "$steps/log.md"
[ "$(grep -c 'twice' "$steps/log.md")" = 1 ] || fault 'the words are there twice'
mv "$steps/3_sequential.cu" "$work" && log reduction >"$work/said.txt" 2>&1
has '^I tried <b>twice</b>$' "$steps/log.md" # words stay where the step is gone
mv "$work/3_sequential.cu" "$steps"
log reduction 3 >"$work/said.txt" 2>&1 && fault 'steps without --sheet are taken'
log reduction 77 --sheet >"$work/said.txt" 2>&1 && fault 'a step that there is not is taken'
log occupancy >"$work/said.txt" 2>&1 && fault "an empty log: $(cat "$work/said.txt")"
has 'no step of occupancy has been begun' "$work/said.txt"
# Handed in, it is on the page, in an archive too.
printf ' ' >"$work/in/ann/1_interleaved.cu"
cp "$steps/log.md" "$work/in/ann"
(cd "$work/in/ann" && tar cf ../bob.tar log.md 1_interleaved.cu)
"$ladder" grade reduction --submissions "$work/in" --output "$work/results" --quick --device sim --unsafe >"$work/said.txt" 2>&1
for who in ann bob.tar; do
    has 'I tried &lt;b&gt;twice&lt;/b&gt;' "$work/results/submissions/$who/report.html"
    has 'a work log was handed in' "$work/results/submissions/$who/report.txt"
    grep -q 'not used: log.md' "$work/results/submissions/$who/report.txt" && fault 'the log is not taken'
done
exit $faults
