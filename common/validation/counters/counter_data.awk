# Reads what a comparison of counters needs: gpu[launch, counter] from a CSV (../README.md), simulated[launch, counter] from the
# JSON of `ladder profile`, in the layout in which that writes it; a launch goes by its kernel's name, or, with
# numbered = 1, by its number from 0. kernels[1..launches] and counters[1..counter_count] have them in the files' order.
# The first part of the programs of the scripts that compare; END is theirs.
function name_of(line) { sub(/^ *"/, "", line); sub(/".*/, "", line); return line }
function text_of(line) { sub(/^[^:]*: "/, "", line); sub(/",?$/, "", line); return line }
function number_of(line) { sub(/^[^:]*: /, "", line); return line + 0 }
FILENAME ~ /csv$/ {
    if (/^#/) next
    n = split($0, field, ",")
    if (field[1] == "launch") {
        for (i = 3; i <= n; i++)
            if (field[i] != "grid" && field[i] != "block") { counters[++counter_count] = field[i]; at[counter_count] = i }
        next
    }
    launch = numbered ? field[1] : field[2]
    expected++
    for (i = 1; i <= counter_count; i++) if (field[at[i]] != "") gpu[launch, counters[i]] = field[at[i]] + 0
    hits = launch SUBSEP "lts__t_sectors_op_read_lookup_hit.sum"
    reads = launch SUBSEP "lts__t_sectors_op_read.sum"
    if (hits in gpu && gpu[reads] > 0) gpu[launch, "lts__t_sector_op_read_hit_rate.pct"] = 100 * gpu[hits] / gpu[reads]
    next
}
/^      "kernel": / { kernels[++launches] = text_of($0); launch = numbered ? launches - 1 : kernels[launches] }
/^      "registers": / { simulated[launch, "launch__registers_per_thread"] = number_of($0) }
/^      "occupancy": / { simulated[launch, "sm__maximum_warps_per_active_cycle_pct"] = 100 * number_of($0) }
/^      "occupancy_limits": \{/ { limits = 1 }
limits && /^        "(warps|blocks|registers)": / { simulated[launch, "launch__occupancy_limit_" name_of($0)] = number_of($0) }
/^      "hit_rates": \{/ { rates = 1 }
rates && /^        "/ { simulated[launch, name_of($0)] = number_of($0) }
/^      "static_shared_bytes": / { simulated[launch, "launch__shared_mem_per_block_static"] = number_of($0) }
/^      "dynamic_shared_bytes": / { simulated[launch, "launch__shared_mem_per_block_dynamic"] = number_of($0) }
/^      "counters": \{/ { inside = 1; next }
/^      \}/ { inside = limits = rates = 0 }
inside && /^        "/ { simulated[launch, name_of($0)] = number_of($0) }
