#!/bin/sh
# Holds modelled times to those that are stored, so that the page of the timing model is never about another model, or to a card's:
#   check.sh kernels|pipelines PROGRAM CARD FOLDER STORED NAME    timing/kernels|pipelines/NAME_CARD.csv
#   check.sh labs LABS CARD FOLDER STORED      at the smallest size of each shape; a row may be off by a millionth, or by a thousandth of
#                                              a microsecond
#   check.sh units UNITS CARD FOLDER STORED    what units.cu gives for boxes and fences, to what a card took. One SM's boxes within 3 %; those
#                                              of all SMs, shared as in a product of matrices, within a quarter, if their rows have 64 bytes
#                                              or more: shorter ones meet on their way to the L2 as they do not in kernels. Fences of the
#                                              host, too, within 15 %: two H100s differ by 13 %
#   check.sh micro MICRO h200 FOLDER STORED [GROUP..]    each row as stored to 0.05 %, and within a tenth of the measured one, or within 1.5 cycles, or
#                                              named with its limit in simulated_known.txt
#   check.sh agree MICRO CARD FOLDER GROUP..   what kernels read off their clocks and what events say of the launch: within a twentieth, or
#                                              within the limits of agree_known.txt
#   check.sh published MICRO CARD FOLDER       the rows of published.csv are what is simulated now, to 0.05 %
#   check.sh programs PROGRAM FILE [BAR]       beside two cards' times. Prints each, and the mean error of the programs that were looked at
#                                              while the model was built and of those that are only reported. Fails where the latter
#                                              is above BAR, or one of them is off by more than a factor of 2. Without BAR nothing is judged
# FOLDER takes the runs; STORED: the unpacked archives. LD_LIBRARY_PATH leads to the drop-in runtime.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
what=$1 program=$2 card=$3 folder=${4:-} stored=${5:-}
model() { sh "$here/model.sh" "$what" "$program" "$@"; }
changed() { # stored file, new one
    echo "check: modelled times have changed: run common/validation/keep.sh simulated $1 $2 and ./ladder tables" >&2
    exit 1
}
case $what in
kernels | pipelines)
    name=timing/$what/$6_$card.csv new=$folder/$6_$card.csv
    model "$card" "$folder" >"$new"
    cmp -s "$new" "$stored/$name" || {
        diff "$stored/$name" "$new" | head -n 20 >&2
        [ "$what" = kernels ] || echo "and correct docs/timing.md" >&2
        changed "$name" "$new"
    }
    ;;
labs)
    SHAPES=$folder/shapes.txt name=timing/labs/modelled_$card.csv new=$folder/modelled_$card.csv
    export SHAPES
    awk '/^[a-z]/ { print $1, $2, $3 }' "$here/labs/shapes.txt" >"$SHAPES"
    model "$card" "$folder" >"$new"
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
    ' "$stored/$name" "$new" >&2 || changed "$name" "those of all sizes (docs/validation.md)"
    ;;
units)
    LADDER_SIM_DEVICE=$card "$program" launches streams >"$folder/units_$card.csv"
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
    ' "$stored/timing/pipelines/units_$card.csv" "$folder/units_$card.csv" >&2
    ;;
micro)
    name=timing/micro/simulated_h200.csv new=$folder/simulated_h200.csv
    shift 5
    model "$@" >"$new"
    awk -F, -v groups=$# '
        FILENAME ~ /simulated_known/ { if ($0 !~ /^#/ && NF) { split($0, word, " "); limit[word[1]] = word[2] } next }
        /^#/ || /^name,/ { next }
        FILENAME ~ /micro_h200/ { measured[$1] = $2; next }
        !(FILENAME in met) { met[FILENAME] = 1; files++ }
        files == 1 { stored[$1] = $2; next }
        {
            rows++
            if ($2 - stored[$1] > 0.0005 * $2 || stored[$1] - $2 > 0.0005 * $2) { printf "%s: %s cycles, %s are stored\n", $1, $2, stored[$1]; bad++ }
            if (!($1 in measured)) { printf "%s: not measured\n", $1; bad++; next }
            off = $2 - measured[$1]
            if (off < 0) off = -off
            allowed = ($1 in limit ? limit[$1] : 0.1) * measured[$1]
            if (allowed < 1.5) allowed = 1.5
            if (off > allowed) { printf "%s: %s simulated, %s measured\n", $1, $2, measured[$1]; bad++ }
        }
        END {
            if (!rows) print "no rows"
            if (!groups) for (name in stored) kept++
            if (!groups && kept != rows) { printf "%d rows, %d are stored\n", rows, kept; bad++ }
            exit bad || !rows
        }
    ' "$here/micro/simulated_known.txt" "$stored/timing/micro/micro_h200.csv" "$stored/$name" "$new" >&2 || changed "$name" "$new"
    ;;
agree)
    shift 4
    LADDER_SIM_DEVICE=$card "$program" agree "$@" 2>/dev/null >"$folder/agree_$card.csv"
    awk -F, '
        NR == FNR { if ($0 !~ /^#/) { split($0, word, " "); known[++count] = word[1]; least[count] = word[2]; most[count] = word[3] } next }
        /^#/ || /^name,/ { next }
        function fits(name, ratio, i, pattern) {
            for (i = 1; i <= count; i++) {
                pattern = "^" known[i] "$"
                gsub(/\*/, ".*", pattern)
                if (name ~ pattern && ratio >= least[i] && ratio <= most[i]) return 1
            }
            return 0
        }
        {
            rows++
            ratio = $3 > 0 ? $2 / $3 : 0
            same = ratio >= 0.95 && ratio <= 1.05
            agree += same
            if (!same && !fits($1, ratio)) { printf "%s: %s cycles by the clock, %s by the launch\n", $1, $2, $3; bad++ }
        }
        END {
            printf "%d of %d rows agree within a twentieth\n", agree, rows
            exit bad || rows < 10
        }
    ' "$here/micro/agree_known.txt" "$folder/agree_$card.csv"
    ;;
published)
    LADDER_SIM_DEVICE=$card "$program" quick matrix pipes shared latencies streams 2>/dev/null >"$folder/published_$card.csv"
    awk -F, -v card="$card" '
        NR == FNR { now[$1] = $2; next }
        /^#/ || $1 != card { next }
        {
            rows++
            off = now[$2] - $7
            if (!($2 in now) || off > 0.0005 * $7 || -off > 0.0005 * $7) {
                printf "%s of %s: %s simulated, %s in published.csv\n", $2, card, now[$2], $7
                bad++
            }
        }
        END { exit bad || rows < 5 }
    ' "$folder/published_$card.csv" "$here/published.csv" >&2
    ;;
programs) # card: the file, folder: the bar
    LADDER_SIM_DEVICES=2 LADDER_SIM_DEVICE=h200 "$program" | awk -v bar="$folder" '
        NR == FNR { measured[$1] = $2; next }
        $1 in measured {
            error = $2 / measured[$1] - 1
            printf "%s %9.2f modelled %9.2f measured %+4.0f %% ", $1, $2, measured[$1], 100 * error
            for (i = 5; i <= NF; i++) printf " %s", $i
            printf "\n"
            half = $1 % 2
            if (error < 0) error = -error
            sum[half] += error
            count[half]++
            far += !half && ($2 > 2 * measured[$1] || measured[$1] > 2 * $2)
        }
        END {
            if (!count[0] || !count[1]) exit 1
            printf "looked at: %d, mean error %.1f %%\n", count[1], 100 * sum[1] / count[1]
            printf "only reported: %d, mean error %.1f %%, %d beyond a factor of 2\n", count[0], 100 * sum[0] / count[0], far
            exit bar != "" && (sum[0] / count[0] > bar || far)
        }' "$card" -
    ;;
esac
