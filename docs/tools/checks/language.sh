#!/bin/sh
# language.sh ROOT [FILE..]: do pages, programs and their code use the field's terms? Scans, of the files given or of all
# of the kit, the text of pages (.md, without `code`), the string literals and comments of C and CUDA C, the texts of labs' descriptions
# (.json) and whole scripts for the patterns of language.txt; its patterns of names are looked for in the identifiers of
# code and in the names of files. A phrase that goes on in the next line counts as well.
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
    set -- README.md CONTRIBUTING.md ladder docs/*.md slides/*.md $(find labs autograder common docs/tools solutions \
        -path docs/tools/checks/tests -prune -o -path common/simulator/tests/samples -prune -o \
        \( -name '*.md' -o -name lab.json -o -name '*.[ch]' -o -name '*.def' \
           -o -name '*.cu' -o -name '*.cuh' \) -print | sort)
fi
exec awk -v patterns="$patterns" -v each="$each" '
    BEGIN {
        while ((getline line < patterns) > 0) {
            if (line ~ /^#/ || line == "") continue
            if (line ~ /^spare: /) { spare = substr(line, 8); continue }
            cut = index(line, "\t")
            found = substr(line, 1, cut - 1)
            of = "text"
            if (found ~ /^(name|file): /) { of = substr(found, 1, 4); found = substr(found, 7) }
            before = of == "text" ? "[^a-z]" : "[^a-z0-9]"
            after = of == "text" ? "[^a-z\047]" : before
            pattern[of, ++count[of]] = "(^|" before ")(" found ")(" after "|$)"
            instead[of, count[of]] = substr(line, cut + 1)
            any[of] = any[of] (count[of] > 1 ? "|" : "") "(" pattern[of, count[of]] ")"
        }
        if (count["text"] * count["name"] * count["file"] == 0) {
            print "language.sh: no patterns in " patterns
            exit status = 2
        }
    }
    # Sets comment to the comment of a line of C, said to its string literals with bars between them, and code to the rest.
    # Escapes that end a word are blanks.
    function take_apart(line,   inside, c) {
        comment = said = code = ""
        if (line ~ /^[ \t]*#[ \t]*include/) return
        while (match(line, inside ? "[\"\\\\]" : "\"|//|\047.\047")) {
            c = substr(line, RSTART, 1)
            if (inside) said = said substr(line, 1, RSTART - 1)
            else code = code substr(line, 1, RSTART - 1)
            if (c == "\\" && substr(line, RSTART + 1, 1) ~ /[nt]/) said = said " "
            line = substr(line, RSTART + (c == "\\" ? 2 : RLENGTH))
            if (c == "/") { comment = line; return }
            if (c == "\"") { inside = !inside; if (inside && said != "") said = said "|" }
        }
        if (inside) said = said line
        else code = code line
    }
    function prose(line) {
        gsub(/`[^`]*`/, "`", line)
        gsub(/\]\([^)]*\)/, "]", line)
        gsub(/[*]/, "", line)
        return line
    }
    function report(of, p, what) {
        printf "%s:%d: \"%s\": say: %s\n", FILENAME, FNR, what, instead[of, p]
        faults++
        seen[of, p]++
    }
    # What of a text was found in it is reported; before: how the text goes on from the line before, "" for not at all.
    function look(text, before,   joined, p) {
        joined = before == "" ? text : before " " text
        gsub(/  +/, " ", joined)
        if (joined !~ any["text"]) return # nearly every line: one match instead of one for each pattern
        for (p = 1; p <= count["text"]; p++)
            if (match(joined, pattern["text", p]) && RSTART + RLENGTH - 1 > length(before))
                report("text", p, substr(joined, RSTART, RLENGTH))
    }
    function look_at_names(of, text,   p) {
        if (text !~ any[of]) return
        if (spare != "") gsub("(^|[^a-z0-9])(" spare ")([^a-z0-9]|$)", "  ", text)
        for (p = 1; p <= count[of]; p++)
            if (match(text, pattern[of, p])) report(of, p, substr(text, RSTART, RLENGTH))
    }
    FNR == 1 {
        before = remark = ""
        kind = FILENAME ~ /\.md$/ ? "page" : FILENAME ~ /\.(c|h|def|cu|cuh)$/ ? "code" : "text"
        stem = tolower(FILENAME)
        sub(/\.[^.\/]*$/, "", stem)
        look_at_names("file", stem)
    }
    kind == "code" {
        take_apart($0)
        if ($0 !~ /^[ \t]*"/) before = "" # another literal, not the same one going on
        if (said != "") look(tolower(said), before)
        before = said != "" && /"[ \t]*$/ ? tolower(said) : ""
        if (comment != "") {
            comment = tolower(prose(comment))
            look(comment, remark)
        }
        remark = code ~ /^[ \t]*$/ ? comment : ""
        if (code != "") look_at_names("name", tolower(code))
        next
    }
    {
        if (kind == "page" && $0 ~ /^(#|\|)/) before = ""
        text = tolower(kind == "page" ? prose($0) : $0)
        if (text != "") look(text, before)
        before = kind == "page" && $0 ~ /^(#|\|)/ ? "" : text
    }
    END {
        if (status) exit status
        for (key in pattern)
            if (each && !seen[key]) { print "language.sh: never found: " pattern[key]; missed++ }
        printf "language: %d found\n", faults
        exit each ? missed > 0 : faults > 0
    }' "$@"
