#!/bin/sh
# What the micro-benchmarks of one warp print on the simulator, in the columns of micro_h200.csv:
#   simulate.sh MICRO [GROUP..] > simulated_h200.csv        LD_LIBRARY_PATH leads to the drop-in runtime
set -eu
[ $# -ge 1 ] || {
    echo "usage: $0 MICRO [GROUP..]" >&2
    exit 2
}
program=$1
shift
[ $# -gt 0 ] || set -- pipes matrix shared latencies constants blocks clocks
LADDER_SIM_DEVICE=h200 "$program" small "$@" 2>/dev/null | sed 's/^# NVIDIA H200,/# NVIDIA H200 (simulated),/'
