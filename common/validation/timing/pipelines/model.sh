#!/bin/sh
# What the simulator models for the kernels of pipelines.cu or fresh.cu, in the columns of modelled_h200.csv:
#   model.sh PROGRAM CARD [FOLDER] > modelled_CARD.csv
# LD_LIBRARY_PATH leads to the drop-in runtime. Allocations are as far apart as in graded runs.
set -eu
[ $# -ge 2 ] || {
    echo "usage: $0 PROGRAM CARD [FOLDER]" >&2
    exit 2
}
LADDER_SIM_GUARD=1 LADDER_SIM_DEVICE=$2 "$1" | awk -F, '
    /^#/ { print; next }
    { print $1 "," $2; rows++ }
    END { exit rows < 2 }
'
