#!/bin/sh
# shown_output.sh LADDER PAGE [--update]: what a page shows of a command's output is what the command prints. A page says
#     <!-- ladder:output FIRST | COMMAND -->
#     ```
#     ..
#     ```
#     <!-- /ladder:output -->
# COMMAND: of ladder, its arguments. FIRST: how the first line of the part that is shown begins; it ends at an empty line
# or where the output ends. --update writes what is printed into the page.
set -euf
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset COLUMNS
grep -q '<!-- ladder:output ' "$2" || { echo "$2: no \"<!-- ladder:output\" in it"; exit 1; }
LADDER=$1 OUT=$work/out awk '
    /<!-- \/ladder:output -->/ { shown = 0 }
    !shown { print }
    match($0, /<!-- ladder:output .* \| .* -->/) {
        words = substr($0, RSTART + 19, RLENGTH - 23)
        bar = index(words, " | ")
        first = substr(words, 1, bar - 1)
        command = substr(words, bar + 3)
        code = system("\"$LADDER\" " command " >\"$OUT\"")
        print "```"
        for (begun = 0; (getline line <ENVIRON["OUT"]) > 0 && !(begun && line == "");) {
            if (!begun && (at = index(line, first)) > 0) { begun = 1; line = substr(line, at) }
            if (begun) print line
        }
        close(ENVIRON["OUT"])
        print "```"
        shown = 1
        # A check that finds what it is shown for ends with 1.
        if (!begun || (code != 0 && !(code == 1 && command ~ /^check /))) {
            print command ": exit status " code "; \"" first "\" was not printed" >"/dev/stderr"
            exit 1
        }
    }' "$2" >"$work/page"
cmp -s "$2" "$work/page" && exit
[ "${3:-}" = --update ] && cat "$work/page" >"$2" && exit
diff "$2" "$work/page" || true
echo "$2 is not what the command prints now. Write it there with: sh autograder/tests/commands/shown_output.sh build/autograder/ladder $2 --update"
exit 1
