#!/bin/sh
# SPDX-License-Identifier: MIT
# shape.sh DECK..: has a deck 20 to 40 slides (those with questions and answers are not counted upwards), a figure on more than half of the others, notes on each, and three
# questions or more that say how many minutes they take, each with the answer on the next slide? Two answers have a command of ladder with
# its output, which the audience can run (live.sh). A deck that says "draft: true" above its first slide may be shorter and have fewer
# figures. Prints what it counts of each deck and what is missing; the exit status is 0 when nothing is.
set -eu
exec awk '
    function complain(what) {
        print name ": " what
        faults++
    }
    function end_slide() {
        at++
        if (asked && !answer) complain("slide " at - 1 " is a question, and the next one no answer: " asked)
        if (answer && !asked) complain("slide " at " is an answer without a question: " title)
        asked = ""
        if (!question && !answer) {
            slides++
            figures += figure
        }
        if (!notes) complain("slide " at " has no notes: " title)
        if (question) {
            questions++
            asked = title
            if (title !~ / · [0-9]+ minutes?$/) complain("slide " at " does not say how many minutes the question takes: " title)
        }
        live += answer && command
        figure = notes = question = answer = command = 0
        title = ""
    }
    function end_deck() {
        end_slide()
        if (asked) complain("slide " at " is a question, and the last slide: " asked)
        printf "%s: %d slides, %d of %d with a figure, %d questions, %d to be checked live%s\n", name, at, figures, slides, questions, live, draft ? ", a draft" : ""
        if (!draft && (at < 20 || slides > 40)) complain("20 to 40 slides are a deck")
        if (!draft && figures * 2 <= slides) complain("figures on " figures " of " slides " slides: not more than half")
        if (questions < 3) complain("fewer than three questions")
        if (live < 2) complain("fewer than two answers that the audience can check")
        at = slides = figures = questions = live = 0
        asked = ""
    }
    FNR == 1 {
        if (name != "") end_deck()
        name = FILENAME
        sub(/.*\//, "", name)
        rules = fenced = draft = 0
    }
    /^```/ { fenced = !fenced }
    fenced && /^\$ \.\/ladder / { command = 1 }
    fenced { next }
    /^---$/ {
        if (++rules > 2) end_slide()
        next
    }
    rules < 2 {
        if ($0 == "draft: true") draft = 1
        next
    }
    /^# / && title == "" { title = substr($0, 3) }
    /^!\[[^]]*\]\([^)]*\.svg\)$/ { figure = 1 }
    /^<!-- _class: ask -->/ { question = 1 }
    /^<!--$/ { notes = 1 }
    /^<!-- _class: answer -->/ { answer = 1 }
    END {
        end_deck()
        exit faults > 0
    }' "$@"
