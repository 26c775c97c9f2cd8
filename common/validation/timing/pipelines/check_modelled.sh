#!/bin/sh
# SPDX-License-Identifier: MIT
# Holds the modelled times of pipelines.cu to those that are stored:
#   check_modelled.sh PIPELINES CARD FOLDER        FOLDER takes the run
set -eu
[ $# -eq 3 ] || {
    echo "usage: $0 PIPELINES CARD FOLDER" >&2
    exit 2
}
here=$(cd "$(dirname "$0")" && pwd)
new=$3/pipelines_$2.csv
sh "$here/model.sh" "$1" "$2" >"$new"
cmp -s "$new" "$here/modelled_$2.csv" || {
    diff "$here/modelled_$2.csv" "$new" >&2
    echo "check_modelled: modelled times have changed: copy $new here and correct docs/timing.md" >&2
    exit 1
}
