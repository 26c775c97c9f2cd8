#!/bin/sh
# What programs say against what is stored, and what nvcc makes of sources.
#   compare.sh sample PROGRAM NAME PRINTED       ends well, says "NAME: passed", and what an H100's run printed, where PRINTED has that
#   compare.sh transcript PROGRAM SECTION FILE   a section of a transcript program (check.h) answers as an H100 did
#   compare.sh errors PROGRAM FILE DIFFERENCES   the error catalogue, line by line, with an H100's FILE; a line of DIFFERENCES may stand in
#                                                place of the one of the same case
#   compare.sh stored PROGRAM FILE ARGUMENTS..   each line that the program prints for each of these arguments stands in FILE
#   compare.sh lines PROGRAM FILE [KNOWN [NAME..]]   it prints FILE's lines, each with a case's name before its results; NAME: of the cases
#                                                chosen. Of those that KNOWN names with a reason, some must differ, or, with "within BOUND"
#                                                behind the name, floats by at most that
#   compare.sh brief FILE KNOWN   FILE for `lines` with a checksum for the lines of each case that KNOWN does not name
#   compare.sh answers PROGRAM QUESTIONS   each line that it prints is the answer in QUESTIONS: an H200's, or the simulator's where that differs
#   compare.sh counted PROGRAM QUESTIONS LADDER   requests and sectors that loads read from the L2, of the kernels 1521 to 1549
#   compare.sh settings NVCC SOURCE FILE ARCHITECTURE OPTIONS..   SOURCE, compiled with each of these options, prints FILE
#   compare.sh corpus NVCC SOURCE SIM_DUMP       SOURCE has no function that cannot run, in whatever way it is compiled
set -eu
what=$1 program=$2 name=$3 stored=${4-}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() {
    echo "$*"
    exit 1
}
run() { # its output into the file said
    "$program" "$@" >"$work/said" 2>"$work/errors" || fail "$program $*: $?" "$(cat "$work/said" "$work/errors")"
}
sums() { # of each case of a file `CRC BYTES NAME`, of all its lines
    mkdir "$work/cases"
    awk -v folder="$work/cases/" '/^#/ || !NF { next } $1 != name { close(folder name); name = $1 } { print >>(folder name) }' "$1"
    (cd "$work/cases" && cksum -- *)
}
case $what in
sample)
    run
    [ "$(tail -n 1 "$work/said")" = "$name: passed" ] || fail "$name printed $(cat "$work/said")"
    [ ! -f "$stored" ] || diff "$stored" "$work/said"
    ;;
transcript)
    run "$name"
    awk -v first="-- $name" '/^-- / { on = $0 == first } on' "$stored" >"$work/wanted"
    [ -s "$work/wanted" ] || fail "$stored has no section $name"
    diff "$work/wanted" "$work/said"
    ;;
errors)
    run
    awk -F : 'FNR == 1 { file++ }
        file == 1 && /^[^#]/ { known[$0] }
        file == 2 && /[^ ]/ { want[++count] = $0 }
        file == 3 && NF && said < count {
            split(want[++said], key)
            if ($0 != want[said] && !($0 in known && $1 == key[1])) { print "H100: " want[said] "\nhere: " $0; bad = 1 }
        }
        END { print said " of " count " lines compared"; exit bad || said < count || count < 100 }' "$stored" "$name" "$work/said"
    ;;
stored)
    shift 3
    for range do
        # shellcheck disable=SC2086 # words
        run $range
        [ -s "$work/said" ] || fail "$range: nothing is printed"
        ! grep -vxFf "$name" "$work/said" || fail "not in $name (docs/cards/generate.sh writes it anew)"
    done
    ;;
lines)
    known=${4:-/dev/null}
    shift $(($# > 4 ? 4 : $#))
    run "$@"
    sums "$work/said" >"$work/sums"
    awk -v chosen=$# -v program="$program" '
        function float_of(word,    bits, i, exponent) {
            for (i = 1; i <= 8; i++) bits = bits * 16 + index("0123456789abcdef", substr(word, i, 1)) - 1
            i = bits >= 2147483648 ? -1 : 1
            bits %= 2147483648
            exponent = int(bits / 8388608)
            return i * (exponent ? (8388608 + bits % 8388608) * 2 ^ (exponent - 150) : bits * 2 ^ -149)
        }
        function near(bound,    here, card, n, i) {
            n = split(said[$1, at], here)
            if (n != split($0, card)) return 0
            for (i = 3; i <= n; i++)
                if (float_of(here[i]) - float_of(card[i]) > bound || float_of(card[i]) - float_of(here[i]) > bound) return 0
            return 1
        }
        /^#/ || !NF { next }
        FILENAME == ARGV[1] { known[$1]; if ($2 == "within") bound[$1] = $3; next }
        FILENAME == ARGV[2] { sum[$3] = $1 " " $2; next }
        FILENAME == ARGV[3] { said[$1, ++lines[$1]] = $0; next }
        !($1 in lines) && chosen { next }
        $2 == "checksum" {
            compared += stored[$1] = lines[$1]
            if (sum[$1] == $3 " " $4) next
            differs[$1] = "some"
            print $1 ": checksum " sum[$1] ", the card\047s " $3 " " $4 ". Its lines: " program " " $1
            next
        }
        {
            at = ++stored[$1]
            compared++
            if (said[$1, at] == $0 || ($1 in bound && near(bound[$1]))) next
            if (differs[$1]++ < 3 && (!($1 in known) || $1 in bound) && shown++ < 20) print "here: " said[$1, at] "\ncard: " $0
        }
        END {
            for (name in lines) if (lines[name] != stored[name]) {
                print name ": " lines[name] " lines, and " stored[name] + 0 " of the card"
                wrong++
            }
            for (name in stored) {
                cases++
                excused = name in known && !(name in bound)
                if (excused != (name in differs)) {
                    print name ": " (excused ? "agrees now: take it out of the known ones" : differs[name] " lines differ")
                    wrong++
                }
            }
            print compared + 0 " lines of " cases + 0 " cases compared, " wrong + 0 " cases differ"
            exit wrong || !compared
        }' "$known" "$work/sums" "$work/said" "$name"
    ;;
brief)
    sums "$program" >"$work/sums"
    awk 'FILENAME == ARGV[1] { known[$1]; next }
        FILENAME == ARGV[2] { sum[$3] = $1 " " $2; next }
        /^#/ || $1 in known { print; next }
        !($1 in brief) { print $1 " checksum " sum[$1]; brief[$1] }' "$name" "$work/sums" "$program"
    ;;
answers)
    run
    awk -F ' [|] ' 'NR == FNR { want[$1] = NF > 4 ? $5 : $4; next }
        { number = $1; sub(/ .*/, "", number); said++ }
        !(number in want) || $0 != number " " want[number] { print "want: " number " " want[number] "\nhere: " $0; bad = 1 }
        END { print said " answers compared"; exit bad || !said }' "$name" "$work/said"
    ;;
counted)
    "$stored" profile --json "$work/profile" -- "$program" >"$work/said" 2>&1 || fail "$(cat "$work/said")"
    awk -F ' [|] ' 'NR == FNR { want[$1] = NF > 4 ? $5 : $4; next }
        match($0, /"kernel": "c[0-9]+/) { kernel = substr($0, RSTART + 12, 4) }
        /"lts__t_(requests|sectors)_srcunit_tex_op_read.sum":/ && kernel >= 1521 && kernel < 1550 {
            split(want[kernel], answer, " ")
            value = $0; gsub(/.*: |,/, "", value); compared++
            if (value != answer[$0 ~ /requests/ ? 2 : 3]) { print kernel ": " $0 ", want " want[kernel]; bad = 1 }
        }
        END { print compared " counts compared"; exit bad || compared < 52 }' "$name" "$work/profile"
    ;;
settings)
    nvcc=$program program=$work/program architecture=$5
    shift 5
    grep -v '^#' "$stored" >"$work/wanted"
    [ $# -gt 0 ]
    for options do
        # shellcheck disable=SC2086 # words
        "$nvcc" -std=c++17 -w -cudart shared "-arch=sm_$architecture" $options "$name" -o "$program"
        run
        diff "$work/wanted" "$work/said" || fail "sm_$architecture $options"
    done
    ;;
corpus)
    for options in '-O3 -arch=compute_75' '-O3 -arch=compute_80' '-O3 -arch=compute_90' '-G -arch=compute_75' '-G -arch=compute_90' \
        '-O3 -use_fast_math -rdc=true -lineinfo -arch=compute_90'; do
        # shellcheck disable=SC2086 # words
        "$program" -ptx -std=c++17 -w $options "$name" -o "$work/corpus.ptx"
        "$stored" refused "$work/corpus.ptx" >"$work/said" 2>&1 && [ ! -s "$work/said" ] || fail "$options: $(cat "$work/said")"
    done
    ;;
esac
