#!/bin/sh
# SPDX-License-Identifier: MIT
# Holds the simulator's counters of a program to a GPU's, launch by launch; they must be equal:
#   check_launches.sh LADDER PROGRAM CSV FOLDER        FOLDER takes the profile
# A row of the CSV: launch,kernel,counter,value.
set -eu
[ $# -eq 4 ] || {
    echo "usage: $0 LADDER PROGRAM CSV FOLDER" >&2
    exit 2
}
profile=$4/$(basename "$2")_profile
"$1" profile --json "$profile.json" -- "$2" >"$profile.txt" 2>&1 || {
    status=$?
    tail -n 5 "$profile.txt" >&2
    echo "check_launches: $2 ended with status $status under the profiler" >&2
    exit 1
}
awk '
function name_of(line) { sub(/^ *"/, "", line); sub(/".*/, "", line); return line }
FILENAME ~ /csv$/ {
    n = split($0, field, ",")
    if ($0 ~ /^#/ || n != 4) next
    gpu[field[1], field[3]] = field[4] + 0
    kernel[field[1]] = field[2]
    if (field[1] + 1 > expected) expected = field[1] + 1
    next
}
/^      "kernel": / { launches++ }
/^      "counters": \{/ { inside = 1; next }
/^      \}/ { inside = 0 }
inside && /^        "/ { value = $0; sub(/^[^:]*: /, "", value); here[launches - 1, name_of($0)] = value + 0 }
END {
    for (key in gpu) {
        split(key, part, SUBSEP)
        compared++
        value = key in here ? here[key] : 0
        if (value == gpu[key]) continue
        printf "launch %d, %s: %s here %d, GPU %d\n", part[1], kernel[part[1]], part[2], value, gpu[key]
        bad++
    }
    printf "check_launches: %d launches, %d values compared, %d wrong\n", launches, compared, bad
    exit !(launches == expected && compared > 0 && bad == 0)
}
' "$3" "$profile.json"
