#!/bin/sh
# What the simulator models for the labs' steps at the shapes of shapes.txt, as CSV: lab,case,size,step,us,sm_us
#   model.sh LABS CARD FOLDER > modelled_CARD.csv     LABS: build/labs; FOLDER takes the runs
# LD_LIBRARY_PATH leads to the drop-in runtime. Allocations are as far apart as in graded runs.
# us: by the analytical model; sm_us: by the cycle-level model.
set -eu
[ $# -eq 3 ] || {
    echo "usage: $0 LABS CARD FOLDER" >&2
    exit 2
}
here=$(cd "$(dirname "$0")" && pwd)
for times in bounds sm; do
    LADDER_SIM_GUARD=1 LADDER_SIM_TIMES=$times sh "$here/time.sh" "$1" "$2" "$3/$times" >"$3/$times.csv"
done
awk -F, '
    { shape = $1 "," $2 "," $3 "," $4 }
    NR == FNR { us[shape] = $6; next }
    FNR == 1 { print "lab,case,size,step,us,sm_us"; next }
    { printf "%s,%s,%s\n", shape, us[shape], $6 }
' "$3/bounds.csv" "$3/sm.csv"
