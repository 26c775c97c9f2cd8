#!/bin/sh
# SPDX-License-Identifier: MIT
# sessions.sh LADDER PROGRAM WORK TRANSCRIPT..: what the debugger prints, in sessions that are kept. Of a transcript
# NAME.txt the lines that begin with "(ladder) " are the commands; its first line holds the program's arguments and options.
# Writes WORK/NAME.txt; LADDER_ACCEPT=1: into the transcripts, too.
ladder=$1 program=$2 work=$3
shift 3
mkdir -p "$work"
folder=${program%/*}
status=0
for transcript; do
    name=${transcript##*/}
    options=$(sed -n '1s/^options: *//p' "$transcript")
    arguments=$(sed -n '2s/^arguments: *//p' "$transcript")
    sed -n 's/^(ladder) //p' "$transcript" >"$work/commands"
    {
        sed -n 1,2p "$transcript"
        # shellcheck disable=SC2086 # words
        COLUMNS=80 "$ladder" debug $options -- "$program" $arguments <"$work/commands" 2>&1
        echo "exit status $?"
    } | sed -e "s|$folder/||g" -e 's|[^ ]*/tests/debug/program.cu|program.cu|g' -e "s|$work/||g" >"$work/$name"
    if [ -n "$LADDER_ACCEPT" ]; then cp "$work/$name" "$transcript"; fi
    cmp -s "$transcript" "$work/$name" && continue
    echo "$name:"
    diff -u "$transcript" "$work/$name"
    status=1
done
exit $status
