#!/bin/sh
# SPDX-License-Identifier: MIT
# Holds the simulator's counters of texture_counts to an H100's, launch by launch; they must be equal:
#   check_textures.sh LADDER TEXTURE_COUNTS FOLDER        FOLDER takes the profile
set -eu
[ $# -eq 3 ] || {
    echo "usage: $0 LADDER TEXTURE_COUNTS FOLDER" >&2
    exit 2
}
here=$(cd "$(dirname "$0")" && pwd)
"$1" profile --json "$3/texture_profile.json" -- "$2" >"$3/texture_profile.txt" 2>&1 || {
    status=$?
    tail -n 5 "$3/texture_profile.txt" >&2
    echo "check_textures: $2 ended with status $status under the profiler" >&2
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
    printf "check_textures: %d launches, %d values compared, %d wrong\n", launches, compared, bad
    exit !(launches == expected && compared > 0 && bad == 0)
}
' "$here/texture_counts_h100.csv" "$3/texture_profile.json"
