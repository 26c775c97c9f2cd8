#!/bin/sh
# Holds the modelled times of timing_kernels, pipelines.cu or fresh.cu to those that are stored, so that the page of the timing model
# is never about another model:
#   check_modelled.sh PROGRAM FAMILY NAME CARD FOLDER STORED    FAMILY/NAME_CARD.csv, of kernels or pipelines; FOLDER takes the runs;
#                                                               STORED: the unpacked archives
set -eu
[ $# -eq 6 ] || {
    echo "usage: $0 PROGRAM FAMILY NAME CARD FOLDER STORED" >&2
    exit 2
}
new=$5/$3_$4.csv stored=timing/$2/$3_$4.csv
sh "$(dirname "$0")/$2/model.sh" "$1" "$4" "$5" >"$new"
cmp -s "$new" "$6/$stored" || {
    diff "$6/$stored" "$new" | head -n 20 >&2
    echo "check_modelled: modelled times have changed: run common/validation/keep.sh simulated $stored $new and ./ladder tables" >&2
    [ "$2" = kernels ] || echo "and correct docs/timing.md" >&2
    exit 1
}
