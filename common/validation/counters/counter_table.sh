#!/bin/sh
# Writes the table of counters, each beside what an H100 counted (counters_h100.csv), or checks that it is up to date:
#   counter_table.sh [--check] LADDER COUNTER_KERNELS FOLDER STORED TABLE.md      FOLDER takes the profile; STORED: the unpacked archives
# The table stands between two marks in TABLE.md. What a row compares: the kernels of counter_kernels.def in which the
# GPU or the simulator counts anything.
set -eu
check=
if [ "${1:-}" = --check ]; then
    check=yes
    shift
fi
[ $# -eq 5 ] || {
    echo "usage: $0 [--check] LADDER COUNTER_KERNELS FOLDER STORED TABLE.md" >&2
    exit 2
}
here=$(cd "$(dirname "$0")" && pwd)
"$1" profile --json "$3/table_profile.json" -- "$2" >"$3/table_profile.txt" 2>&1 || {
    status=$?
    tail -n 5 "$3/table_profile.txt" >&2
    echo "counter_table: $2 ended with status $status under the profiler" >&2
    exit 1
}
awk "$(cat "$here/counter_data.awk")"'
function row(name, source, text) { names[++rows] = name; sources[name] = source; texts[name] = text }
# Four significant digits, as few characters as possible.
function short(value) { return value >= 10000 ? sprintf("%.0f", value) : sprintf("%.4g", value) }
function percent(value) { return value >= 100 ? sprintf("%.0f", value) : sprintf("%.2g", value) }
function compare(c,    j, k, here, there, off, worst, worst_text, compared, exact, near, worst_k) {
    worst = worst_text = ""
    compared = exact = near = 0
    for (j = 1; j <= launches; j++) {
        k = kernels[j]
        if (!((k, c) in gpu)) continue
        here = ((k, c) in simulated) ? simulated[k, c] : 0
        there = gpu[k, c]
        if (here == 0 && there == 0) continue
        compared++
        off = here - there
        # A percentage is compared with a rounded one.
        if (c ~ /pct$/ && off < 0.0051 && off > -0.0051) off = 0
        if (off == 0) exact++
        off = there == 0 ? 1e9 : off / there
        if (off < 0) off = -off
        if (off <= 0.15) near++
        if (off > worst + 0) { worst = off; worst_k = k; worst_text = short(here) ", GPU " short(there) }
    }
    if (!compared) return
    printf "| %s | `%s` | %s | %d of %d | %d | %s |\n", texts[c], c, sources[c], exact, compared, near, \
        worst == "" ? "" : (worst >= 1e9 ? "" : percent(100 * worst) " %: ") worst_text " (" worst_k ")"
}
BEGIN {
    row("launch__registers_per_thread", "cubin", "registers that the launch gives a thread")
    row("launch__shared_mem_per_block_static", "cubin", "static shared memory of a block")
    row("launch__shared_mem_per_block_dynamic", "launch", "dynamic shared memory of a block")
    row("launch__occupancy_limit_warps", "device", "blocks that fit an SM by its warps")
    row("launch__occupancy_limit_registers", "device", "by its registers")
    row("launch__occupancy_limit_blocks", "device", "by its block slots")
    row("sm__maximum_warps_per_active_cycle_pct", "device", "theoretical occupancy")
    row("l1tex__t_sector_hit_rate.pct", "MODEL", "sectors that the L1 finds, of all it is asked for")
    row("lts__t_sector_op_read_hit_rate.pct", "MODEL", "sectors that the L2 finds, of those read")
}
FILENAME ~ /def$/ && /^SIM_COUNTER\(/ {
    split($0, part, "\"")
    source = part[3]
    gsub(/[, ]/, "", source)
    row(part[2], source, part[4])
    next
}
END {
    print "| what | Nsight Compute | source | exact | within 15 % | largest deviation |"
    print "|---|---|---|---:|---:|---|"
    for (i = 1; i <= rows; i++) compare(names[i])
    exit launches == 0
}
' "$here/../../simulator/device/counters.def" "$4/counters/counters_h100.csv" "$3/table_profile.json" >"$3/table.md"

awk -v table="$3/table.md" '
/^<!-- counters -->$/ { print; while ((getline line < table) > 0) print line; skip = 1; marks++; next }
/^<!-- end of counters -->$/ { skip = 0; marks++ }
!skip { print }
END { if (marks != 2 || skip) { print "counter_table: no marks for the table" > "/dev/stderr"; exit 1 } }
' "$5" >"$3/table_page.md"
if [ -n "$check" ]; then
    cmp -s "$3/table_page.md" "$5" || {
        diff "$5" "$3/table_page.md" | head -n 10 >&2 || true
        echo "counter_table: $5 is out of date: run ./ladder counters" >&2
        exit 1
    }
else
    cat "$3/table_page.md" >"$5"
fi
