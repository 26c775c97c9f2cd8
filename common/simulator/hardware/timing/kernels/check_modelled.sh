#!/bin/sh
# SPDX-License-Identifier: MIT
# Runs timing_kernels on the simulator and holds the modelled times to those that are stored, so that the page of the timing
# model is never about another model:
#   check_modelled.sh TIMING_KERNELS FOLDER        FOLDER takes what it prints
set -eu
[ $# -eq 2 ] || {
    echo "usage: $0 TIMING_KERNELS FOLDER" >&2
    exit 2
}
here=$(cd "$(dirname "$0")" && pwd)
LADDER_SIM_DEVICE=h200 "$1" >"$2/modelled_h200.csv"
cmp -s "$2/modelled_h200.csv" "$here/modelled_h200.csv" || {
    diff "$here/modelled_h200.csv" "$2/modelled_h200.csv" | head -n 20 >&2
    echo "check_modelled: modelled times have changed: copy $2/modelled_h200.csv here and run ./ladder tables" >&2
    exit 1
}
