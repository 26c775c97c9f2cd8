#!/bin/sh
# recordings.sh KIT LADDER OUT [there]: the pages OUT/NAME.html that decks, labs' pages and walkthroughs show, each a launch in the debugger or a
# profile. recordings.txt has a name, and a command (debug, profile) with its arguments, in a row.
# All of them are of the course's card (docs/card.txt). "there": only those of which OUT has a page already, as a students' site.
# A student's own kit may have a given step that does not compile any more: its page says so, and the others are made.
set -eu
mkdir -p "$3"
card=$(cat "$1/docs/card.txt")
while read -r name arguments; do
    [ -z "${4:-}" ] || [ -f "$3/$name.html" ] || continue
    # shellcheck disable=SC2086 # several arguments
    "$2" $arguments --device "$card" --html "$3/$name.html" </dev/null >"$3/$name.log" 2>&1 || {
        [ ! -d "$1/.ci" ] || { cat "$3/$name.log" >&2 && exit 1; }
        echo "left out: ./ladder $arguments failed" >&2
    }
    rm -f "$3/$name.log"
done <"$1/docs/site/recordings.txt"
