#!/bin/sh
# sessions.sh LADDER PROGRAM WORK TRANSCRIPT: what the debugger prints, in sessions that are kept, each behind a line "=== NAME".
# The lines that begin with "(ladder) " are the commands; the first two hold options and the program's arguments.
# LADDER_ACCEPT=1: writes the transcript anew.
# test: autograder/debug_lines @ladder@ @ladder_debug_lines@ @WORK@ @FOLDER@/lines.txt
# test: autograder/debug_variables @ladder@ @ladder_debug_variables@ @WORK@ @FOLDER@/variables.txt
# labels: grade
ladder=$1 program=$2 work=$3 transcript=$4
rm -rf "$work"
mkdir -p "$work/kept" "$work/got"
awk -v folder="$work/kept" '/^=== / { name = $2; next } { print >(folder "/" name) }' "$transcript"
folder=${program%/*}
cd "$work/kept" || exit 1
for name in *; do
    options=$(sed -n '1s/^options: *//p' "$name")
    arguments=$(sed -n '2s/^arguments: *//p' "$name")
    {
        echo "=== $name"
        sed -n 1,2p "$name"
        # shellcheck disable=SC2086 # words
        sed -n 's/^(ladder) //p' "$name" | COLUMNS=80 "$ladder" debug $options -- "$program" $arguments 2>&1
        echo "exit status $?"
    } | sed -e "s|$folder/||g" -e 's|[^ ]*/tests/debug/program.cu|program.cu|g' -e "s|$work/||g" >"$work/got/$name"
done
cat "$work"/got/* >"$work/said"
[ -z "$LADDER_ACCEPT" ] || cp "$work/said" "$transcript"
diff -u "$transcript" "$work/said"
