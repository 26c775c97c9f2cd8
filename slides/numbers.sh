#!/bin/sh
# SPDX-License-Identifier: MIT
# numbers.sh DECK..: does a deck type a number with a unit? Numbers that were measured or counted, and those of machines, come by
# marks ({{value ..}} and others, docs/tools/numbers_main.c). Code and pictures are not looked at. Prints each; the exit status is 0
# when there is none.
set -eu
exec awk '
    FNR == 1 { fenced = 0 }
    /^```/ { fenced = !fenced }
    !fenced {
        rest = $0
        gsub(/\{\{[^}]*\}\}/, "", rest)
        gsub(/`[^`]*`/, "", rest)
        gsub(/!\[[^]]*\]\([^)]*\)/, "", rest)
        while (match(rest, /[0-9][0-9.,]* ?([kKMGT]i?B(\/s)?|[kMGT]?FLOP\/s|[munk]s|[MG]Hz|%|x|times|cycles?|SMs|registers|seconds|microseconds)([^A-Za-z0-9]|$)/)) {
            found = substr(rest, RSTART, RLENGTH)
            if (found !~ /x $/ || substr(rest, RSTART + RLENGTH) !~ /^[0-9]/) { # 16 x 16 is a shape
                sub(/[^A-Za-z0-9%]$/, "", found)
                printf "%s:%d: %s\n", FILENAME, FNR, found
                typed++
            }
            rest = substr(rest, RSTART + RLENGTH)
        }
    }
    END { printf "numbers: %d typed\n", typed; exit typed > 0 }' "$@"
