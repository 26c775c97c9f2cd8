#!/bin/sh
# SPDX-License-Identifier: MIT
# front_page.sh PAGE: is the front page short, and does it have what a visitor looks for? At most 110 lines, and these
# elements, in this order; five bullets of what is different. Prints what is missing; the exit status is 0 when nothing is.
set -eu
exec awk '
    BEGIN {
        n = split("^A course kit @No GPU is needed@^!.*docs/page.png@^./ladder run @^./ladder test @ladder:output step @" \
                  "ladder:output race: @fixes it@adds your row@ladder:labs all @^## What is different@ a student @" \
                  " learning alone @ an instructor @ curious @^## Requirements and limits@^MIT licence@To cite: ", element, "@")
    }
    /^<!-- handout$/ { handout = 1 } # what only students see
    handout { left++; if (/^-->$/) handout = 0; next }
    /^<!-- .?whole kit -->$/ { left++; next }
    { for (i = 1; i <= n; i++) if (!(i in at) && $0 ~ element[i]) at[i] = NR }
    /^## / { different = /What is different/ }
    different && /^- / { bullets++ }
    END {
        for (i = 1; i <= n; i++) {
            if (!(i in at)) { print FILENAME ": no line with: " element[i]; faults++; continue }
            if (at[i] < last) { print FILENAME ":" at[i] ": comes too early: " element[i]; faults++ }
            last = at[i]
        }
        if (bullets != 5) { print FILENAME ": " bullets + 0 " bullets of what is different, not 5"; faults++ }
        lines = NR - left
        if (lines > 110) { print FILENAME ": " lines " lines, more than 110"; faults++ }
        printf "front page: %d lines, %d faults\n", lines, faults
        exit faults > 0
    }' "$1"
