#!/bin/sh
# other_card.sh KIT LADDER-DOCS OTHER COPY FIGURES: in COPY, LADDER-DOCS fills in the numbers of all labs' pages, decks
# and walkthroughs of the card OTHER. Each mark finds a number of that card, pages with numbers change, each rate still has its card,
# and the course's card makes the pages again what they are in KIT.
set -eu
kit=$1 docs=$2 other=$3 copy=$4 figures=$5
failed=0
fault() {
    echo "$1" >&2
    failed=1
}
rm -rf "$copy"
cd "$kit"
for page in labs/*/README.md; do
    grep -q '<!--= ' "$page" || continue
    folder=$copy/${page%/*}
    mkdir -p "$folder"
    "$docs" numbers --page . slides/facts.txt "$page" | cmp - "$page" || fault "$page is stale: ./ladder tables"
    "$docs" --card "$other" numbers --page . slides/facts.txt "$page" >"$folder/README.md" || fault "$page: a number is missing"
    lab=${page#labs/} # one that was not measured on that card keeps the numbers of the course's
    if cmp -s "$folder/README.md" "$page" && grep -q "^${lab%/*},run," "labs/measured/$other.csv"; then
        fault "$page: nothing depends on the card"
    fi
    "$docs" numbers --page . slides/facts.txt "$folder/README.md" | cmp - "$page" || fault "$page does not become what it was"
done
"$docs" check rates "$copy" "$figures" || failed=1
for text in slides/[0-9]*.md solutions/*/walkthrough.md; do
    "$docs" --card "$other" numbers . slides/facts.txt "$text" >"$copy/filled.md" || fault "$text: a number is missing"
    if grep -n 'nan\|{{' "$copy/filled.md"; then fault "$text: not a number"; fi
done
exit "$failed"
