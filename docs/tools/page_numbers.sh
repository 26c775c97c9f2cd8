#!/bin/sh
# SPDX-License-Identifier: MIT
# page_numbers.sh PAGE [FILL..]: prints a lab's page with the numbers of the course's card (docs/card.txt) in its text made anew.
# measured/page.txt beside the page has pieces of this text, one in a row, with a mark ({{value ..}} and others,
# docs/tools/numbers_main.c) in place of each such number. "NAME = TEXT" stands before rows with $NAME; $M and $O are
# the lab's runs in labs/measured/CARD.csv and OTHER.csv. FILL, ladder-numbers with its arguments but the last, fills the rows. The page gets
# their numbers where it has the same words around any numbers, which must be in one place; code and generated tables are
# not looked at. Without FILL each of these numbers is @.
set -eu
page=$1
shift
rows=${page%/*}/measured/page.txt
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
[ ! -f "$rows" ] || awk -v lab="$(basename "${page%/*}")" '
    BEGIN { text["M"] = "labs/measured/CARD.csv:" lab; text["O"] = "labs/measured/OTHER.csv:" lab }
    /^#/ || /^$/ { next }
    /^[A-Z]+ = / { name = $1; sub(/^[A-Z]+ = /, ""); text[name] = $0; next }
    {
        for (name in text)
            while ((at = index($0, "$" name " ")) || (at = index($0, "$" name "/")))
                $0 = substr($0, 1, at - 1) text[name] substr($0, at + length(name) + 1)
        print
    }' "$rows" >"$work/rows.txt"
[ -f "$work/rows.txt" ] || : >"$work/rows.txt"
if [ $# -eq 0 ]; then
    sed 's/{{[^}]*}}/@/g' "$work/rows.txt" >"$work/filled.txt"
else
    "$@" "$work/rows.txt" >"$work/filled.txt"
fi
awk -v rows="$work/rows.txt" -v filled="$work/filled.txt" -v page="$page" '
    # What a word of a row is in the page: the same with any number or card in place of a mark.
    function pattern(word) {
        gsub(/[][\\.*+?(){}|^$]/, "\\\\&", word)
        gsub(/@/, "(H[0-9]+|-?[0-9][0-9.,]*)", word)
        return "^" word "$"
    }
    function here(at,    k) {
        for (k = 1; k <= size; k++)
            if (marked[k] ? word[at + k - 1] !~ marked[k] : word[at + k - 1] != wanted[k]) return 0
        return 1
    }
    /^ *```/ { fenced = !fenced }
    /^<!-- \/?(ladder|predict):/ { generated = $2 !~ /^\// }
    {
        rest = $0
        while (!fenced && !generated && match(rest, /[^ ]+/)) {
            gap[++words] = substr(rest, 1, RSTART - 1)
            word[words] = substr(rest, RSTART, RLENGTH)
            line[words] = FNR
            rest = substr(rest, RSTART + RLENGTH)
        }
        tail[FNR] = rest
    }
    END {
        while ((getline row <rows) > 0) {
            getline text <filled
            gsub(/\{\{[^}]*\}\}/, "@", row)
            size = split(row, wanted, " ")
            if (split(text, now, " ") != size) row = row " (other words than its numbers)"
            for (k = 1; k <= size; k++) marked[k] = wanted[k] ~ /@/ ? pattern(wanted[k]) : ""
            found = 0
            for (at = 1; at + size - 1 <= words; at++)
                if (here(at) && ++found == 1) first = at
            if (found != 1 || row ~ /\(other words than its numbers\)$/) {
                printf "%s: in %d places: %s\n", page, found, row | "cat >&2"
                failed = 1
            } else
                for (k = 1; k <= size; k++) word[first + k - 1] = now[k]
        }
        at = 1
        for (i = 1; i <= FNR; i++) {
            for (; line[at] == i; at++) printf "%s%s", gap[at], word[at]
            print tail[i]
        }
        exit failed
    }' "$page"
