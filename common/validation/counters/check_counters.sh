#!/bin/sh
# SPDX-License-Identifier: MIT
# Holds the simulator's counters of counter_kernels to a GPU's, by the tolerances of a table:
#   check_counters.sh LADDER COUNTER_KERNELS FOLDER STORED        FOLDER takes the profile; STORED: the unpacked archives
# A kernel may be excused in counter_excuses.txt, with a reason; an excuse that is not needed fails as well.
set -eu
[ $# -eq 4 ] || {
    echo "usage: $0 LADDER COUNTER_KERNELS FOLDER STORED" >&2
    exit 2
}
here=$(cd "$(dirname "$0")" && pwd)
"$1" profile --json "$3/counter_profile.json" -- "$2" >"$3/counter_profile.txt" 2>&1 || {
    status=$?
    tail -n 5 "$3/counter_profile.txt" >&2
    echo "check_counters: $2 ended with status $status under the profiler" >&2
    exit 1
}
awk "$(cat "$here/counter_data.awk")"'
FILENAME ~ /rules/ { if ($1 !~ /^#/ && NF == 3) { relative[$1] = $2; absolute[$1] = $3 } next }
FILENAME ~ /excuses/ { if ($1 !~ /^#/ && NF >= 3) excused[$1, $2] = 1; next }
END {
    for (c in relative)
        for (j = 1; j <= launches; j++) {
            k = kernels[j]
            if (!((k, c) in gpu)) continue
            compared++
            value = ((k, c) in simulated) ? simulated[k, c] : 0
            off = value - gpu[k, c]
            if (off < 0) off = -off
            agrees = off <= relative[c] * gpu[k, c] || off <= absolute[c]
            if (agrees && (c, k) in excused) { printf "%s %s agrees: its excuse is no longer needed\n", c, k; bad++ }
            if (!agrees && !((c, k) in excused)) { printf "%s %s here %.9g, GPU %.9g\n", c, k, value, gpu[k, c]; bad++ }
        }
    printf "check_counters: %d launches, %d values compared, %d wrong\n", launches, compared, bad
    exit !(launches == 179 && compared > 0 && bad == 0)
}
' "$here/counter_rules.txt" "$here/counter_excuses.txt" "$4/counters/counters_h100.csv" "$3/counter_profile.json"
