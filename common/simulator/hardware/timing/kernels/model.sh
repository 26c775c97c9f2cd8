#!/bin/sh
# SPDX-License-Identifier: MIT
# What the simulator models for each kernel, in the columns of modelled_h200.csv:
#   model.sh LADDER TIMING_KERNELS FOLDER > modelled_h200.csv        FOLDER takes the profile
# us: between two events, by the closed form; played_us: the same with the time that the play of one SM gives.
set -eu
[ $# -eq 3 ] || {
    echo "usage: $0 LADDER TIMING_KERNELS FOLDER" >&2
    exit 2
}
"$1" profile --device h200 --json "$3/timing.json" -- "$2" >"$3/timing.txt" 2>&1 || {
    tail -n 5 "$3/timing.txt" >&2
    exit 1
}
awk -F, '
    FILENAME ~ /json$/ && /^      "kernel": / { kernel = $0; sub(/^[^:]*: "/, "", kernel); sub(/".*/, "", kernel) }
    FILENAME ~ /json$/ && /^      "time_us": / { value = $0; sub(/^[^:]*: /, "", value); time[kernel] = value + 0 }
    FILENAME ~ /json$/ && /^      "played_us": / { value = $0; sub(/^[^:]*: /, "", value); played[kernel] = value + 0 }
    FILENAME ~ /json$/ { next }
    /^[a-z0-9_]+,[a-z_]+,(look|held),/ {
        if (rows++ == 0) print "# NVIDIA H200 (simulated)\nname,kind,half,us,played_us"
        printf "%s,%s,%s,%.3f,%.3f\n", $1, $2, $3, $4, ($1 in played) ? played[$1] + $4 - time[$1] : 0
    }
    END { exit rows == 0 }
' "$3/timing.json" "$3/timing.txt"
