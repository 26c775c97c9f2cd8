#!/bin/sh
# What labs/measured has of the shapes of shapes.txt, as CSV: lab,case,size,step,name,us,low_us,high_us
#   stored.sh CARD     CARD: h200, h100, simulator_h200, ..
set -eu
[ $# -eq 1 ] || {
    echo "usage: $0 CARD" >&2
    exit 2
}
here=$(cd "$(dirname "$0")" && pwd)
root=$here/../../../..
echo "lab,case,size,step,name,us,low_us,high_us"
case $1 in simulator_*) file=simulator document=run_${1#simulator_} ;; *) file=$1 document=run ;; esac
awk -F , -v OFS=, -v document="$document" '
    $1 == "lab" && $2 == "document" { for (i = 4; i <= NF; i++) column[$3, $i] = i; next }
    $2 != document { next }
    { lab = substr($1, 4) } # without its number
    $3 == "steps" { step = $column["steps", "step"]; name = $column["steps", "name"] }
    $3 == "steps/results" {
        us = $column[$3, "time_us"]
        split($column[$3, "ci_us[]"], bound, " ")
        printf "%s,%s,%s,%s,%s,%.3f,%.3f,%.3f\n", lab, $column[$3, "case"], $column[$3, "size"], step, name, us, bound[1], bound[2]
    }' "$root/labs/measured/$file.csv" |
    awk -F '[ ,]' 'FILENAME != "-" { for (i = 3; i <= NF; i++) wanted[$1, $2, $i] = 1; next }
        ($1, $2, $3) in wanted' "$here/shapes.txt" -
