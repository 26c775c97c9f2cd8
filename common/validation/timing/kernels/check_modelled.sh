#!/bin/sh
# SPDX-License-Identifier: MIT
# Holds what the simulator models for timing_kernels to what is stored, so that the page of the timing model is never about
# another model:
#   check_modelled.sh TIMING_KERNELS CARD FOLDER        FOLDER takes the runs
set -eu
[ $# -eq 3 ] || {
    echo "usage: $0 TIMING_KERNELS CARD FOLDER" >&2
    exit 2
}
here=$(cd "$(dirname "$0")" && pwd)
sh "$here/model.sh" "$1" "$2" "$3" >"$3/modelled_$2.csv"
cmp -s "$3/modelled_$2.csv" "$here/modelled_$2.csv" || {
    diff "$here/modelled_$2.csv" "$3/modelled_$2.csv" | head -n 20 >&2
    echo "check_modelled: modelled times have changed: copy $3/modelled_$2.csv here and run ./ladder tables" >&2
    exit 1
}
