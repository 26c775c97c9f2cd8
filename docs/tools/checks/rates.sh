#!/bin/sh
# SPDX-License-Identifier: MIT
# rates.sh KIT FIGURES: each rate, time and gain in the text of a page, a lab's hints, a deck or a walkthrough has its card: the paragraph
# names it, or says that the model gives them. In a lab's page they may also be filled in for the card of docs/card.txt
# (marks behind them, docs/tools/numbers.c); then a sentence before the first step says so, with the card's name filled in, too,
# and the first figure of FIGURES/LAB/figures.txt, which ladder-lab makes of lab.json, shows CARD.
# Prints each fault; the exit status is 0 when there is none.
set -eu
cd "$1"
lists=$2
for page in labs/[0-9]*/README.md labs/[0-9]*/hints.md README.md docs/*.md slides/*.md solutions/*/walkthrough.md; do
    [ -f "$page" ] || continue
    folder=${page%/*}
    figures=$lists/${folder##*/}/figures.txt
    shown=''
    lab=''
    [ ! -f "$figures" ] || shown=$(sed -n '1s/.*measured\/\([A-Za-z0-9]*\)\.csv:[^/ ]* .*/\1/p' "$figures")
    case $page in
    labs/*/README.md)
        lab=1
        text=$(sed -E 's/(H[0-9]+|-?[0-9][0-9.,]*)<!--= [^>]*-->/@/g' "$page")
        ;;
    *) text=$(cat "$page") ;;
    esac
    printf '%s\n' "$text" | awk -v page="$page" -v lab="$lab" -v shown="$shown" '
        function fault(what) {
            printf "%s:%d: %s\n", page, from, what
            faults++
        }
        function look() {
            if (lab && !steps && !told && match(text, /([Rr]ates|[Tt]imes|[Gg]ains)[^.]*( H[12]00| @)/)) {
                told = 1
                if (substr(text, RSTART + RLENGTH - 1, 1) != "@") fault("the page says which card it tells of, not filled in")
                if (shown ~ /^h[0-9]+$/) fault("the page tells of docs/card.txt, its first figure of an " shown)
            }
            if (lab && !told && text ~ /@/) fault("a number of the card, which the page has not named before")
            gsub(/"[^"]*"/, "", text)
            if (text ~ /[0-9] ([GT]B\/s|[GT]FLOP\/s|us|µs|ms)([^A-Za-z0-9]|$)|[0-9] times (as (fast|long|slow)|the rate|slower|faster)|[0-9] % (of the ([a-z-]+ )?ceiling|slower|faster)/ && text !~ /H[12]00|8800|GTX|RTX|[Mm]odel/)
                fault("a rate without a card")
            text = ""
        }
        /^```/ { fenced = !fenced }
        /^<!-- \/?(ladder|predict):/ { generated = $2 !~ /^\// }
        fenced || generated || /^\|/ { next }
        /^ *$/ { look(); next }
        /^## Step/ { steps = 1 }
        { if (text == "") from = FNR; text = text " " $0 }
        END { look(); exit faults > 0 }' || failed=1
done
exit ${failed:-0}
