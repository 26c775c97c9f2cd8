#!/bin/sh
# Compares the simulator's counters with a GPU's, kernel by kernel: the table from which counters are chosen to grade on.
#   ladder profile --json PROFILE.json -- counter_kernels
#   compare_counters.sh COUNTERS.csv PROFILE.json [COUNTER]
# One line a counter: kernels compared, how many agree exactly, within 1 %, within 15 %, and the worst one.
# With a COUNTER, one line a kernel that does not agree exactly: its value here, the GPU's, their ratio.
set -eu
[ $# -eq 2 ] || [ $# -eq 3 ] || {
    echo "usage: $0 COUNTERS.csv PROFILE.json [COUNTER]" >&2
    exit 2
}
here=$(cd "$(dirname "$0")" && pwd)
awk -v only="${3:-}" "$(cat "$here/counter_data.awk")"'
# A counter that a launch does not name is 0 there.
function compare(kernel, counter,    here, there, off) {
    if (!((kernel, counter) in gpu)) return
    here = (kernel, counter) in simulated ? simulated[kernel, counter] : 0
    there = gpu[kernel, counter]
    off = here == there ? 0 : there == 0 ? 1e9 : (here - there) / there
    if (off < 0) off = -off
    compared[counter]++
    if (off == 0) exact[counter]++
    if (off <= 0.01) near[counter]++
    if (off <= 0.15) close_by[counter]++
    if (off > worst[counter]) {
        worst[counter] = off
        worst_text[counter] = sprintf("%s: %.6g, GPU %.6g", kernel, here, there)
    }
    if (counter == only && off != 0)
        printf "%-34s %14.6g %14.6g %8.3f\n", kernel, here, there, there == 0 ? 0 : here / there
}
END {
    counters[++counter_count] = "lts__t_sector_op_read_hit_rate.pct"
    for (pair in simulated) { split(pair, part, SUBSEP); known[part[2]] = 1 }
    for (i = 1; i <= counter_count; i++)
        if (counters[i] in known) for (j = 1; j <= launches; j++) compare(kernels[j], counters[i])
    if (only != "") exit 0
    printf "%-62s %7s %6s %6s %6s  %s\n", "counter", "kernels", "exact", "1 %", "15 %", "worst"
    for (i = 1; i <= counter_count; i++) {
        c = counters[i]
        if (!compared[c]) continue
        total++
        printf "%-62s %7d %6d %6d %6d  %s\n", c, compared[c], exact[c], near[c], close_by[c], worst_text[c]
    }
    if (!total) { print "compare_counters: nothing to compare" > "/dev/stderr"; exit 1 }
}
' "$1" "$2"
