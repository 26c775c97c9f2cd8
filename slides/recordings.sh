#!/bin/sh
# SPDX-License-Identifier: MIT
# recordings.sh KIT LADDER OUT: the pages OUT/NAME.html that decks and labs' pages lead to, each a launch in the debugger. KIT/slides/recordings.txt
# has a name and the arguments of `ladder debug` in a row.
set -eu
mkdir -p "$3"
while read -r name arguments; do
    # shellcheck disable=SC2086 # several arguments
    "$2" debug $arguments --html "$3/$name.html" </dev/null >"$3/$name.log" 2>&1 || {
        cat "$3/$name.log" >&2
        exit 1
    }
    rm -f "$3/$name.log"
done <"$1/slides/recordings.txt"
