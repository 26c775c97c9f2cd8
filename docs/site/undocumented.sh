#!/bin/sh
# SPDX-License-Identifier: MIT
# undocumented.sh LOG LIMITS [--update]: Doxygen's messages may only be about interfaces without a comment, and of these there
# may be no more than LIMITS says, a line "KIND NUMBER" for each kind. --update writes the numbers of now.
set -eu
others=$(grep -v 'is not documented\.$' "$1" || true)
[ -z "$others" ] || { echo "Doxygen says:"; echo "$others"; exit 1; }
counts=$(awk '
    / \(function\) / { n["functions"]++; next }
    / of (struct|union) / { n["members"]++; next }
    { n["types"]++ }
    END { printf "functions %d\nmembers %d\ntypes %d\n", n["functions"], n["members"], n["types"] }' "$1")
if [ "${3:-}" = --update ]; then
    echo "$counts" >"$2"
    exit 0
fi
echo "$counts" | while read -r kind number; do
    most=$(sed -n "s/^$kind //p" "$2")
    [ "$number" -le "${most:-0}" ] && continue
    echo "$number $kind of common/ without a comment, $most are known ($2); the log: $1"
    exit 1
done
