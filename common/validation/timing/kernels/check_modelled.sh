#!/bin/sh
# SPDX-License-Identifier: MIT
# Holds what the simulator models for timing_kernels to what is stored, so that the page of the timing model is never about
# another model:
#   check_modelled.sh TIMING_KERNELS CARD FOLDER STORED        FOLDER takes the runs; STORED: the unpacked archives
set -eu
[ $# -eq 4 ] || {
    echo "usage: $0 TIMING_KERNELS CARD FOLDER STORED" >&2
    exit 2
}
here=$(cd "$(dirname "$0")" && pwd)
sh "$here/model.sh" "$1" "$2" "$3" >"$3/modelled_$2.csv"
cmp -s "$3/modelled_$2.csv" "$4/timing/kernels/modelled_$2.csv" || {
    diff "$4/timing/kernels/modelled_$2.csv" "$3/modelled_$2.csv" | head -n 20 >&2
    echo "check_modelled: modelled times have changed: run common/validation/keep.sh simulated timing/kernels/modelled_$2.csv $3/modelled_$2.csv and ./ladder tables" >&2
    exit 1
}
