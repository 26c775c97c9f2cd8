#!/bin/sh
# Holds what the cycle-level model gives for boxes and fences to what a card took:
#   check_units.sh UNITS CARD FOLDER STORED        UNITS: units.cu, built; FOLDER takes the run; STORED: the unpacked archives
# One SM's boxes within 3 %; those of all SMs, shared as in a product of matrices, within a quarter, if their rows have 64 bytes or
# more: shorter ones meet on their way to the L2 as they do not in kernels. Fences of the host, too, within 15 %: two H100s differ by 13 %.
set -eu
[ $# -eq 4 ] || {
    echo "usage: $0 UNITS CARD FOLDER STORED" >&2
    exit 2
}
LADDER_SIM_DEVICE=$2 "$1" launches streams >"$3/units_$2.csv"
awk -F, '
    function limit(name) {
        if (name ~ /^stream_one_/) return 0.03
        if (name ~ /^stream_all_16_by_16_/) return name ~ /_(16|32)_bytes/ ? 0 : 0.25
        return name ~ /^fence_system$/ ? 0.15 : 0
    }
    /^#/ || /^name,/ || !limit($1) { next }
    NR == FNR { measured[$1] = $2; next }
    {
        off = $2 / measured[$1] - 1
        rows++
        if (off > limit($1) || -off > limit($1)) { printf "%s: %s modelled, %s measured\n", $1, $2, measured[$1]; bad++ }
    }
    END { exit bad || rows < 20 }
' "$4/timing/pipelines/units_$2.csv" "$3/units_$2.csv" >&2
