#!/bin/sh
# Modelled times of programs.cu beside two cards': check.sh PROGRAM FILE [BAR]. Prints each, and the mean error of the programs that
# were looked at while the model was built and of those that are only reported. Fails where the latter is above BAR (0.15), or one of
# them is off by more than a factor of 2. Without BAR nothing is judged.
set -eu
LADDER_SIM_DEVICES=2 LADDER_SIM_DEVICE=h200 "$1" | awk -v bar="${3:-}" '
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
    }' "$2" -
