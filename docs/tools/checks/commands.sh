#!/bin/sh
# commands.sh LADDER KIT PAGE..: does every command that a page shows exist? In code blocks and in backquotes, each `./ladder COMMAND` must
# be a command, each of its options must stand in the command's --help, and a lab must be one of the kit's. Capital letters stand
# for something (LAB, FILE); what follows -- belongs to another program. Prints each fault; the exit status is 0 when there is none.
set -eu
ladder=$1
kit=$2
shift 2
cd "$kit"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for command in $("$ladder" help | sed -n 's/^  \([a-z-]*\)  *[a-z].*/\1/p'); do
    "$ladder" "$command" --help >"$work/$command" 2>/dev/null ||
        ./ladder "$command" --help >"$work/$command" # the launcher's own
done
# Options of the labs' own programs, behind --app --.
for folder in labs/[0-9][0-9]_*; do
    name=${folder#labs/}
    number=${name%%_*}
    printf '%s\n%s\n%s\n%s\n' "$name" "${name#*_}" "$number" "${number#0}"
done >"$work/.labs"
awk -v work="$work" '
    function fault(text) { printf "%s:%d: %s: %s\n", FILENAME, FNR, text, shown; faults++ }
    function options_of(command,   line) {
        if (command in read_of) return
        read_of[command] = 1
        known[command] = 0
        while ((getline line < (work "/" command)) > 0) {
            known[command] = 1
            while (match(line, /--?[a-z][a-z-]*/)) {
                has[command, substr(line, RSTART, RLENGTH)] = 1
                line = substr(line, RSTART + RLENGTH)
            }
        }
    }
    function look(text,   n, word, i, command, bare) {
        while (match(text, /(^|[ (])(\.\/)?ladder [a-z-]/)) {
            text = substr(text, RSTART)
            sub(/^[ (]/, "", text)
            shown = text
            sub(/ *(#|;|&&|\|).*/, "", shown)
            n = split(shown, word, /[ \t]+/)
            text = substr(text, 8)
            command = word[2]
            sub(/[,:.]$/, "", command)
            if (command == "help" || command ~ /^-/) continue
            commands++
            options_of(command)
            if (!known[command]) { fault("no such command"); continue }
            bare = 0
            for (i = 3; i <= n; i++) {
                if (word[i] == "--") break
                gsub(/[][,()]/, "", word[i])
                sub(/[=|].*/, "", word[i])
                if (word[i] ~ /^--[a-z]/ && !((command, word[i]) in has)) fault("no such option of " command ": " word[i])
                if (i == 3 && word[i] ~ /^[a-z0-9_]+$/ && command ~ /^(run|profile|check|diff|hint|predict|grade|tune)$/ && !(word[i] in lab) &&
                    !(word[i] in made)) fault("no such lab")
                if (command == "new-lab" && i == 3) { made[word[i]]; sub(/^[0-9]+_/, "", word[i]); made[word[i]] }
            }
        }
    }
    BEGIN { while ((getline line < (work "/.labs")) > 0) lab[line] }
    FNR == 1 { fenced = 0 }
    /^[ \t]*```/ { fenced = !fenced; next }
    fenced { look($0); next }
    {
        rest = $0
        while (match(rest, /`[^`]*`/)) {
            part = substr(rest, RSTART + 1, RLENGTH - 2)
            rest = substr(rest, RSTART + RLENGTH)
            if (part ~ /^(\.\/)?ladder /) look(part)
        }
    }
    END { printf "commands: %d looked up\n", commands; exit faults > 0 || commands == 0 }' "$@"
