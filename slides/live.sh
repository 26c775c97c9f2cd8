#!/bin/sh
# live.sh LADDER DECK..: does each command that a deck shows with its output print that? A block of a deck that begins with
# "$ ./ladder .." has lines of the output behind it, in their order; what is between them is left out, and a line that ends with " .."
# is the beginning of one. Prints each line that is not printed (any more); the exit status is 0 when there is none.
set -eu
ladder=$1
shift
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# Blocks: a line with the deck, its line and the command, then what is shown.
awk '
    /^```/ {
        fenced = !fenced
        first = fenced
        shown = 0
        next
    }
    fenced && first {
        first = 0
        shown = sub(/^\$ \.\/ladder /, "")
        name = FILENAME
        sub(/.*\//, "", name)
        if (shown) print "@ " name ":" FNR " " $0
        next
    }
    fenced && shown { print (sub(/^\$ \.\/ladder /, "") ? "@ " name ":" FNR " " : "| ") $0 }' "$@" >"$work/blocks"
grep '^@' "$work/blocks" | cut -d' ' -f3- | sort -u >"$work/commands"
number=0
while read -r command; do
    number=$((number + 1))
    # shellcheck disable=SC2086 # several arguments; a check that finds something ends with 1
    "$ladder" $command </dev/null >"$work/$number.out" 2>"$work/$number.err" || [ $? -eq 1 ] || {
        cat "$work/$number.err"
        echo "live: ./ladder $command fails"
        exit 1
    }
done <"$work/commands"
awk -v work="$work" '
    function squeeze(line) {
        gsub(/[ \t]+/, " ", line)
        sub(/^ /, "", line)
        return line
    }
    FILENAME == ARGV[1] {
        file[$0] = work "/" FNR ".out"
        next
    }
    /^@ / {
        where = $2
        command = $0
        sub(/^@ [^ ]+ /, "", command)
        if (path != "") close(path)
        path = file[command]
        commands++
        next
    }
    {
        wanted = squeeze(substr($0, 3))
        part = sub(/ ?\.\.$/, "", wanted)
        found = 0
        while (!found && (getline line <path) > 0) {
            line = squeeze(line)
            found = part ? index(line, wanted) == 1 : line == wanted
        }
        if (!found) {
            printf "%s: ./ladder %s does not print: %s\n", where, command, wanted
            faults++
        }
        lines++
    }
    END {
        printf "live: %d commands, %d lines, %d not printed\n", commands, lines, faults
        exit faults > 0 || commands == 0
    }' "$work/commands" "$work/blocks"
