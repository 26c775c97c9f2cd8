#!/bin/sh
# spelling.sh KIT: misspelt words of all pages, tables and interfaces, by codespell, but for those that are right here; errors.def
# has the texts of NVIDIA's runtime.
set -eu
cd "$1"
find ./*.md autograder common docs labs slides solutions -name '*.md' -o -name '*.def' -o -name '*.h' -o -name '*.json' -o -name '*.cu' |
    grep -v "/tests/\\|/errors.def\$\\|/measured/\\|/node_modules/\\|^slides/package" |
    xargs codespell --ignore-words-list coo,fro,statics,mattern,cant
echo "spelling: no misspelt word"
