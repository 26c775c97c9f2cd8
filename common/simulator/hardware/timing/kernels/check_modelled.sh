#!/bin/sh
# SPDX-License-Identifier: MIT
# Holds what the simulator models for timing_kernels to what is stored, so that the page of the timing model is never about
# another model:
#   check_modelled.sh LADDER TIMING_KERNELS FOLDER        FOLDER takes the profile
set -eu
[ $# -eq 3 ] || {
    echo "usage: $0 LADDER TIMING_KERNELS FOLDER" >&2
    exit 2
}
here=$(cd "$(dirname "$0")" && pwd)
sh "$here/model.sh" "$1" "$2" "$3" >"$3/modelled_h200.csv"
cmp -s "$3/modelled_h200.csv" "$here/modelled_h200.csv" || {
    diff "$here/modelled_h200.csv" "$3/modelled_h200.csv" | head -n 20 >&2
    echo "check_modelled: modelled times have changed: copy $3/modelled_h200.csv here and run ./ladder tables" >&2
    exit 1
}
