#!/bin/sh
# SPDX-License-Identifier: MIT
# listed.sh KIT: is every schema of which the kit's sources write documents in docs/site/schemas.txt, each of these described
# in docs/schemas, and each description of a schema that is listed? Prints each fault; the exit status is 0 when there is none.
set -eu
cd "$1"
listed=$(sed -n 's/^\(ladder\.[^ ]*\) .*/\1/p' docs/site/schemas.txt)
# Programs say it as a key and its value; tests write what documents of others must not be.
folders=$(for room in autograder common labs solutions docs/tools; do [ ! -d "$room" ] || echo "$room"; done)
# shellcheck disable=SC2086 # several folders
written=$(find $folders -path '*/tests' -prune -o \( -name '*.c' -o -name '*.cu' -o -name '*.py' \) \
    -exec grep -hoE 'schema\\?"(, |: ?)\\?"ladder\.[a-z_-]+/[0-9]+' {} + | sed 's/.*"//' | LC_ALL=C sort -u)
faults=0
fault() {
    echo "$*"
    faults=$((faults + 1))
}
for schema in $written; do
    echo "$listed" | grep -qxF "$schema" || fault "docs/site/schemas.txt: $schema is not listed"
done
for schema in $listed; do
    name=${schema#ladder.}
    [ -f "docs/schemas/${name%/*}.txt" ] || [ -f "common/lab/${name%/*}.txt" ] ||
        fault "$schema: there is no docs/schemas/${name%/*}.txt"
done
for file in docs/schemas/*.txt; do
    name=$(basename "$file" .txt)
    echo "$listed" | grep -q "^ladder\\.$name/[0-9]*\$" || fault "$file: no such schema is listed"
done
echo "schemas: $(echo "$written" | grep -c .) written, $(echo "$listed" | grep -c .) listed, $faults faults"
[ "$faults" -eq 0 ] && [ "$written" ]
