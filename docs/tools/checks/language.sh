#!/bin/sh
# SPDX-License-Identifier: MIT
# language.sh ROOT [FILE..]: do pages and programs use the field's terms? Scans, of the files given or of all that users
# read, the text of pages (.md, without `code`), the string literals of programs (C and CUDA C), the texts of rubrics
# (.json) and whole scripts for the patterns of language.txt. A phrase that goes on in the next line counts as well.
# Prints FILE:LINE: what was found, and the term to use; the exit status is 0 when nothing was found.
# language.sh ROOT --each FILE..: the scanner's own test, 0 when every pattern was found at least once.
set -eu
root=$1
shift
each=0
if [ "${1:-}" = --each ]; then each=1 && shift; fi
patterns=$(cd "$(dirname "$0")" && pwd)/language.txt
cd "$root"
if [ $# -eq 0 ]; then
    # shellcheck disable=SC2046 # no name of the kit has a blank
    set -- README.md CONTRIBUTING.md ladder docs/*.md $(find labs autograder common docs/tools solutions \
        -name tests -prune -o \( -name '*.md' -o -name rubric.json -o -name questions.json -o -name '*.[ch]' -o -name '*.def' \
                                -o -name '*.cu' -o -name '*.cuh' \) -print | sort)
fi
exec awk -v patterns="$patterns" -v each="$each" '
    BEGIN {
        while ((getline line < patterns) > 0) {
            if (line ~ /^#/ || line == "") continue
            cut = index(line, "\t")
            pattern[++count] = "(^|[^a-z])(" substr(line, 1, cut - 1) ")([^a-z\047]|$)"
            instead[count] = substr(line, cut + 1)
        }
        if (count == 0) { print "language.sh: no patterns in " patterns; exit status = 2 }
    }
    # The string literals of a line of C, with bars between them; escapes that end a word are blanks.
    function literals(line,   out, inside, i, c) {
        out = ""
        if (line ~ /^[ \t]*(\/\/|#[ \t]*include)/) return out
        for (i = 1; i <= length(line); i++) {
            c = substr(line, i, 1)
            if (inside && c == "\\") { i++; if (substr(line, i, 1) ~ /[nt]/) out = out " "; continue }
            if (!inside && c == "\047" && substr(line, i + 2, 1) == "\047") { i += 2; continue }
            if (!inside && substr(line, i, 2) == "//") break
            if (c == "\"") { inside = !inside; if (inside && out != "") out = out "|" }
            else if (inside) out = out c
        }
        return out
    }
    function prose(line) {
        gsub(/`[^`]*`/, "`", line)
        gsub(/\]\([^)]*\)/, "]", line)
        gsub(/[*]/, "", line)
        return line
    }
    FNR == 1 { before = ""; kind = FILENAME ~ /\.md$/ ? "page" : FILENAME ~ /\.(c|h|def|cu|cuh)$/ ? "code" : "text" }
    {
        if (kind == "page" && $0 ~ /^(#|\|)/) before = ""
        if (kind == "code" && $0 !~ /^[ \t]*"/) before = "" # another literal, not the same one going on
        text = tolower(kind == "page" ? prose($0) : kind == "code" ? literals($0) : $0)
        if (text == "") { before = ""; next }
        joined = before == "" ? text : before " " text
        sub(/  +/, " ", joined)
        for (p = 1; p <= count; p++)
            if (match(joined, pattern[p]) && RSTART + RLENGTH - 1 > length(before)) {
                printf "%s:%d: \"%s\": say: %s\n", FILENAME, FNR, substr(joined, RSTART, RLENGTH), instead[p]
                faults++
                seen[p]++
            }
        before = kind == "page" && $0 ~ /^(#|\|)/ ? "" : kind != "code" || $0 ~ /"[ \t]*$/ ? text : ""
    }
    END {
        if (status) exit status
        for (p = 1; p <= count; p++)
            if (each && !seen[p]) { print "language.sh: never found: " pattern[p]; missed++ }
        printf "language: %d found\n", faults
        exit each ? missed > 0 : faults > 0
    }' "$@"
