#!/bin/sh
# SPDX-License-Identifier: MIT
# Holds the simulator's counters of a program to a GPU's, launch by launch; they must be equal:
#   check_launches.sh LADDER PROGRAM CSV FOLDER        FOLDER takes the profile
set -eu
[ $# -eq 4 ] || {
    echo "usage: $0 LADDER PROGRAM CSV FOLDER" >&2
    exit 2
}
here=$(cd "$(dirname "$0")" && pwd)
profile=$4/$(basename "$2")_profile
"$1" profile --json "$profile.json" -- "$2" >"$profile.txt" 2>&1 || {
    status=$?
    tail -n 5 "$profile.txt" >&2
    echo "check_launches: $2 ended with status $status under the profiler" >&2
    exit 1
}
awk -v numbered=1 "$(cat "$here/counter_data.awk")"'
END {
    for (key in gpu) {
        split(key, part, SUBSEP)
        compared++
        value = key in simulated ? simulated[key] : 0
        if (value == gpu[key]) continue
        printf "launch %d, %s: %s here %d, GPU %d\n", part[1], kernels[part[1] + 1], part[2], value, gpu[key]
        bad++
    }
    printf "check_launches: %d launches, %d values compared, %d wrong\n", launches, compared, bad
    exit !(launches == expected && compared > 0 && bad == 0)
}
' "$3" "$profile.json"
