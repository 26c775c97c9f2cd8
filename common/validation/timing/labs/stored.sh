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
    $1 == "lab" && $2 == "document" {
        for (i = 4; i <= NF; i++) column[$3, $i] = i
        columns = split($0, heading)
        next
    }
    $2 != document { next }
    $3 == "-" { steps = 0 }
    $3 == "steps" { name[steps++] = $column["steps", "step"] "," $column["steps", "name"] }
    $3 == "cases" { # columns of steps are steps/INDEX/results:MEMBER
        for (i = 4; i <= columns; i++) {
            if (heading[i] !~ /^steps.*:time_us$/ || $i == "") continue
            split(heading[i], part, "/")
            split($column["cases", substr(heading[i], 1, length(heading[i]) - 7) "ci_us[]"], bound, " ")
            printf "%s,%s,%s,%s,%.3f,%.3f,%.3f\n", substr($1, 4), $4, $5, name[part[2]], $i, bound[1], bound[2]
        }
    }' "$root/labs/measured/$file.csv" |
    awk -F '[ ,]' 'FILENAME != "-" { for (i = 3; i <= NF; i++) wanted[$1, $2, $i] = 1; next }
        ($1, $2, $3) in wanted' "$here/shapes.txt" -
