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
echo "lab,case,size,step,name,us,low_us,high_us"
for run in "$here"/../../../../labs/*/measured/"$1.json"; do
    lab=$(sed -n 's/^  "lab": "\(.*\)",$/\1/p' "$run")
    awk -f "$here/rows.awk" "$run" | sed "s/^/$lab,/"
done | awk -F '[ ,]' 'FILENAME != "-" { for (i = 3; i <= NF; i++) wanted[$1, $2, $i] = 1; next }
    ($1, $2, $3) in wanted' "$here/shapes.txt" -
