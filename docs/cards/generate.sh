#!/bin/sh
# Runs the simulator for docs/cards.md anew: gemv_gtx8800.csv and softmax_rtx4060.csv. Some minutes; then ./ladder tables.
#   docs/cards/generate.sh BUILD
set -eu
build=$(CDPATH='' cd -- "${1:?the build folder}" && pwd -P)
cd "$(dirname "$0")"
gemv() {
    LD_LIBRARY_PATH=$build/common/simulator LADDER_SIM_DEVICE=./gtx8800.txt LADDER_SIM_GUARD=1 \
        "$build/common/simulator/tests/programs/program_gemv_orders" "$@"
}
{
    gemv 16 16 1
    gemv 64 64 1
    gemv 128 1792 128
    gemv 2032 2080 1
    gemv 2112 3072 64
    gemv 3584 5632 512
    gemv 6080 6082 1
    gemv 6084 6084 1
    gemv 6088 6096 8
    gemv 6144 6144 1
} >gemv_gtx8800.csv
sh ./softmax.sh "$build" >softmax_rtx4060.csv
