#!/bin/sh
# command.sh LADDER KIT FOLDER [SCRIPT]: `ladder watch` of a given step, on a pipe and, with script(1), on a terminal: a block
# for the beginning and one for a save by rename; Ctrl-C ends it with status 0 and leaves the terminal as it was.
# test: autograder/watch_command @ladder@ @SOURCE@ @WORK@ @SCRIPT@
# labels: grade
set -eu
ladder=$1
step=$2/labs/02_reduction/steps/0_one_block.cu
rm -rf "$3"
mkdir -p "$3"
cd "$3"
fail() {
    echo "$*"
    cat out
    exit 1
}
until_said() { # text, times
    tries=0
    while [ "$(grep -c "$1" out || true)" -lt "$2" ]; do
        tries=$((tries + 1))
        [ "$tries" -lt 72000 ] || fail "not said $2 times: $1"
        sleep 0.2
    done
}
save() { # the same text, as an editor does it that writes another file first
    cp "$step" "$step.saved"
    mv "$step.saved" "$step"
}

watch= terminal=
trap 'kill $watch $terminal 2>/dev/null || true' EXIT
: >out # the shell may look at it before the command below has begun
"$ladder" watch reduction 0 >out 2>&1 &
watch=$!
until_said 'reduction 0 one_block, saved .*: correct in [0-9]* small cases, no findings' 1
save
until_said 'reduction 0 one_block, saved .*: correct in [0-9]* small cases, no findings' 2
kill -INT "$watch"
wait "$watch" || fail "status $?"
watch=
grep -q 's: compiler [0-9.]* s ([0-9]* %), check [0-9.]* s, counts [0-9.]* s' out || fail "no share of the compiler"
grep -q 'next: ./ladder run reduction 0' out || fail "no next command"
if grep -q "$(printf '\033')" out; then fail "escape sequences on a pipe"; fi

[ $# -gt 3 ] && [ -x "$4" ] || exit 0
# Ctrl-C is typed: it arrives as the terminal's signal, and not before this watch has said something.
mkfifo keys
: >out
"$4" -qefc "stty rows 20 cols 80; '$ladder' watch reduction 0; echo status \$?; stty -a | tr ' ;' '\n\n' | grep -x -e -echo -e echo" \
    out <keys >shown &
terminal=$!
exec 3>keys
until_said 'correct in [0-9]* small cases' 1
printf '\003' >&3
until_said 'status 0' 1
exec 3>&-
wait "$terminal" || true
terminal=
escape=$(printf '\033')
grep -q "$escape\[?25l" out || fail "the cursor is shown"
grep -q "$escape\[?25h" out || fail "the cursor does not come back"
tr -d '\r' <out | grep -qx echo || fail "typed characters stay hidden"
[ "$(grep -o "$escape\[[0-9]*A" out | sort -u | tr -d "$escape")" = '[15A' ] || fail "a block is not of 15 rows"
