#!/bin/sh
# check.sh SITE: does every link of the built site lead somewhere (to a file, and to a place in it where it names one), is no page
# larger than 2 MB, and is all Markdown read (it is not behind a comment at the beginning of a line)? Prints each fault; the exit status
# is 0 when there is none. "#t=1234" is a moment of a recording, which its page finds.
set -eu
cd "$1"
large=$(find . -type f -size +1953k) # 2 MB = 2000000 bytes
[ -z "$large" ] || { echo "larger than 2 MB:" $large && exit 1; }
files=$(mktemp)
trap 'rm -f "$files"' EXIT
find . -type f | sed 's,^\./,,' >"$files"
find . -name '*.html' | sed 's,^\./,,' | LC_ALL=C sort | xargs awk -v files="$files" '
    function decoded(text) { gsub(/&amp;/, "\\&", text); gsub(/%20/, " ", text); return text }
    BEGIN {
        while ((getline line < files) > 0) there[line] = 1
    }
    FNR == 1 { pre = 0; folder = FILENAME; if (!sub(/[^\/]*$/, "", folder)) folder = ""; script = 0 }
    /<script/ { script = 1 }
    {
        rest = $0
        while (match(rest, /[ "\047](id|name)="[^"]*"/)) {
            word = substr(rest, RSTART, RLENGTH)
            rest = substr(rest, RSTART + RLENGTH - 1)
            sub(/^[^=]*="/, "", word); sub(/"$/, "", word)
            anchor[FILENAME "#" word] = 1
        }
    }
    /<pre/ { pre = 1 }
    !pre && !script {
        text = $0
        gsub(/<code[^>]*>[^<]*<\/code>/, "", text)
        if (text ~ /\]\([^ )]+\)/) { printf "%s:%d: Markdown\n", FILENAME, FNR; faults++ }
    }
    /<\/pre>/ { pre = 0 }
    !script {
        rest = $0
        while (match(rest, /(href|src)="[^"]*"/)) {
            word = substr(rest, RSTART, RLENGTH)
            rest = substr(rest, RSTART + RLENGTH)
            sub(/^[^=]*="/, "", word); sub(/"$/, "", word)
            if (word ~ /^([a-z]+:|\/\/|#$)/ || word == "") continue
            word = decoded(word)
            key = word ~ /^#/ ? FILENAME word : folder word
            while (sub(/[^\/]+\/\.\.\//, "", key)) continue
            if (!(key in from)) from[key] = FILENAME ":" FNR
            links++
        }
    }
    /<\/script/ { script = 0 }
    END {
        for (key in from) {
            file = key
            sub(/[#?].*/, "", file)
            if (!(file in there)) { printf "%s: no such file: %s\n", from[key], file; faults++ }
            else if (file ~ /\.html$/ && key ~ /#/ && key !~ /#t=[0-9]/ && !(key in anchor)) { printf "%s: no such place: %s\n", from[key], key; faults++ }
        }
        printf "site: %d links followed\n", links
        exit faults > 0
    }'
