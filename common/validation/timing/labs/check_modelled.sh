#!/bin/sh
# Holds what the simulator models for the labs' steps to what is stored, at the smallest size of each shape:
#   check_modelled.sh LABS CARD FOLDER STORED        LABS: build/labs; FOLDER takes the runs; STORED: the unpacked archives
# LD_LIBRARY_PATH leads to the drop-in runtime. A row may be off by a millionth, or by a thousandth of a microsecond.
set -eu
[ $# -eq 4 ] || {
    echo "usage: $0 LABS CARD FOLDER STORED" >&2
    exit 2
}
here=$(cd "$(dirname "$0")" && pwd)
SHAPES=$3/shapes.txt
export SHAPES
awk '/^[a-z]/ { print $1, $2, $3 }' "$here/shapes.txt" >"$SHAPES"
sh "$here/model.sh" "$1" "$2" "$3" >"$3/modelled_$2.csv"
awk -F, '
    FNR == 1 { next }
    NR == FNR { us[$1, $2, $3, $4] = $5; sm[$1, $2, $3, $4] = $6; next }
    function differs(a, b) { d = a - b; if (d < 0) d = -d; return d > 0.0015 && d > 1e-6 * a }
    {
        rows++
        shape = $1 SUBSEP $2 SUBSEP $3 SUBSEP $4
        if (!(shape in us)) { printf "%s %s %s, step %s is not stored\n", $1, $2, $3, $4; bad++ }
        else if (differs(us[shape], $5) || differs(sm[shape], $6)) {
            printf "%s %s %s, step %s: %s and %s us, stored %s and %s\n", $1, $2, $3, $4, $5, $6, us[shape], sm[shape]
            bad++
        }
    }
    END { exit bad || rows < 100 }
' "$4/timing/labs/modelled_$2.csv" "$3/modelled_$2.csv" >&2 || {
    echo "check_modelled: modelled times of the labs have changed: make modelled_$2.csv anew (docs/validation.md) and run ./ladder tables" >&2
    exit 1
}
