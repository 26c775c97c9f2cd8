#!/bin/sh
# recordings.sh PLAYER LADDER PROGRAM WORK RECORDINGS: plays what an editor sent in kept sessions (player_main.c), each behind a line
# "=== NAME", and compares what the debugger answers. PROGRAM and SOURCE in a recording are the program and its source. LADDER_ACCEPT=1: writes them anew.
# test: autograder/debug_dap @ladder_dap_player@ @ladder@ @ladder_debug_variables@ @WORK@ @FOLDER@/variables.txt
# labels: grade
# where: LADDER_HAVE_JANSSON
player=$1 ladder=$2 program=$3 work=$4 recordings=$5
source=$(cd "$(dirname "$0")/.." && pwd)/program.cu
rm -rf "$work"
mkdir -p "$work/kept" "$work/got"
awk -v folder="$work/kept" '/^=== / { name = $2; next } { print >(folder "/" name) }' "$recordings"
cd "$work/kept" || exit 1
for name in *; do
    {
        echo "=== $name"
        grep -v '^<\|^exit status' "$name" | sed -e "s|@PROGRAM@|$program|g" -e "s|@SOURCE@|$source|g" |
            "$player" "$ladder" debug --dap 2>&1
    } | sed -e "s|$program|@PROGRAM@|g" -e "s|$source|@SOURCE@|g" -e 's|[^ "]*/tests/debug/program.cu|program.cu|g' >"$work/got/$name"
done
cat "$work"/got/* >"$work/said"
[ -z "$LADDER_ACCEPT" ] || cp "$work/said" "$recordings"
diff -u "$recordings" "$work/said"
