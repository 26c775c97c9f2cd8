#!/bin/sh
# What the simulator models for the programs of a folder, in the columns of what is stored of it:
#   model.sh kernels TIMING_KERNELS CARD FOLDER
#   model.sh pipelines PROGRAM CARD                of pipelines.cu or fresh.cu
#   model.sh labs LABS CARD FOLDER                 the labs' steps at the shapes of shapes.txt; LABS: build/labs
#   model.sh micro MICRO [GROUP..]                 the micro-benchmarks of one warp, on an H200
# FOLDER takes the runs. LD_LIBRARY_PATH leads to the drop-in runtime. Allocations are as far apart as in graded runs, but for micro.
# us: between two events, by the analytical model; sm_us: by the cycle-level model.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
what=$1 program=$2 card=${3:-} folder=${4:-}
shift 2
case $what in
kernels)
    for times in bounds sm; do
        # one thread: two kernels do what depends on the order of blocks
        LADDER_SIM_THREADS=1 LADDER_SIM_GUARD=1 LADDER_SIM_DEVICE=$card LADDER_SIM_TIMES=$times "$program" >"$folder/$times.csv" 2>"$folder/$times.txt" || {
            tail -n 5 "$folder/$times.txt" >&2
            exit 1
        }
    done
    awk -F, '
        FNR == 1 { file++ }
        file == 1 && /^#/ { card = $0 }
        file == 1 { us[$1] = $4; next }
        /^[a-z0-9_]+,[a-z_]+,(look|held|new|cause),/ {
            if (rows++ == 0) print card "\nname,kind,half,us,sm_us"
            printf "%s,%s,%s,%.3f,%.3f\n", $1, $2, $3, us[$1], $4
        }
        END { exit rows == 0 }
    ' "$folder/bounds.csv" "$folder/sm.csv"
    ;;
pipelines)
    LADDER_SIM_GUARD=1 LADDER_SIM_DEVICE=$card "$program" | awk -F, '
        /^#/ { print; next }
        { print $1 "," $2; rows++ }
        END { exit rows < 2 }
    '
    ;;
labs)
    for times in bounds sm; do
        LADDER_SIM_GUARD=1 LADDER_SIM_TIMES=$times sh "$here/labs/time.sh" "$program" "$card" "$folder/$times" >"$folder/$times.csv"
    done
    awk -F, '
        { shape = $1 "," $2 "," $3 "," $4 }
        NR == FNR { us[shape] = $6; next }
        FNR == 1 { print "lab,case,size,step,us,sm_us"; next }
        { printf "%s,%s,%s\n", shape, us[shape], $6 }
    ' "$folder/bounds.csv" "$folder/sm.csv"
    ;;
micro)
    [ $# -gt 0 ] || set -- pipes matrix shared latencies constants blocks clocks
    LADDER_SIM_DEVICE=h200 "$program" small "$@" 2>/dev/null | sed 's/^# NVIDIA H200,/# NVIDIA H200 (simulated),/'
    ;;
esac
