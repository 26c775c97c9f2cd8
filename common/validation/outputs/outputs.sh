#!/bin/sh
# Hashes of what the labs' solutions give in their quick cases, one line each: lab case size step output hash
#   outputs.sh LABS DEVICE FOLDER > outputs_CARD.txt     LABS: build/labs; DEVICE: gpu, or a card to simulate
#   outputs.sh LABS DEVICE FOLDER --compare FILE         compares with such lines, as far as outputs_known.txt does not
#                                                        excuse their step
# FOLDER takes each lab's output. On the simulator LD_LIBRARY_PATH leads to the drop-in runtime.
set -eu
[ $# -eq 3 ] || { [ $# -eq 5 ] && [ "$4" = --compare ]; } || {
    echo "usage: $0 LABS DEVICE FOLDER [--compare FILE]" >&2
    exit 2
}
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$3"
LADDER_OUTPUT_HASHES=$3/hashes.txt LADDER_SIM_MODE=functional
export LADDER_OUTPUT_HASHES LADDER_SIM_MODE
rm -f "$LADDER_OUTPUT_HASHES"
for folder in "$1"/[0-9]*; do
    lab=${folder##*/}
    lab=${lab#*_}
    "$folder/$lab" --solution --device "$2" --check-only --quick >"$3/$lab.txt" 2>&1 || {
        echo "outputs.sh: $lab failed" >&2
        tail -n 5 "$3/$lab.txt" >&2
        exit 1
    }
done
sort -u "$LADDER_OUTPUT_HASHES" >"$3/sorted.txt"
[ $# -eq 5 ] || {
    cat "$3/sorted.txt"
    exit 0
}
# A row of the table that is not needed is a mistake, too.
awk '
    FILENAME == ARGV[1] { if ($1 != "#") reason[$1, $2, $3] = 1; next }
    FILENAME == ARGV[2] { if ($1 != "#") { card[$1, $2, $3, $4, $5] = card[$1, $2, $3, $4, $5] " " $6; cards++ } next }
    { here[$1, $2, $3, $4, $5] = here[$1, $2, $3, $4, $5] " " $6 }
    END {
        for (key in card) {
            split(key, part, SUBSEP)
            same = card[key] == here[key]
            rows++
            agree += same
            row = part[1] SUBSEP part[4] SUBSEP part[5]
            if (!same && row in reason) used[row] = 1
            else if (!same) { printf "%s %s %s, step %s: %s differs from the card\n", part[1], part[2], part[3], part[4], part[5]; bad++ }
        }
        for (row in reason) if (!(row in used)) {
            split(row, part, SUBSEP)
            printf "outputs_known.txt excuses %s of step %s of %s, which agrees\n", part[3], part[2], part[1]
            bad++
        }
        printf "%d of %d outputs as on the card, bit by bit\n", agree, rows
        exit bad || rows < 1000
    }' "$here/outputs_known.txt" "$5" "$3/sorted.txt"
