# SPDX-License-Identifier: MIT
# The text of each picture of a deck for those who cannot see it: the title that the drawing has. slides: the folder of the deck;
# drawn: that with its drawn figures.
# Marp takes the size of a picture from the same place, and leaves the rest.
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
{ print }
END { exit failed }
