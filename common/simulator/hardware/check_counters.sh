#!/bin/sh
# SPDX-License-Identifier: MIT
# Holds the simulator's counters of counter_kernels to a GPU's, by the tolerances of a table:
#   check_counters.sh LADDER COUNTER_KERNELS FOLDER        FOLDER takes the profile
# A kernel may be excused in counter_excuses.txt, with a reason; an excuse that is not needed fails as well.
set -eu
[ $# -eq 3 ] || {
    echo "usage: $0 LADDER COUNTER_KERNELS FOLDER" >&2
    exit 2
}
here=$(cd "$(dirname "$0")" && pwd)
"$1" profile --json "$3/counter_profile.json" -- "$2" >"$3/counter_profile.txt" 2>&1 || {
    status=$?
    tail -n 5 "$3/counter_profile.txt" >&2
    echo "check_counters: $2 ended with status $status under the profiler" >&2
    exit 1
}
awk '
function name_of(line) { sub(/^ *"/, "", line); sub(/".*/, "", line); return line }
function text_of(line) { sub(/^[^:]*: "/, "", line); sub(/",?$/, "", line); return line }
function number_of(line) { sub(/^[^:]*: /, "", line); return line + 0 }
FILENAME ~ /rules/ { if ($1 !~ /^#/ && NF == 3) { relative[$1] = $2; absolute[$1] = $3 } next }
FILENAME ~ /excuses/ { if ($1 !~ /^#/ && NF >= 3) excused[$1, $2] = 1; next }
FILENAME ~ /csv$/ {
    n = split($0, field, ",")
    if (FNR == 1 || n < 6) next
    gpu[field[2], field[n - 1]] = field[n] + 0
    hits = gpu[field[2], "lts__t_sectors_op_read_lookup_hit.sum"]
    reads = gpu[field[2], "lts__t_sectors_op_read.sum"]
    if (reads > 0) gpu[field[2], "lts__t_sector_op_read_hit_rate.pct"] = 100 * hits / reads
    next
}
/^      "kernel": / { kernel = text_of($0); kernels[++launches] = kernel }
/^      "registers": / { here[kernel, "launch__registers_per_thread"] = number_of($0) }
/^      "occupancy": / { here[kernel, "sm__maximum_warps_per_active_cycle_pct"] = 100 * number_of($0) }
/^      "occupancy_limits": \{/ { limits = 1 }
limits && /^        "(warps|blocks|registers)": / { here[kernel, "launch__occupancy_limit_" name_of($0)] = number_of($0) }
/^      "hit_rates": \{/ { rates = 1 }
rates && /^        "/ { here[kernel, name_of($0)] = number_of($0) }
/^      "static_shared_bytes": / { here[kernel, "launch__shared_mem_per_block_static"] = number_of($0) }
/^      "dynamic_shared_bytes": / { here[kernel, "launch__shared_mem_per_block_dynamic"] = number_of($0) }
/^      "counters": \{/ { inside = 1; next }
/^      \}/ { inside = limits = rates = 0 }
inside && /^        "/ { here[kernel, name_of($0)] = number_of($0) }
END {
    for (c in relative)
        for (j = 1; j <= launches; j++) {
            k = kernels[j]
            if (!((k, c) in gpu)) continue
            compared++
            value = ((k, c) in here) ? here[k, c] : 0
            off = value - gpu[k, c]
            if (off < 0) off = -off
            agrees = off <= relative[c] * gpu[k, c] || off <= absolute[c]
            if (agrees && (c, k) in excused) { printf "%s %s agrees: its excuse is no longer needed\n", c, k; bad++ }
            if (!agrees && !((c, k) in excused)) { printf "%s %s here %.9g, GPU %.9g\n", c, k, value, gpu[k, c]; bad++ }
        }
    printf "check_counters: %d launches, %d values compared, %d wrong\n", launches, compared, bad
    exit !(launches == 179 && compared > 0 && bad == 0)
}
' "$here/counter_rules.txt" "$here/counter_excuses.txt" "$here/counters_h100.csv" "$3/counter_profile.json"
