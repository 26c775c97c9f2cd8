#!/bin/sh
# steps.sh LAB SOLUTION DESCRIPTION: the steps of a lab are listed in its lab.json, of which ladder-lab makes description.cmake. The
# lab's files, its page's table and its hints must know them all, and no others; so must SOLUTION, where there is one, but for the
# given ones, whose only file is the lab's.
set -eu
lab=$1 solution=$2 description=$3
listed() { sed -n "s/^set($1 \\(.*\\))\$/\\1/p" "$description" | tr -d '"' | tr ' ' '\n' | sort; }
steps=$(listed lab_steps)
status=0
expect_same() { # WHAT FOUND
    [ "$2" = "$steps" ] || { echo "$1: $2"; echo "but lab.json has $steps"; status=1; }
}
for file in $steps; do
    title=$(echo "${file%.cu}" | sed 's/_/ /')
    grep -q "^| $title |" "$lab/README.md" || { echo "$lab/README.md: no row \"| $title |\" of $file in lab.json"; status=1; }
done
for folder in "$lab/steps" "$solution/steps"; do
    [ ! -d "$folder" ] || expect_same "$folder" "$(cd "$folder" && ls ./*.cu | sed 's,./,,' | sort)"
    steps=$(listed lab_steps | grep -vxF "$(listed lab_given)")
done
steps=$(listed lab_numbers)
expect_same "$lab/hints.md" "$(sed -n 's/^## Step \([0-9][0-9]*\)$/\1/p' "$lab/hints.md" | sort)"
# The last hint of a step is not its solution: of more than three lines to write at most half stand in it.
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
bare() { sed 's,//.*,,; s/[[:space:]{}]//g' "$@" | awk 'length > 5'; }
for number in $steps; do
    solved=$(echo "$solution"/steps/"$number"_*.cu)
    [ -f "$solved" ] || continue
    bare "$lab"/steps/"$number"_*.cu >"$work/given"
    sed '/SOLUTION/d' "$solved" | bare | grep -Fvx -f "$work/given" >"$work/to_write" || continue
    awk -v step="## Step $number" '/^## / { here = $0 == step; last = 0 } here && /^3[.]/ { last = 1 } last' "$lab/hints.md" |
        bare | tr -d '\n' >"$work/hint"
    awk -v step="$number" -v page="$lab/hints.md" 'FNR == NR { hint = $0; next }
        { all++; given += index(hint, $0) > 0 }
        END { if (all > 3 && 2 * given > all) { printf "%s: hint 3 of step %s is the solution: %d of %d lines\n", page, step, given, all; exit 1 } }
    ' "$work/hint" "$work/to_write" || status=1
done
exit $status
