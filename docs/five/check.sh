#!/bin/sh
# check.sh LADDER NAME PAGE, in the folder with the programs NAME and NAME_changed: does PAGE (docs/five_kernels.md) say of them
# what `ladder profile --html` says? In the section "## NAME" each quoted line ("> ..") and the opcode of each line of a block of PTX
# must stand in the profile's page, and so must the times and the change in the table's row of NAME. --row instead of PAGE prints the row.
set -eu
ladder=$1
name=$2
page=$3
export LC_ALL=C
check=
case $name in dot) check=--check ;; esac # the one whose fault the checker finds
# shellcheck disable=SC2086
"$ladder" profile $check --html "$name.html" --before "./$name" -- "./${name}_changed" >"$name.log" 2>&1 || {
    cat "$name.log" >&2
    exit 1
}
# The page as text: a line for each element but those that a sentence goes through.
sed 's/<\/\{0,1\}button[^>]*>//g; s/<a [^>]*>//g; s/<\/a>//g; s/<[^>]*>/\
/g' "$name.html" | sed "s/&lt;/</g; s/&gt;/>/g; s/&quot;/\"/g; s/&#39;/'/g; s/&amp;/\\&/g" >"$name.text"
row=$(sed -n '/class="list pairs"/,/<\/table>/p' "$name.html" | sed -n 's/<\/td>/|/gp' | sed 's/<[^>]*>//g' |
    awk -F'|' -v name="$name" '{ printf "| [%s](#%s) | %s | %s | %s |", name, name, $3, $4, $5; exit }')
if [ "$page" = --row ]; then
    echo "$row"
    exit
fi
faults=0
fault() {
    echo "$page: $name: $1"
    faults=$((faults + 1))
}
grep -qF "$row" "$page" || fault "the table lacks: $row"
awk -v name="$name" '
    /^## / { here = $2 == name; next }
    here && /^```/ { ptx = $0 == "```ptx"; next }
    here && ptx { print $1 } # registers are numbered as nvcc likes
    here && /^> / { print substr($0, 3) }' "$page" >"$name.quotes"
[ -s "$name.quotes" ] || fault "nothing is quoted"
while read -r line; do
    grep -qF -- "$line" "$name.text" || fault "the profile does not say: $line"
done <"$name.quotes"
echo "$name: $(wc -l <"$name.quotes") lines are quoted, $faults faults"
[ "$faults" -eq 0 ]
