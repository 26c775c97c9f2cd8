#!/bin/sh
# SPDX-License-Identifier: MIT
# rates.sh KIT: each rate in the text of a lab's page has its card. Either a sentence before the first step says whose the page's
# rates, times or gains are, which is the card of docs/card.txt, and then the first figure of figures.txt shows that card, too; or each
# paragraph with a rate names one.
# Prints each fault; the exit status is 0 when there is none.
set -eu
cd "$1"
course=$(cat docs/card.txt)
for page in labs/[0-9]*/README.md; do
    figures=${page%README.md}figures.txt
    shown=''
    [ ! -f "$figures" ] || shown=$(sed -n '1s/.*measured\/\(CARD\|h[0-9]*\)\.json.*/\1/p' "$figures" | sed "s/CARD/$course/")
    awk -v shown="$shown" -v course="$course" '
        function look() {
            if (!steps && match(tolower(text), /(rates|times|gains)[^.]*h[12]00/)) {
                card = substr(tolower(text), RSTART, RLENGTH)
                match(card, /h[12]00/) # the first one: another may stand in brackets
                card = substr(card, RSTART, 4)
                if (card != course) {
                    printf "%s: the page tells of an %s, docs/card.txt names an %s\n", FILENAME, card, course
                    faults++
                } else if (shown != "" && shown != card) {
                    printf "%s: the page tells of an %s, its first figure of an %s\n", FILENAME, card, shown
                    faults++
                }
            }
            if (card == "" && text ~ /[0-9] (GB\/s|[GT]FLOP\/s)/ && text !~ /H[12]00|8800|GTX/) {
                printf "%s:%d: a rate without a card\n", FILENAME, from
                faults++
            }
            text = ""
        }
        /^```/ { fenced = !fenced }
        fenced || /^\|/ { next }
        /^ *$/ { look(); next }
        /^## Step/ { steps = 1 }
        { if (text == "") from = FNR; text = text " " $0 }
        END { look(); exit faults > 0 }' "$page" || failed=1
done
exit ${failed:-0}
