#!/bin/sh
# SPDX-License-Identifier: MIT
# shape.sh DECK..: has a deck 20 to 40 slides, a figure on more than half of them, notes on each, and two questions or more whose
# notes have an answer? Prints what it counts of each deck and what is missing; the exit
# status is 0 when nothing is.
set -eu
exec awk '
    function complain(what) {
        print name ": " what
        faults++
    }
    function end_slide() {
        slides++
        figures += figure
        if (!notes) complain("slide " slides " has no notes: " title)
        if (question) questions++
        if (question && !answer) complain("slide " slides " has no answer in its notes: " title)
        figure = notes = question = answer = 0
        title = ""
    }
    function end_deck() {
        end_slide()
        printf "%s: %d slides, %d with a figure, %d questions\n", name, slides, figures, questions
        if (slides < 20 || slides > 40) complain("20 to 40 slides are a deck")
        if (figures * 2 <= slides) complain("figures on " figures " of " slides " slides: not more than half")
        if (questions < 2) complain("fewer than two questions")
        slides = figures = questions = 0
    }
    FNR == 1 {
        if (name != "") end_deck()
        name = FILENAME
        sub(/.*\//, "", name)
        rules = fenced = 0
    }
    /^```/ { fenced = !fenced }
    fenced { next }
    /^---$/ {
        if (++rules > 2) end_slide()
        next
    }
    rules < 2 { next }
    /^# / && title == "" { title = substr($0, 3) }
    /^!\[[^]]*\]\([^)]*\.svg\)$/ { figure = 1 }
    /^<!-- _class: ask -->/ { question = 1 }
    /^<!--$/ { notes = 1 }
    /^Answer: / { answer = 1 }
    END {
        end_deck()
        exit faults > 0
    }' "$@"
