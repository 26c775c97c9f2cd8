# SPDX-License-Identifier: MIT
# The text of each picture of a deck for those who cannot see it: the title that the drawing has. slides: the folder of the deck;
# drawn: that with its drawn figures.
# Marp takes the size of a picture from the same place, and leaves the rest. And powers, 2^28, as they are set, but in code.
BEGIN { split("⁰ ¹ ² ³ ⁴ ⁵ ⁶ ⁷ ⁸ ⁹", raised, " ") }
function with_powers(line,    done, part, i) {
    done = ""
    while (match(line, /`[^`]*`|[0-9]\^-?[0-9]+/)) {
        part = substr(line, RSTART, RLENGTH)
        done = done substr(line, 1, RSTART - 1)
        line = substr(line, RSTART + RLENGTH)
        if (part !~ /^`/) {
            done = done substr(part, 1, 1)
            part = substr(part, 3)
            if (sub(/^-/, "", part)) done = done "⁻"
            for (i = 1; i <= length(part); i++) done = done raised[substr(part, i, 1) + 1]
            part = ""
        }
        done = done part
    }
    return done line
}
function title_of(file,    line, title) {
    while ((getline line <file) > 0 && title == "")
        if (match(line, /<title>[^<]*/)) title = substr(line, RSTART + 7, RLENGTH - 7)
    close(file)
    gsub(/[][]/, "", title)
    return title
}
/^!\[[^]]*\]\([^)]*\.svg\)$/ {
    path = $0
    sub(/.*\]\(/, "", path)
    sub(/\)$/, "", path)
    title = title_of((path ~ /^figures\// ? drawn : slides) "/" path)
    if (title == "") {
        print FILENAME ": " path ": no title" >"/dev/stderr"
        failed = 1
    }
    sub(/\]\(.*/, "")
    $0 = $0 " " title "](" path ")"
}
/^```/ { fenced = !fenced }
!fenced && !/^!\[/ { $0 = with_powers($0) }
{ print }
END { exit failed }
