#!/bin/sh
# Asks a toolkit's ptxas about every line of golden/ptxas.txt: what it takes and refuses is what the table says. Lines of a PTX
# version that it does not know are left out and counted.
# usage: sh ptxas.sh PTXAS TABLE
set -u
ptxas=$1 table=$2
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
awk -v folder="$folder" '
/^> / { module = module substr($0, 3) "\n" }
/^>> / { body = body substr($0, 4) "\n" }
/^= / { header = ".version " $2 "\n.target " $3 "\n.address_size 64\n"; version = $2; target = $3 }
function ask(verdict, line,    kind, text, file) {
    kind = substr(line, 1, 2); text = kind == "W:" || kind == "M:" ? substr(line, 3) : line
    gsub(/\\n/, "\n", text)
    if (kind != "W:") { text = kind == "M:" ? header text : header module ".visible .entry k(.param .u64 p)\n{\n" body text "\nM: ret;\n}" }
    file = folder "/" (++count) ".ptx"
    print text > file; close(file)
    print verdict, target, version, count > (folder "/list")
}
/^[-+] / {
    forms = split(substr($0, 3), form, " & ")
    operands = form[forms]; sub(/^[^ ]*/, "", operands)
    for (i = 1; i < forms; i++) ask($1, form[i] operands)
    ask($1, form[forms])
}' "$table"
asked=0 left_out=0 wrong=0
while read -r verdict target version number; do
    file=$folder/$number.ptx
    if "$ptxas" -arch="$target" "$file" -o "$folder/out" > "$folder/log" 2>&1; then found=+; else found=-; fi
    if grep -q "Unsupported .version $version;" "$folder/log"; then left_out=$((left_out + 1)); continue; fi
    asked=$((asked + 1))
    [ "$found" = "$verdict" ] && continue
    wrong=$((wrong + 1))
    echo "the table says $verdict, ptxas $found:"
    tail -3 "$file"
    head -2 "$folder/log"
done < "$folder/list"
echo "$asked lines asked, $left_out of a later PTX version, $wrong differ"
[ "$asked" -gt 500 ] && [ "$wrong" -eq 0 ]
