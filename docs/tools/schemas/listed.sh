#!/bin/sh
# listed.sh KIT: is every schema of which the kit's sources write documents in docs/schemas.txt, once, and each of these described?
# Prints each fault; the exit status is 0 when there is none.
set -eu
cd "$1"
listed=$(sed -n 's/^## \(ladder\.[^ ]*\) .*/\1/p' docs/schemas.txt)
# Programs say it as a key and its value; tests write what documents of others must not be.
folders=$(for room in autograder common labs solutions docs/tools; do [ ! -d "$room" ] || echo "$room"; done)
# shellcheck disable=SC2086 # several folders
written=$(find $folders -path '*/tests' -prune -o \( -name '*.c' -o -name '*.cu' -o -name '*.py' \) \
    -exec grep -hoE 'schema(\\?"(, |: ?)\\?"| )ladder\.[a-z_-]+/[0-9]+' {} + | sed 's/.*[" ]//' | LC_ALL=C sort -u)
faults=0
fault() {
    echo "$*"
    faults=$((faults + 1))
}
for schema in $written; do
    echo "$listed" | grep -qxF "$schema" || fault "docs/schemas.txt: $schema is not listed"
done
for schema in $listed; do
    case $schema in ladder.run/* | ladder.lab/*) continue ;; esac # by its writer, by its reader
    sed -n "\\,^## $schema ,,/^## /p" docs/schemas.txt | grep -q '^[a-z][^|]* | ' ||
        fault "docs/schemas.txt: $schema is not described"
done
for schema in $(echo "$listed" | LC_ALL=C sort | uniq -d); do
    fault "docs/schemas.txt: $schema is listed twice"
done
echo "schemas: $(echo "$written" | grep -c .) written, $(echo "$listed" | grep -c .) listed, $faults faults"
[ "$faults" -eq 0 ] && [ "$written" ]
