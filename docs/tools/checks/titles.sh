#!/bin/sh
# SPDX-License-Identifier: MIT
# titles.sh [folder=FOLDER/] FIGURES.txt..: does the title of each chart, which is its text for those who cannot see it, say the highest and the lowest
# value? Bars have their values written beside them: those of the title must be among them. Charts are the pictures that are drawn
# from a file of values; what shows no values (who has which element, waits of a warp) is left out. Prints each fault; the exit
# status is 0 when there is none. The pictures lie in the last FOLDER before the list, or beside it.
set -eu
exec awk '
    function unescaped(text) {
        gsub(/&lt;/, "<", text)
        gsub(/&gt;/, ">", text)
        gsub(/&quot;/, "\"", text)
        gsub(/&amp;/, "\\&", text)
        return text
    }
    function complain(what) {
        print FILENAME ": " $1 ": " what
        faults++
    }
    # The title, and the texts of the drawing in `drawn`.
    function read_picture(file,    line, title, text) {
        for (text in drawn) delete drawn[text]
        while ((getline line <file) > 0) {
            if (title == "" && match(line, /<title>[^<]*/)) title = unescaped(substr(line, RSTART + 7, RLENGTH - 7))
            while (match(line, /<text [^>]*>[^<]*/)) {
                text = substr(line, RSTART, RLENGTH)
                line = substr(line, RSTART + RLENGTH)
                sub(/^[^>]*>/, "", text)
                drawn[unescaped(text)] = 1
            }
        }
        close(file)
        return title
    }
    # "highest 4031 (5 vectorized, 8192 x 8192)": is there a text of this value, or of it and a word?
    function look_for(word, said,    value, text) {
        value = substr(said, index(said, word " ") + length(word) + 1)
        value = substr(value, 1, index(value, " (") - 1)
        for (text in drawn)
            if (text == value || index(text, value " ") == 1) return
        complain(word " " value " is not drawn")
    }
    /^#/ || NF < 2 { next }
    !/\.(json|csv)(:[^ ]*)?( |$)|--timing|--registers/ { next }
    /\/assignment( |$)|\/tiles( |$)|scoreboard|two-loads|--profile/ { next }
    {
        where = folder
        if (where == "") { where = FILENAME; if (!sub(/[^\/]*$/, "", where)) where = "" }
        title = read_picture(where $1)
        charts++
        if (/--contest|winners/) {
            if (title !~ /(; fastest|; of steps .*): ?.*|step [0-9]+ (in|\()/) complain("no winner: " title)
        } else if (/--registers/) {
            if (title !~ /all [0-9]+ warps up to [0-9]+ registers/) complain("no values: " title)
        } else if (title !~ /highest [0-9]/ || title !~ /lowest [0-9]|faster than the library at [0-9]/) {
            complain("no values: " title)
        } else if (/--(rates|times|gains|counts|modelled|warps-needed|bounds) |\/micro [a-z_]+$|\/latency( |$)/) {
            look_for("highest", title)
            look_for("lowest", title)
        }
    }
    END {
        printf "titles: %d charts, %d faults\n", charts, faults
        exit faults > 0 || charts == 0
    }' "$@"
