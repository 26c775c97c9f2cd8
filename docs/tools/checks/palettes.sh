#!/bin/sh
# SPDX-License-Identifier: MIT
# Figures that are not legible on dark pages, or not on light ones: those without a second set of colours, and those
# with a colour beside their style, which no page can change.
# usage: palettes.sh ROOT FIGURE..   (relative to ROOT)
set -eu
cd "$1"
shift
[ $# -gt 0 ] || { echo "palettes: no figure"; exit 1; }
wrong=0
for figure; do
    why=
    grep -q 'prefers-color-scheme: *dark' "$figure" || why="no colours for dark pages"
    # The paper below everything may have one: a rule of the style goes before it.
    sed 's/<style>.*<\/style>//; /<style>/,/<\/style>/d; /class="bg"/d' "$figure" |
        grep -Eq '(fill|stroke|color)[=:]"?(#|rgb|white|black)' && why="${why:+$why, }a colour outside the style"
    [ -n "$why" ] || continue
    echo "$figure: $why"
    wrong=$((wrong + 1))
done
echo "palettes: $wrong of $# figures"
[ "$wrong" -eq 0 ]
