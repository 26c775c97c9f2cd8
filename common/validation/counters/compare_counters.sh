#!/bin/sh
# SPDX-License-Identifier: MIT
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
awk -v only="${3:-}" '
function text_of(line) { # the string value of a line of JSON
    sub(/^[^:]*: "/, "", line)
    sub(/",?$/, "", line)
    return line
}
function number_of(line) {
    sub(/^[^:]*: /, "", line)
    sub(/,$/, "", line)
    return line + 0
}
function name_of(line) {
    sub(/^ *"/, "", line)
    sub(/".*/, "", line)
    return line
}
function keep(counter, value) {
    if (!(counter in known)) { known[counter] = 1; order[++counters] = counter }
    simulated[kernel, counter] = value
}
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
FNR == NR {
    n = split($0, field, ",")
    if (FNR > 1 && n >= 6) gpu[field[2], field[n - 1]] = field[n] + 0
    next
}
/^      "kernel": / { kernel = text_of($0); kernels[++launches] = kernel }
/^      "registers": / { keep("launch__registers_per_thread", number_of($0)) }
/^      "static_shared_bytes": / { keep("launch__shared_mem_per_block_static", number_of($0)) }
/^      "dynamic_shared_bytes": / { keep("launch__shared_mem_per_block_dynamic", number_of($0)) }
/^      "occupancy": / { keep("sm__maximum_warps_per_active_cycle_pct", 100 * number_of($0)) }
/^      "counters": \{/ { inside = 1; next }
/^      \}/ { inside = 0 }
inside && /^        "/ { keep(name_of($0), number_of($0)) }
END {
    for (i = 1; i <= counters; i++)
        for (j = 1; j <= launches; j++) compare(kernels[j], order[i])
    if (only != "") exit 0
    printf "%-62s %7s %6s %6s %6s  %s\n", "counter", "kernels", "exact", "1 %", "15 %", "worst"
    for (i = 1; i <= counters; i++) {
        c = order[i]
        if (!compared[c]) continue
        total++
        printf "%-62s %7d %6d %6d %6d  %s\n", c, compared[c], exact[c], near[c], close_by[c], worst_text[c]
    }
    if (!total) { print "compare_counters: nothing to compare" > "/dev/stderr"; exit 1 }
}
' "$1" "$2"
