#!/bin/sh
# SPDX-License-Identifier: MIT
# code.sh KIT DECK..: does each line of code that a lab's deck types occur in the folder of the lab or its solution, blanks, braces and comments apart? A block
# that is simpler than the step begins with ```c sketch. Prints each line that does not; the exit status is 0 when there is none.
set -eu
kit=$1
shift
status=0
for deck in "$@"; do
    name=$(basename -- "$deck" .md)
    set -- "$kit"/labs/"$name"/*.cu "$kit"/labs/"$name"/*.cuh "$kit"/labs/"$name"/*.h "$kit"/solutions/"$name"/steps/*
    [ -d "$kit/labs/$name" ] || continue
    for file; do [ ! -f "$file" ] || cat "$file"; done | awk -v deck="$deck" '
        function bare(line) {
            sub(/\/\/.*/, "", line)
            gsub(/\/\*[^*]*\*\//, "", line)
            gsub(/[ \t{}]|#pragma unroll.*/, "", line)
            return line
        }
        { source = source bare($0) }
        END {
            while ((getline line <deck) > 0) {
                number++
                if (line ~ /^```/) {
                    typed = line == "```c"
                    continue
                }
                if (!typed || line ~ /^\{\{code/ || line ~ /^ *\.\.$/ || bare(line) == "") continue
                lines++
                if (index(source, bare(line))) continue
                printf "%s:%d: is in no step: %s\n", deck, number, line
                faults++
            }
            exit faults > 0
        }' || status=1
done
exit $status
