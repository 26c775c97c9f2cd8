#!/bin/sh
# budget.sh FOLDER BARS LAB..: what the tests of each lab (01_transpose ..) have done, against the bars of the file BARS.
# Counted is the same work on every machine: files that the grader has compiled and warp instructions that were simulated.
# FOLDER has TEST.compiled, a byte for each file (utilities/kit.h), and TEST.simulated (LADDER_SIM_PROGRESS) of each test that
# did such work, with + for / in its name (kl_tests_count_work). Fails when a lab does more than its bar and names the test
# that does most.
#
# A test belongs to a lab when its name has the lab's folder in it, or starts with lab/ or host/ and the short name.
set -eu
folder=$1 bars=$2
shift 2
for file in "$folder"/*; do
    name=${file##*/}
    case $name in
    *.compiled) echo "work ${name%.compiled} 0 $(wc -c <"$file")" ;;
    *.simulated) echo "work ${name%.simulated} 1 $(od -A n -v -t u8 -j 8 -N 8 "$file")" ;;
    esac
done | awk -v labs="$*" -v bars="$bars" '
BEGIN {
    count = split(labs, folder, " ")
    for (i = 1; i <= count; i++) {
        short[i] = folder[i]
        sub(/^[0-9]+_/, "", short[i])
    }
    unit[0] = "compiled files"
    unit[1] = "million warp instructions"
}
function lab_of(test,   i) {
    for (i = 1; i <= count; i++)
        if (index(test, folder[i]) > 0 || test ~ ("^(lab|host)/" short[i] "(_|$)")) return i
    return 0
}
FILENAME == bars {
    if ($1 !~ /^#/) for (k = 0; k < 2; k++) bar[$1, k] = $(2 + k)
    next
}
{
    told++
    gsub(/[+]/, "/", $2)
    lab = lab_of($2)
    done = $3 == 1 ? $4 / 1e6 : $4
    sum[lab, $3] += done
    if (done > most[lab, $3]) {
        most[lab, $3] = done
        dearest[lab, $3] = $2
    }
}
END {
    if (!told) {
        print "no test has told its work"
        exit 1
    }
    print "work of a lab'\''s tests, of its bar:    compiled files    million warp instructions"
    for (i = 1; i <= count; i++) {
        row = (folder[i], 0) in bar ? folder[i] : "other"
        printf "  %-34s %9d of %-4d %12.1f of %d\n", folder[i], sum[i, 0], bar[row, 0], sum[i, 1], bar[row, 1]
        for (k = 0; k < 2; k++)
            if (sum[i, k] > bar[row, k])
                over = over sprintf("%s: its tests do more than %d %s, most of it (%.1f) in %s. Give that one a smaller " \
                    "sample or the label full, or raise the bar in %s and say why.\n", folder[i], bar[row, k], unit[k],
                    most[i, k], dearest[i, k], bars)
    }
    printf "%s", over
    exit over != ""
}' "$bars" -
