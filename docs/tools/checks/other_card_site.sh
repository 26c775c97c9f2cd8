#!/bin/sh
# other_card_site.sh KIT BUILD CARD COPY: a copy of the kit whose docs/card.txt names CARD: `ladder tables` makes its pages and figures,
# the site's pages are right, and every number in pages, decks and walkthroughs has its card.
set -eu
rm -rf "$4"
mkdir -p "$4"
tar -C "$1" --exclude=./.git --exclude="./${2#"$1"/}" -cf - . | tar -C "$4" -xf -
cd "$4"
echo "$3" >docs/card.txt
./ladder tables
./ladder tables --check
./ladder docs --pages --check
build/docs/tools/ladder-docs check rates . build/labs
build/docs/tools/ladder-docs check numbers slides/facts.txt slides/[0-9]*.md solutions/*/walkthrough.md
