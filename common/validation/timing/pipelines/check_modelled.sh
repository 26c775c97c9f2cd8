#!/bin/sh
# SPDX-License-Identifier: MIT
# Holds the modelled times of pipelines.cu or fresh.cu to those that are stored:
#   check_modelled.sh PROGRAM NAME CARD FOLDER STORED    NAME_CARD.csv; FOLDER takes the run; STORED: the unpacked archives
set -eu
[ $# -eq 5 ] || {
    echo "usage: $0 PROGRAM NAME CARD FOLDER STORED" >&2
    exit 2
}
here=$(cd "$(dirname "$0")" && pwd)
new=$4/$2_$3.csv
sh "$here/model.sh" "$1" "$3" >"$new"
cmp -s "$new" "$5/timing/pipelines/$2_$3.csv" || {
    diff "$5/timing/pipelines/$2_$3.csv" "$new" >&2
    echo "check_modelled: modelled times have changed: run common/validation/keep.sh simulated timing/pipelines/$2_$3.csv $new and correct docs/timing.md" >&2
    exit 1
}
