#!/bin/sh
# figures.sh LIST LADDER-DOCS OUT: draws every picture of a list (figures.txt) into the folder OUT, and puts the list beside them.
# Arguments of LADDER-DOCS are as seen from the list's folder.
set -eu
list=$(CDPATH='' cd -- "$(dirname -- "$1")" && pwd -P)/$(basename -- "$1")
mkdir -p "$3"
out=$(CDPATH='' cd -- "$3" && pwd -P)
rm -rf "$out/figures"
mkdir "$out/figures"
cp "$list" "$out/figures.txt"
cd "${list%/*}"
while read -r picture arguments; do
    # shellcheck disable=SC2086 # several arguments
    "$2" figure $arguments >"$out/$picture" || {
        echo "$list: $picture cannot be drawn: ladder-docs figure $arguments" >&2
        exit 1
    }
done <"$list"
