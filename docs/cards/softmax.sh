#!/bin/sh
# Lab 06 on a simulated RTX 4060, as softmax_rtx4060.csv has it:
#   docs/cards/softmax.sh BUILD [STORED]     prints it; with STORED fails unless that file is the same
set -eu
build=$(CDPATH='' cd -- "${1:?the build folder}" && pwd -P)
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd -P)
print_rows() {
    cat <<'TEXT'
# Modelled times in microseconds on an RTX 4060: rows, columns, then steps 1 to 6 of lab 06 (one,
# two and four rows per warp, each without and with float4), as `ladder run softmax --device rtx4060`
# prints them.
TEXT
    for rows in 32 1024 2048; do
        for columns in 32 1024 2048; do
            "$build/labs/06_softmax/softmax" --solution --device rtx4060 --case "rows-$rows" --size "$columns" \
                --step 1 --step 2 --step 3 --step 4 --step 5 --step 6 --json - 2>/dev/null |
                awk -f "$here/../../common/lab/run_rows.awk" |
                awk -F, -v line="$rows,$columns" '{ line = line sprintf(",%.3f", $6) } END { print line }'
        done
    done
}
if [ $# -lt 2 ]; then
    print_rows
    exit
fi
print_rows | diff "$2" - >&2 || {
    echo "$2 is stale: docs/cards/generate.sh writes it anew" >&2
    exit 1
}
