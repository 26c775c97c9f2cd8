#!/bin/sh
# Holds what the micro-benchmarks print on the simulator to what is stored, and that to an H200:
#   check_simulated.sh MICRO FOLDER STORED [GROUP..]        FOLDER takes the output; STORED: the unpacked archives
# Each row must be within a tenth of the measured one, or within 1.5 cycles, or be named with its limit in
# simulated_known.txt.
set -eu
[ $# -ge 3 ] || {
    echo "usage: $0 MICRO FOLDER STORED [GROUP..]" >&2
    exit 2
}
here=$(cd "$(dirname "$0")" && pwd)
program=$1
out=$2/simulated_h200.csv stored=$3/timing/micro
shift 3
sh "$here/simulate.sh" "$program" "$@" >"$out"
awk -F, -v groups=$# '
    FILENAME ~ /simulated_known/ { if ($0 !~ /^#/ && NF) { split($0, word, " "); limit[word[1]] = word[2] } next }
    /^#/ || /^name,/ { next }
    FILENAME ~ /micro_h200/ { measured[$1] = $2; next }
    !(FILENAME in met) { met[FILENAME] = 1; files++ }
    files == 1 { stored[$1] = $2; next }
    {
        rows++
        if (stored[$1] != $2) { printf "%s: %s cycles, %s are stored\n", $1, $2, stored[$1]; bad++ }
        if (!($1 in measured)) { printf "%s: not measured\n", $1; bad++; next }
        off = $2 - measured[$1]
        if (off < 0) off = -off
        allowed = ($1 in limit ? limit[$1] : 0.1) * measured[$1]
        if (allowed < 1.5) allowed = 1.5
        if (off > allowed) { printf "%s: %s simulated, %s measured\n", $1, $2, measured[$1]; bad++ }
    }
    END {
        if (!rows) print "check_simulated: no rows"
        if (!groups) for (name in stored) kept++
        if (!groups && kept != rows) { printf "%d rows, %d are stored\n", rows, kept; bad++ }
        exit bad || !rows
    }
' "$here/simulated_known.txt" "$stored/micro_h200.csv" "$stored/simulated_h200.csv" "$out" >&2 || {
    echo "check_simulated: see above; when the model has changed: run common/validation/keep.sh simulated timing/micro/simulated_h200.csv $out and ./ladder tables" >&2
    exit 1
}
