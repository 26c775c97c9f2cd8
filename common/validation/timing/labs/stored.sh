#!/bin/sh
# SPDX-License-Identifier: MIT
# What labs/*/measured/CARD.json have of the shapes of shapes.txt, as CSV: lab,case,size,step,name,us,low_us,high_us
#   stored.sh CARD     CARD: h200, h100, simulator_h200, ..
set -eu
[ $# -eq 1 ] || {
    echo "usage: $0 CARD" >&2
    exit 2
}
here=$(cd "$(dirname "$0")" && pwd)
root=$here/../../../..
echo "lab,case,size,step,name,us,low_us,high_us"
awk -f "$root/common/lab/run_rows.awk" "$root"/labs/*/measured/"$1.json" |
    awk -F '[ ,]' 'FILENAME != "-" { for (i = 3; i <= NF; i++) wanted[$1, $2, $i] = 1; next }
        ($1, $2, $3) in wanted' "$here/shapes.txt" -
