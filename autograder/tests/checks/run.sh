#!/bin/sh
# run.sh LADDER SCRATCH [KEY=VALUE..] [-- ARGUMENT..]: runs `ladder check ARGUMENT..` and compares what it finds.
#   classes=  the findings' classes, each once, in alphabetical order; none, or warnings alone: the check must end with 0
#   text=     a regular expression of awk that the output matches      ignore=  a class that does not count
#   status=   what the program itself ends with (0)                    limit=   of address space, in KiB
# table=check_NAME.cu case=ROW name=EXPECTATION program=PATH options=OPTIONS: these have the classes and so on (check_case.h), of a
# program whose argument is the row.
set -eu
ladder=$1 scratch=$2
shift 2
classes='' text='' ignore='' status=0 limit='' table='' case='' name='' program='' runs='' advice=''
while [ $# -gt 0 ] && [ "$1" != -- ]; do
    export "${1%%=*}=${1#*=}"
    shift
done
if [ "$table" ]; then
    # Lines of the classes, the options, the runs with their most warp instructions, and the text.
    found=$(awk '
        /^\/\/     / { sub(/^\/\/     /, ""); line[n] = line[n] $0; next }
        /^\/\// { line[++n] = $0; next }
        index($0, "CASE(" ENVIRON["case"] ",") == 1 || index($0, "PAIR(" ENVIRON["case"] ",") == 1 { row = 1; exit }
        /^PAIR/ && index(ENVIRON["case"] "(", substr($0, 6, index($0, ",") - 6) "_not(") == 1 { row = 1; n = 0; exit }
        { n = 0 }
        END {
            options = ENVIRON["options"]
            mark = ENVIRON["name"] == ENVIRON["case"] ? "" : ENVIRON["name"]
            for (i = 1; row && i <= n && said < 2; i++) {
                if (match(line[i], /^\/\/ finds [a-z, -]+( as [a-z0-9_]+)?(:|$)/)) {
                    words = substr(line[i], 10, RLENGTH - 9)
                    first = sub(/:$/, "", words) ? ".*" substr(line[i], RLENGTH + 2) : ""
                    as = sub(/.* as /, "", words) ? words : ""
                    classes = substr(line[i], 10)
                    sub(/(:| as ).*/, "", classes)
                    said = said ? 2 : as == mark
                    if (said == 1) { found = classes == "nothing" ? "" : classes; text = first == "" ? "" : classes ": " first }
                } else if (said && sub(/^\/\/   [$] ?/, "", line[i])) {
                    options = line[i]
                } else if (said && sub(/^\/\/   runs /, "", line[i])) {
                    runs = line[i]
                } else if (said && sub(/^\/\/   advice /, "", line[i])) {
                    advice = line[i]
                } else if (said && sub(/^\/\/   ~ /, "", line[i])) {
                    text = text (text == "" ? "" : ".*") line[i]
                }
            }
            if (!said && (mark != "" || ENVIRON["name"] !~ /_not$/)) exit 1
            if (text found == "") text = "no findings in [1-6] launch|no kernel was launched"
            gsub(/, /, " ", found)
            gsub(/[^0-9 ]/, "", runs)
            print found "\n" options "\n" runs "\n" advice "\n" text
        }' "$table") || { echo "$table does not say what $name finds"; exit 1; }
    { read -r classes; read -r options; read -r runs most; read -r advice || :; IFS= read -r text || :; } <<TEXT
$found
TEXT
    # shellcheck disable=SC2086 # words
    set -- -- $options -- "$program" "$case"
fi
shift
[ ! "$runs" ] || export LADDER_SIM_PROGRESS="$scratch.progress"
rm -f "$scratch".*
code=0
(
    [ ! "$limit" ] || ulimit -v "$limit" || exit
    exec "$ladder" check --json "$scratch.json" "$@"
) >"$scratch.out" 2>"$scratch.err" || code=$?
fail() {
    echo "$*"
    cat "$scratch.out" "$scratch.err"
    exit 1
}
[ -f "$scratch.json" ] || fail "ladder check ended with $code"
of() { sed -n "s/^ *\"$1\": \"*\([^\",]*\)\"*,*\$/\1/p" "$scratch.json"; }
found=$(of class | LC_ALL=C sort -u | grep -vx "${ignore:-none}" | tr '\n' ' ') || true
[ "$found" = "${classes:+$classes }" ] || fail "classes found: '$found', expected: '$classes'"
all=$(of class | wc -l) wrong=$(of warning | grep -c false) || true
said() { grep -qE "$1" "$scratch.out"; }
if [ "$wrong" -gt 0 ]; then
    [ $code -eq 1 ] || fail "$wrong findings, but the status is $code"
elif [ "$all" -gt 0 ]; then
    [ $code -eq "$status" ] || said 'the program ended with exit status' || fail "only warnings, but the status is $code"
else
    [ $code -eq "$status" ] && said 'no findings in|no kernel was launched' || fail "nothing was found, but the status is $code"
fi
[ ! "$text" ] || text=$text awk '{ all = all $0 "\n" } END { exit all !~ ENVIRON["text"] }' "$scratch.out" || fail "'$text' does not match"
# "ROW, ROW by NEAR_MISS": what the rows of advice.def say between their words is in the output, and the near miss is a row.
near=${case:-}_not
[ "${advice#* by }" = "$advice" ] || near=${advice#* by }
[ ! "$advice" ] || grep -qE "^(CASE\($near|PAIR\(${near%_not})," "$table" || fail "$near, in which the advice is followed, is no row"
for row in $(printf '%s' "${advice%% by *}" | tr -d ,); do
    row=$row awk '
        FNR == NR && index($0, "KL_ADVICE(" ENVIRON["row"] ",") == 1 { on = 1 }
        FNR == NR { if (on) row = row $0; if (/\)$/) on = 0; next }
        { all = all " " $0 }
        END {
            sub(/^[^"]*"/, "", row); sub(/"\)$/, "", row); gsub(/" *"/, "", row); gsub(/\\"/, "\"", row); gsub(/ +/, " ", all)
            count = split(row, part, /[{][0-9][}]/)
            for (i = 1; i <= count; i++) missing = missing || (part[i] != "" && !index(all, part[i]))
            exit missing || row == ""
        }' "${0%/*}/../../../common/base/advice.def" "$scratch.out" || fail "advice $row is not said"
done
[ "$runs" ] || exit 0
# shellcheck disable=SC2046 # two numbers
set -- $(od -An -tu8 -N16 "$scratch.progress") $(of warp_instructions)
[ "$1" -eq "$runs" ] && [ "$2" -le $(($3 + most + most / 100)) ] || # a block is stopped where it gives way
    fail "$1 runs, $runs expected; $2 warp instructions, at most $(($3 + most + most / 100)) expected"
