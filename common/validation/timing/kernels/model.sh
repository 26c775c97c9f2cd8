#!/bin/sh
# What the simulator models for each kernel, in the columns of modelled_h200.csv:
#   model.sh TIMING_KERNELS CARD FOLDER > modelled_CARD.csv     FOLDER takes both runs
# LD_LIBRARY_PATH leads to the drop-in runtime. Allocations are as far apart as in graded runs.
# us: between two events, by the analytical model; sm_us: by the cycle-level model.
set -eu
[ $# -eq 3 ] || {
    echo "usage: $0 TIMING_KERNELS CARD FOLDER" >&2
    exit 2
}
for times in bounds sm; do
    LADDER_SIM_GUARD=1 LADDER_SIM_DEVICE=$2 LADDER_SIM_TIMES=$times "$1" >"$3/$times.csv" 2>"$3/$times.txt" || {
        tail -n 5 "$3/$times.txt" >&2
        exit 1
    }
done
awk -F, '
    FNR == 1 { file++ }
    file == 1 && /^#/ { card = $0 }
    file == 1 { us[$1] = $4; next }
    /^[a-z0-9_]+,[a-z_]+,(look|held),/ {
        if (rows++ == 0) print card "\nname,kind,half,us,sm_us"
        printf "%s,%s,%s,%.3f,%.3f\n", $1, $2, $3, us[$1], $4
    }
    END { exit rows == 0 }
' "$3/bounds.csv" "$3/sm.csv"
