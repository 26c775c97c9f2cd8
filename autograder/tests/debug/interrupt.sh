#!/bin/sh
# interrupt.sh LADDER PROGRAM WORK: an endless kernel stops at Ctrl-C and can be gone back in; at the end of the commands, and
# when the debugger is killed, no process is left.
# test: autograder/debug_interrupt @ladder@ @ladder_debug_lines@ @WORK@
# labels: grade
ladder=$1 program=$2 work=$3
rm -rf "$work"
mkdir -p "$work"
cd "$work" || exit 1
mkfifo commands

fail() {
    echo "$1"
    cat output
    exit 1
}

# Waits for a word in the output, or for its absence among the processes, however slow the machine is.
await() {
    for i in $(seq 144000); do
        eval "$1" && return
        sleep 0.1
    done
    fail "not in time: $1"
}

left() {
    ps -e -o args | grep -q "^[^ ]*$program endless"
}

start() {
    "$ladder" debug --no-check -- "$program" endless <commands >output 2>&1 &
    pid=$!
    exec 3>commands
    printf 'break endless\nrun\ndelete\nc\n' >&3
    await 'grep -q "^Continuing" output' # the kernel runs
    kill -INT "$pid"
    await 'grep -q Interrupted output'
}

start
echo reverse-stepi >&3
echo when >&3
await 'grep -q "^Time [0-9]" output'
echo quit >&3
wait "$pid" || fail "exit status $?"
left && fail 'the program is left'

start
engine=$(ps -e -o pid,ppid,args | awk -v parent="$pid" '$2 == parent && /ladder-engine/ { print $1 }')
[ -n "$engine" ] || fail 'no engine'
group=$(ps -o sid= -p "$engine" | tr -d ' ')
kill -KILL "$pid"
wait "$pid"
exec 3>&-
await '! left'
await '! ps -e -o sid= | grep -qx " *$group"'
