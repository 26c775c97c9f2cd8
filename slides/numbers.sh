#!/bin/sh
# SPDX-License-Identifier: MIT
# numbers.sh DECK..: does a deck type a number with a unit? Numbers that were measured or counted, and those of machines, come by
# marks ({{value ..}} and others, docs/tools/numbers.c). Code and pictures are not looked at. Prints each; the exit status is 0
# when there is none. A number of a card stands on a slide, or in a walkthrough's paragraph, that names the card, a slide also by its
# deck's footer: {{card}} for files of CARD, any other one by its name, since docs/card.txt may change.
set -eu
exec awk '
    function end_slide(    card) { # or paragraph
        for (card in cards)
            if (index(said footer, card) == 0) {
                printf "%s:%d: a number of an %s, which the slide does not name\n", name, cards[card], card
                typed++
            }
        delete cards
        said = ""
    }
    FNR == 1 {
        end_slide()
        fenced = notes = rules = 0
        footer = ""
        name = FILENAME
        deck = FILENAME ~ /slides\/[0-9]|wrong_deck/
        walk = FILENAME ~ /walkthrough/
    }
    /^footer:/ { footer = $0 }
    !fenced && /^---$/ && ++rules > 2 { end_slide() }
    !fenced && /^<!--$/ { notes = 1 }
    !fenced && /^-->$/ { notes = 0 }
    walk && !fenced && /^$/ { end_slide() }
    (deck || walk) && !fenced && !notes {
        if (deck && $0 ~ /\{\{[^}]*CARD[^}]*\}\}/) cards["{{card}}"] = FNR
        rest = $0
        while (match(rest, /\{\{[^}]*_?h[12]00\.[^}]*\}\}/)) {
            if (match(rest, /\{\{[^}]*_?h[12]00\./)) cards["H" substr(rest, RSTART + RLENGTH - 4, 3)] = FNR
            rest = substr(rest, RSTART + RLENGTH)
        }
        rest = $0
        gsub(/\{\{card\}\}/, "{card}", rest)
        gsub(/\{\{[^}]*\}\}/, "", rest)
        gsub(/\{card\}/, "{{card}}", rest)
        said = said " " rest
    }
    /^```/ { fenced = !fenced }
    !fenced {
        rest = $0
        gsub(/\{\{[^}]*\}\}/, "", rest)
        gsub(/`[^`]*`/, "", rest)
        gsub(/!\[[^]]*\]\([^)]*\)/, "", rest)
        while (match(rest, /[0-9][0-9.,]* ?([kKMGT]i?B(\/s)?|[kMGT]?FLOP\/s|[munk]s|[MG]Hz|%|x|times|cycles?|SMs|registers|seconds|microseconds)([^A-Za-z0-9]|$)/)) {
            found = substr(rest, RSTART, RLENGTH)
            if (found !~ /x $/ || substr(rest, RSTART + RLENGTH) !~ /^[0-9]/) { # 16 x 16 is a shape
                sub(/[^A-Za-z0-9%]$/, "", found)
                printf "%s:%d: %s\n", FILENAME, FNR, found
                typed++
            }
            rest = substr(rest, RSTART + RLENGTH)
        }
    }
    END {
        end_slide()
        printf "numbers: %d typed\n", typed
        exit typed > 0
    }' "$@"
