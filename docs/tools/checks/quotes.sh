#!/bin/sh
# SPDX-License-Identifier: MIT
# quotes.sh ROOT PAGE..: do pages tell the truth about files? Every path in backquotes that begins with one of the kit's
# top folders must exist, and every line of a fenced block that follows such a path (the last one named before it) must
# stand in that file. Prints each fault; the exit status is 0 when there is none.
set -eu
root=$1
shift
for page in "$@"; do
    awk -v root="$root" -v page="$page" '
        function trim(text) { gsub(/^[ \t]+|[ \t]+$/, "", text); return text }
        function fault(text) { printf "%s:%d: %s\n", page, NR, text; faults++ }
        function exists(path) { return system("test -e \"" root "/" path "\"") == 0 }
        function read_file(path,   line) {
            if (path in seen) return
            seen[path] = 1
            while ((getline line < (root "/" path)) > 0) has[path, trim(line)] = 1
            close(root "/" path)
        }
        /^[ \t]*```/ { fenced = !fenced; quotes += fenced && path != ""; if (fenced && path != "") read_file(path); else path = ""; next }
        fenced { if (path != "" && trim($0) != "" && !((path, trim($0)) in has)) fault(path " has no line: " trim($0)); next }
        {
            rest = $0
            while (match(rest, /`(common|labs|solutions|autograder|slides|docs)\/[^` ]*`/)) {
                name = substr(rest, RSTART + 1, RLENGTH - 2)
                rest = substr(rest, RSTART + RLENGTH)
                if (name ~ /[<>*]|42_|NN_|(CARD|ID)\./) continue
                sub(/\.csv:.*/, ".csv", name) # a document in it
                if (!exists(name)) fault("there is no " name)
                else if (name !~ /\/$/ && system("test -f \"" root "/" name "\"") == 0) path = name
            }
        }
        END {
            if (fenced) fault("a block does not end")
            printf "%s: %d quoted blocks\n", page, quotes
            exit faults > 0
        }' "$root/$page"
done
