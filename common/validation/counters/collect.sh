#!/bin/sh
# Reads a GPU's own counters for steps of a lab with Nsight Compute and writes them as one CSV: the golden
# data that the simulator's counts are compared with. Needs a GPU, ncu and permission to read counters.
#   collect.sh LAB_PROGRAM OUTPUT.csv "STEPS" "SIZES" [extra program options]
# A heading, step,size,launch,kernel,grid,block and the counters, and a row for each launch.
set -eu
program=$1
output=$2
steps=$3
sizes=$4
shift 4

here=$(cd "$(dirname "$0")" && pwd)
. "$here/collect_metrics.sh"

ncu_heading step,size, >"$output"
for step in $steps; do
    for size in $sizes; do
        ncu --csv --clock-control none --print-units base --kernel-name-base function --metrics "$metrics" \
            "$program" "$@" --launch-once "$step" --size "$size" 2>&1 |
            ncu_rows "$step,$size," " for step $step at size $size" >>"$output" || true # the others are still wanted
    done
done
