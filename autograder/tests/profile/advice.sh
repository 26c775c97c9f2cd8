#!/bin/sh
# advice.sh LADDER ADVICE_DEF: what a profile advises of one step of a lab is done in another one, below: does it say so of the first
# and not of the second, which takes less modelled time?
# test: autograder/full/advice_is_followed @ladder@ @SOURCE@/common/base/advice.def
# labels: grade
set -eu
ladder=$1 rows=$2 failed=0
# The time of all launches, and the rest as one line.
profile() {
    "$ladder" profile "$1" "$2" --solution --size "$3" 2>/dev/null | tr '\n' ' ' | tr -s ' '
}
time_us() { # of "modelled time 1.25 ms" or "us", the first one
    printf '%s' "$1" | sed 's/.*launch[es]*, modelled time \([0-9.]*\) \([mu]*s\).*/\1 \2/' | awk '{ print $2 == "ms" ? 1000 * $1 : $1 }'
}
while read -r _ row lab before after size; do
    text=$(awk -v row="KL_ADVICE($row," 'index($0, row) { on = 1 } on { print } on && /\)$/ { exit }' "$rows" |
        tr '\n' ' ' | sed 's/^[^"]*"//; s/") $//; s/" *"//g')
    first=$(profile "$lab" "$before" "$size") second=$(profile "$lab" "$after" "$size")
    from=$(time_us "$first") to=$(time_us "$second")
    echo "$row: $lab $before $from us, $after $to us"
    case $first in *"$text"*) ;; *) echo "is not said of $lab $before: $text" && failed=1 ;; esac
    case $second in *"$text"*) echo "is said of $lab $after: $text" && failed=1 ;; esac
    awk "BEGIN { exit !($to < $from) }" || { echo "$lab $after is not faster" && failed=1; }
done <<'ROWS'
advice FULL_WARPS first_kernel 0 1 2^14
advice MORE_BLOCKS first_kernel 1 2 2^18
advice SAME_PATH first_kernel 9 10 2^18
advice COALESCE transpose 1 2 1024
advice PAD_ROWS transpose 2 3 1024
advice FEWER_BARRIERS reduction 3 5 2^20
advice TILE gemm 1 2 512
advice UNROLL gemm 2 3 512
advice SEVERAL_RESULTS gemm 3 5 512
advice COMBINE_FIRST histogram 0 1 2^18
ROWS
exit $failed
