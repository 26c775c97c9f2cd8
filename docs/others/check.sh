#!/bin/sh
# check.sh LADDER TEN PAGE: does PAGE (docs/others.md) say of each of the ten programs what `ladder check` finds? The row of a program has
# the class of the finding in its second cell.
set -eu
ladder=$1 ten=$2 page=$3
faults=0 rows=0
for name in $("$ten" 2>&1 | sed 's/.*one of: //'); do
    options=
    [ "$name" != read_before_wait ] || options=--host-accesses
    # shellcheck disable=SC2086
    "$ladder" check $options -- "$ten" "$name" >said.txt 2>&1 || true
    class=$(sed -n "s/^| \`$name\`[^|]*| \`\([a-z-]*\)\`.*/\1/p" "$page")
    rows=$((rows + 1))
    grep -q "^$class: " said.txt || {
        echo "$name: the page says '$class'; ladder check says:"
        head -n 5 said.txt
        faults=$((faults + 1))
    }
done
echo "$rows programs, $faults faults"
[ "$rows" -eq 10 ] && [ "$faults" -eq 0 ]
