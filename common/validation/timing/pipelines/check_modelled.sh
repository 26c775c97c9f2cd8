#!/bin/sh
# SPDX-License-Identifier: MIT
# Holds the modelled times of pipelines.cu or fresh.cu to those that are stored:
#   check_modelled.sh PROGRAM STORED CARD FOLDER    STORED_CARD.csv; FOLDER takes the run
set -eu
[ $# -eq 4 ] || {
    echo "usage: $0 PROGRAM STORED CARD FOLDER" >&2
    exit 2
}
here=$(cd "$(dirname "$0")" && pwd)
new=$4/$2_$3.csv
sh "$here/model.sh" "$1" "$3" >"$new"
cmp -s "$new" "$here/$2_$3.csv" || {
    diff "$here/$2_$3.csv" "$new" >&2
    echo "check_modelled: modelled times have changed: copy $new here and correct docs/timing.md" >&2
    exit 1
}
