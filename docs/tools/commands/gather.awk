# The commands that pages show, one line each: PAGE:LINE, a tab, "block", "text" or "play", a tab, the command. Lines of blocks that begin
# with ```sh, without what stands behind '#'; and backquotes in the text that hold a call of the kit's programs or of the compiler.
# A command with a word in capitals (LAB, FILE) stands for many, and is left to commands.sh of the checks.
function shown(kind, command) {
    sub(/[ \t]+#.*/, "", command)
    gsub(/^[ \t]+|[ \t]+$/, "", command)
    if (command == "" || command ~ /^#/) return
    if (command ~ /(^|[ =\/[])[A-Z]+([] ]|$)/) return
    printf "%s:%d\t%s\t%s\n", FILENAME, FNR, kind, command
}
FNR == 1 { block = 0; held = "" }
/^[ \t]*```/ {
    block = block ? 0 : ($0 ~ /^[ \t]*```sh$/ ? 1 : 2)
    next
}
block == 1 {
    if (sub(/\\$/, "")) {
        held = held $0
        next
    }
    shown("block", held $0)
    held = ""
}
block { next }
/^ *<!-- play: / { # docs/instructors.md: what is executed behind a block (autograder/tests/guide)
    command = $0
    gsub(/^ *<!-- play: |( >[a-z.]+| \|\| .*)? -->$/, "", command)
    printf "%s:%d\tplay\t%s\n", FILENAME, FNR, command
    next
}
{
    rest = $0
    while (match(rest, /`[^`]*`/)) {
        part = substr(rest, RSTART + 1, RLENGTH - 2)
        rest = substr(rest, RSTART + RLENGTH)
        if (part ~ /^(\.\/ladder|nvcc|cmake|ctest|sh|python3) / || part ~ /^(build\/|\.\/)[^ ]+ --?[a-z]/) shown("text", part)
    }
}
