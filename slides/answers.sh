#!/bin/sh
# SPDX-License-Identifier: MIT
# answers.sh DRAWN DECK NUMBERS..: prints the deck as NUMBERS fills it (ladder-docs numbers with its arguments but the last), and looks whether a slide
# before a prediction shows what the answer's command prints: the same number to three digits, beside a word of that line; in the text or in a figure,
# DRAWN having the decks' drawn ones. What the question itself says is no answer. The exit status is 0 when there is none.
set -eu
drawn=$1
deck=$2
shift 2
"$@" "$deck" | awk -v drawn="$drawn" -v folder="$(dirname -- "$deck")" -v name="$(basename -- "$deck")" '
    # What a text says: its numbers to three digits ("98.3 k" is 98304), and its words.
    function take(text, slide,    token) {
        gsub(/[|`*:;()"]/, " ", text)
        if (numbers[slide] == "") numbers[slide] = " "
        words[slide] = words[slide] " " tolower(text) " "
        while (match(text, /[0-9][0-9,]*(\.[0-9]+)?( ?[kM]( |$))?/)) {
            token = substr(text, RSTART, RLENGTH)
            text = substr(text, RSTART + RLENGTH)
            numbers[slide] = numbers[slide] value_of(token) " "
        }
    }
    function value_of(token,    by) {
        by = token ~ /k *$/ ? 1000 : token ~ /M *$/ ? 1000000 : 1
        gsub(/[ ,kM]/, "", token)
        return sprintf("%.3g", token * by)
    }
    # Numbers that are said of many things, such as 4 or 32, tell nothing.
    function is_telling(token) {
        return token ~ /[1-9][0-9.,]*[kM0-9 ]*$/ && (token ~ /\.0*[1-9]/ || token ~ /^[0-9,]+/ && length(token) > 2 && token !~ /\.0+$/)
    }
    function take_figure(path, slide,    line, text) {
        while ((getline line <path) > 0)
            while (match(line, />[^<]*<\/text>/)) {
                text = substr(line, RSTART + 1, RLENGTH - 8)
                line = substr(line, RSTART + RLENGTH)
                take(text, slide)
            }
        close(path)
    }
    # A line of the answer on slide `at`, whose question is the slide before; in "128 of 132" the second number is known.
    function look(line,    i, s, rest, token, count, part, known) {
        rest = line
        count = split(tolower(line), part, /[^a-z]+/)
        while (match(rest, /[0-9][0-9,]*(\.[0-9]+)?( ?[kM]( |$))?/)) {
            token = substr(rest, RSTART, RLENGTH)
            known = RSTART > 3 && substr(rest, RSTART - 3, 3) == "of "
            rest = substr(rest, RSTART + RLENGTH)
            if (known || !is_telling(token) || index(numbers[at - 1], " " value_of(token) " ")) continue
            for (s = 1; s < at - 1; s++)
                for (i = 1; i <= count && index(numbers[s], " " value_of(token) " "); i++)
                    if (length(part[i]) > 4 && index(words[s], " " part[i])) {
                        printf "%s: slide %d shows %s, which slide %d asks for: %s\n", name, s, token, at - 1, line >"/dev/stderr"
                        faults++
                        break
                    }
        }
    }
    { print }
    /^```/ { fenced = !fenced }
    !fenced && /^---$/ {
        if (++rules > 1) at++
        answer = 0
        next
    }
    !at { next }
    /^<!-- _class: answer -->/ { answer = 1 }
    /^<!--$/ { notes = 1 }
    /^-->$/ {
        notes = 0
        next
    }
    notes || /^<!--/ || /^```/ { next }
    /^!\[[^]]*\]\([^)]*\.svg\)$/ {
        path = $0
        sub(/.*\]\(/, "", path)
        sub(/\)$/, "", path)
        take_figure((path ~ /^figures\// ? drawn : folder) "/" path, at)
        next
    }
    answer && fenced && predicted == at - 1 && !/^\$ / { look($0) }
    /^# Question [0-9]+: predict/ { predicted = at }
    { take($0, at) }
    END { exit faults > 0 }'
