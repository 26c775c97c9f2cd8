#!/bin/sh
# spelling.sh KIT: misspelt words of all pages, tables and interfaces, by codespell; words.txt has those that are right here,
# and errors.def the texts of NVIDIA's runtime.
set -eu
cd "$1"
find ./*.md autograder common docs labs slides solutions -name '*.md' -o -name '*.def' -o -name '*.h' -o -name '*.json' -o -name '*.cu' |
    grep -v "/tests/\\|/errors.def\$\\|/measured/\\|/node_modules/\\|^slides/package" |
    xargs codespell --ignore-words docs/site/words.txt
echo "spelling: no misspelt word"
