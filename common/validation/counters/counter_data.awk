# SPDX-License-Identifier: MIT
# Reads what a comparison of counters needs: gpu[kernel, counter] from a CSV of collect_counters.sh, simulated[kernel,
# counter] and kernels[1..launches] from the JSON of `ladder profile`, in the layout in which that writes it. The first
# part of check_counters.sh's and counter_table.sh's programs; END is theirs.
function name_of(line) { sub(/^ *"/, "", line); sub(/".*/, "", line); return line }
function text_of(line) { sub(/^[^:]*: "/, "", line); sub(/",?$/, "", line); return line }
function number_of(line) { sub(/^[^:]*: /, "", line); return line + 0 }
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
/^      "registers": / { simulated[kernel, "launch__registers_per_thread"] = number_of($0) }
/^      "occupancy": / { simulated[kernel, "sm__maximum_warps_per_active_cycle_pct"] = 100 * number_of($0) }
/^      "occupancy_limits": \{/ { limits = 1 }
limits && /^        "(warps|blocks|registers)": / { simulated[kernel, "launch__occupancy_limit_" name_of($0)] = number_of($0) }
/^      "hit_rates": \{/ { rates = 1 }
rates && /^        "/ { simulated[kernel, name_of($0)] = number_of($0) }
/^      "static_shared_bytes": / { simulated[kernel, "launch__shared_mem_per_block_static"] = number_of($0) }
/^      "dynamic_shared_bytes": / { simulated[kernel, "launch__shared_mem_per_block_dynamic"] = number_of($0) }
/^      "counters": \{/ { inside = 1; next }
/^      \}/ { inside = limits = rates = 0 }
inside && /^        "/ { simulated[kernel, name_of($0)] = number_of($0) }
