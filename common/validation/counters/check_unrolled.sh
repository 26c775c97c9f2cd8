#!/bin/sh
# SPDX-License-Identifier: MIT
# Holds the simulator's counters of unrolled_loops to an H200's: where one differs, the launch must say so by the counter
# of accesses that the machine code has in another form.
#   check_unrolled.sh LADDER UNROLLED_LOOPS FOLDER STORED        FOLDER takes the profile; STORED: the unpacked archives
set -eu
[ $# -eq 4 ] || {
    echo "usage: $0 LADDER UNROLLED_LOOPS FOLDER STORED" >&2
    exit 2
}
here=$(cd "$(dirname "$0")" && pwd)
"$1" profile --json "$3/unrolled_profile.json" -- "$2" >"$3/unrolled_profile.txt" 2>&1 || {
    status=$?
    tail -n 5 "$3/unrolled_profile.txt" >&2
    echo "check_unrolled: $2 ended with status $status under the profiler" >&2
    exit 1
}
awk "$(cat "$here/counter_data.awk")"'
END {
    for (j = 1; j <= launches; j++) {
        k = kernels[j]
        wrong = ""
        for (pair in gpu) {
            split(pair, part, SUBSEP)
            if (part[1] != k) continue
            compared++
            here = (pair in simulated) ? simulated[pair] : 0
            off = here - gpu[pair]
            if (off < 0) off = -off
            # One wavefront is the noise of the hardware.
            if (off > 1) wrong = wrong sprintf("  %s here %d, GPU %d\n", part[2], here, gpu[pair])
        }
        said = simulated[k, "sim__accesses_differ.sum"] > 0
        if (wrong != "") { printf "%s%s\n%s", k, said ? " (said to differ)" : " WRONG", wrong; named++ }
        if (wrong != "" && !said) bad++
    }
    printf "check_unrolled: %d launches, %d values compared, %d launches differ, %d without saying so\n", \
        launches, compared, named, bad
    exit !(launches == 22 && compared == 176 && bad == 0)
}
' "$4/counters/unrolled_loops_h200.csv" "$3/unrolled_profile.json"
