#!/bin/sh
# SPDX-License-Identifier: MIT
# other_card.sh KIT NUMBERS OTHER COPY FIGURES: in COPY, OTHER (ladder-numbers for the second card) fills in the numbers of all labs' pages, decks
# and walkthroughs. Each mark finds a number of that card, pages with numbers change, each rate still has its card, and NUMBERS
# makes the pages again what they are in KIT.
set -eu
kit=$1 ours=$2 theirs=$3 copy=$4 figures=$5
page_numbers=$kit/docs/tools/page_numbers.sh
failed=0
fault() {
    echo "$1" >&2
    failed=1
}
rm -rf "$copy"
cd "$kit"
for page in labs/*/README.md; do
    [ -f "${page%/*}/measured/page.txt" ] || continue
    folder=$copy/${page%/*}
    mkdir -p "$folder/measured"
    sh "$page_numbers" "$page" "$ours" . slides/facts.txt | cmp - "$page" || fault "$page is stale: ./ladder tables"
    sh "$page_numbers" "$page" "$theirs" . slides/facts.txt >"$folder/README.md" || fault "$page: a number is missing"
    if cmp -s "$folder/README.md" "$page"; then fault "$page: nothing depends on the card"; fi
    cp "${page%/*}/measured/page.txt" "$folder/measured"
    (cd "$copy" && sh "$page_numbers" "$page" "$ours" "$kit" "$kit/slides/facts.txt") | cmp - "$page" ||
        fault "$page does not become what it was"
done
sh docs/tools/checks/rates.sh "$copy" "$figures" || failed=1
for text in slides/[0-9]*.md solutions/*/walkthrough.md; do
    "$theirs" . slides/facts.txt "$text" >"$copy/filled.md" || fault "$text: a number is missing"
    if grep -n 'nan\|{{' "$copy/filled.md"; then fault "$text: not a number"; fi
done
exit "$failed"
