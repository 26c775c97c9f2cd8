#!/bin/sh
# SPDX-License-Identifier: MIT
# sizes.sh DRAWN DECK..: is any text of any figure smaller than 16 px where its slide is 1280 x 720? A figure is as wide or high as the deck
# says (![w:1150]), the size of a text is that of its class in the figure's style or its own; DRAWN has the decks' drawn figures.
# Prints each figure with a smaller text, and each whose sizes it cannot tell; the exit status is 0 when there is none.
set -eu
exec awk -v drawn="$1" '
    BEGIN { SMALLEST = 16; ARGV[1] = "" }
    function complain(what) {
        printf "%s:%d: %s: %s\n", deck, FNR, shown, what
        faults++
    }
    # The classes of a style that have a size of text: the last of them that an element has counts, as in CSS.
    function read_style(line,    part) {
        while (match(line, /\.[a-z0-9]+\{font-size:[0-9.]+px/)) {
            part = substr(line, RSTART + 1, RLENGTH - 3)
            split(part, word, /\{font-size:/)
            order[++classes] = word[1]
            size[classes] = word[2]
            line = substr(line, RSTART + RLENGTH)
        }
    }
    function size_of(element,    i, names) {
        if (match(element, / font-size="[0-9.]+/)) return substr(element, RSTART + 12, RLENGTH - 12) + 0
        if (!match(element, / class="[^"]*"/)) return 0
        names = " " substr(element, RSTART + 8, RLENGTH - 9) " "
        for (i = classes; i > 0; i--)
            if (index(names, " " order[i] " ")) return size[i]
        return 0
    }
    function look(path, wanted, by_height,    line, whole, rest, tag, own, level, least, texts, unknown) {
        classes = depth = 0
        while ((getline line <path) > 0) {
            if (!whole && match(line, /viewBox="0 0 [0-9.]+ [0-9.]+/)) {
                split(substr(line, RSTART + 13, RLENGTH - 13), side, / /)
                whole = side[1 + by_height]
            }
            if (index(line, "font-size:")) read_style(line)
            for (rest = line; match(rest, /<(text|g)( [^>]*)?>|<\/g>/);) {
                tag = substr(rest, RSTART, RLENGTH)
                rest = substr(rest, RSTART + RLENGTH)
                if (tag == "</g>") depth--
                else if (tag ~ /^<g/) group[++depth] = size_of(tag)
                if (tag !~ /^<text/) continue
                own = size_of(tag)
                for (level = depth; !own && level > 0; level--) own = group[level]
                if (index(tag, "transform=\"scale")) own = 0
                unknown += !own
                if (own && (!texts || own < least)) least = own
                texts += own > 0
            }
            if (line ~ /<tspan[^>]*font-size|<g[^>]*scale\(/) unknown++
        }
        close(path)
        if (!whole) complain("no viewBox, or no such file")
        else if (unknown) complain("the size of " unknown " texts is not told")
        else if (texts && least * wanted / whole < SMALLEST - 0.05)
            complain(sprintf("text of %.1f px", least * wanted / whole))
        figures++
    }
    FNR == 1 {
        deck = FILENAME
        sub(/.*\//, "", deck)
        folder = FILENAME
        if (!sub(/\/[^\/]*$/, "", folder)) folder = "."
        fenced = 0
    }
    /^```/ { fenced = !fenced }
    !fenced && /^!\[.*\]\([^)]*\.svg\)/ {
        shown = $0
        sub(/.*\]\(/, "", shown)
        sub(/\).*/, "", shown)
        if (match($0, /[wh]:[0-9]+/))
            look((shown ~ /^figures\// ? drawn : folder) "/" shown, substr($0, RSTART + 2, RLENGTH - 2), substr($0, RSTART, 1) == "h")
        else complain("no width and no height")
    }
    END {
        printf "sizes: %d figures, %d with text that is too small\n", figures, faults
        exit faults > 0
    }' "$@"
