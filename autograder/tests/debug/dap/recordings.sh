#!/bin/sh
# SPDX-License-Identifier: MIT
# recordings.sh PLAYER LADDER PROGRAM WORK RECORDING..: plays what an editor sent in kept sessions (player.c) and compares what
# the debugger answers. PROGRAM and SOURCE in a recording are the program and its source. LADDER_ACCEPT=1: writes them anew.
player=$1 ladder=$2 program=$3 work=$4
shift 4
source=$(cd "$(dirname "$0")/.." && pwd)/program.cu
mkdir -p "$work"
status=0
for recording; do
    name=${recording##*/}
    grep -v '^<\|^exit status' "$recording" | sed -e "s|@PROGRAM@|$program|g" -e "s|@SOURCE@|$source|g" >"$work/commands"
    "$player" "$ladder" debug --dap <"$work/commands" 2>&1 |
        sed -e "s|$program|@PROGRAM@|g" -e "s|$source|@SOURCE@|g" -e 's|[^ "]*/tests/debug/program.cu|program.cu|g' >"$work/$name"
    if [ -n "$LADDER_ACCEPT" ]; then cp "$work/$name" "$recording"; fi
    cmp -s "$recording" "$work/$name" && continue
    echo "$name:"
    diff -u "$recording" "$work/$name"
    status=1
done
exit $status
