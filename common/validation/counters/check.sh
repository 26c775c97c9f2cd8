#!/bin/sh
# Holds the simulator's counters of a program's launches to a GPU's:
#   check.sh WHAT LADDER PROGRAM GPU.csv FOLDER        FOLDER takes the profile; GPU.csv: of the unpacked archives
# WHAT: rules     by the tolerances of counter_rules.txt; a kernel may be excused in counter_excuses.txt, with a reason; an excuse that
#                 is not needed fails as well. Instructions of the machine code, where they are known (half of the kernels), are equal
#       equal     launch by launch, without a difference
#       unrolled  where one differs, the launch must say so by the counter of accesses that the machine code has in another form
set -eu
[ $# -eq 5 ] || {
    echo "usage: $0 WHAT LADDER PROGRAM GPU.csv FOLDER" >&2
    exit 2
}
here=$(cd "$(dirname "$0")" && pwd)
profile=$5/${3##*/}_profile numbered=
"$2" profile --json "$profile.json" -- "$3" >"$profile.txt" 2>&1 || {
    status=$?
    tail -n 5 "$profile.txt" >&2
    echo "check: $3 ended with status $status under the profiler" >&2
    exit 1
}
case $1 in
rules)
    script='
FILENAME ~ /rules/ { if ($1 !~ /^#/ && NF == 3) { relative[$1] = $2; absolute[$1] = $3 } next }
FILENAME ~ /excuses/ { if ($1 !~ /^#/ && NF >= 3) excused[$1, $2] = 1; next }
END {
    for (c in relative)
        for (j = 1; j <= launches; j++) {
            k = kernels[j]
            if (!((k, c) in gpu)) continue
            value = of(k, c)
            agrees = off <= relative[c] * gpu[k, c] || off <= absolute[c]
            if (agrees && (c, k) in excused) { printf "%s %s agrees: its excuse is no longer needed\n", c, k; bad++ }
            if (!agrees && !((c, k) in excused)) { printf "%s %s here %.9g, GPU %.9g\n", c, k, value, gpu[k, c]; bad++ }
        }
    for (j = 1; j <= launches; j++) {
        machine = simulated[kernels[j], "sim__machine_inst_executed.sum"]
        if (machine) known++
        if (machine && machine != gpu[kernels[j], "smsp__inst_executed.sum"]) { print "machine instructions of " kernels[j]; bad++ }
    }
    close_check(launches == 179 && known > 89)
}'
    ;;
equal)
    numbered=1
    script='
END {
    for (key in gpu) {
        split(key, part, SUBSEP)
        value = of(part[1], part[2])
        if (!off) continue
        printf "launch %d, %s: %s here %d, GPU %d\n", part[1], kernels[part[1] + 1], part[2], value, gpu[key]
        bad++
    }
    close_check(launches == expected)
}'
    ;;
unrolled)
    script='
END {
    for (j = 1; j <= launches; j++) {
        k = kernels[j]
        wrong = ""
        for (pair in gpu) {
            split(pair, part, SUBSEP)
            if (part[1] != k) continue
            value = of(k, part[2])
            if (off > 1) wrong = wrong sprintf("  %s here %d, GPU %d\n", part[2], value, gpu[pair]) # one wavefront is noise
        }
        said = simulated[k, "sim__accesses_differ.sum"] > 0
        if (wrong != "") printf "%s%s\n%s", k, said ? " (said to differ)" : " WRONG", wrong
        if (wrong != "" && !said) bad++
    }
    close_check(launches == 22 && compared == 176)
}'
    ;;
esac
awk -v numbered="$numbered" "$(cat "$here/counter_data.awk")"'
# What the simulator has of a counter, with how far `off` the GPU is.
function of(kernel, counter,    here) {
    here = (kernel, counter) in simulated ? simulated[kernel, counter] : 0
    off = here - gpu[kernel, counter]
    if (off < 0) off = -off
    compared++
    return here
}
function close_check(complete) {
    printf "check: %d launches, %d values compared, %d wrong\n", launches, compared, bad
    exit !(complete && compared > 0 && bad == 0)
}'"$script" "$here/counter_rules.txt" "$here/counter_excuses.txt" "$4" "$profile.json"
