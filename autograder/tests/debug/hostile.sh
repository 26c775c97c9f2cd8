#!/bin/sh
# hostile.sh default|full LADDER FOLDER WORK: whatever a program does, the debugger comes to an end, says how the program ended, and leaves
# no process and no temporary file. FOLDER has the programs, of hostile.cu; that of the full tier has no PTX.
# test: autograder/debug_hostile_default default @ladder@ @BUILD@/autograder/tests @WORK@
# labels: grade
tier=$1 ladder=$2 program=$3/ladder_debug_hostile_default without=$3/ladder_debug_hostile_full work=$4
rm -rf "$work"
mkdir -p "$work/place" "$work/temporary"
cd "$work" || exit 1
work=$(pwd -P)
TMPDIR=$work/temporary
export TMPDIR
faults=0 played=0

fault() {
    echo "$1"
    tail -n 30 said
    faults=$((faults + 1))
}

# Processes whose working folder is the program's.
left() { readlink /proc/[0-9]*/cwd | grep -cx "$work/place"; }

await() { # what must become true, however slow the machine is
    for i in $(seq 144000); do
        eval "$1" && return
        sleep 0.1
    done
    false
}

nothing_is_left() { # case
    played=$((played + 1))
    await '[ "$(left)" = 0 ]' || fault "$1: $(left) processes are left"
    [ -z "$(ls -A temporary)" ] || fault "$1: left in the temporary folder: $(ls temporary)"
}

# Ends by itself: arguments of the program, words of the last line, others that are to be said.
ends() {
    (cd place && printf 'break tame\nrun\nc\nc\nc\nbt\n' | "$ladder" debug --no-check -- "$program" "$1") >said 2>&1
    status=$?
    [ "$status" = 1 ] || fault "$1: exit status $status"
    grep -q "^$2" said || fault "$1: does not say: $2"
    [ -z "${3:-}" ] || grep -q "$3" said || fault "$1: does not say: $3"
    nothing_is_left "$1"
}

# Is stopped: arguments of the program; a kernel in which it goes on; what is said after each Ctrl-C.
is_interrupted() {
    mode=$1 kernel=$2
    rm -f commands
    mkfifo commands
    (cd place && exec "$ladder" debug --no-check -- "$program" "$mode") <commands >said 2>&1 &
    pid=$!
    exec 3>commands
    echo "break $kernel" >&3
    await 'grep -q pending said'
    kill -INT "$pid" # at the prompt
    printf 'run\ndelete\nc\n' >&3
    await 'grep -q "^Continuing" said'
    shift 2
    for words; do
        kill -INT "$pid"
        await "grep -q '$words' said" || fault "$mode: not in time: $words"
    done
    printf 'info cuda warps\nreverse-stepi\nwhen\n' >&3
    exec 3>&-
    wait "$pid"
    status=$?
    [ "$status" -le 1 ] || fault "$mode: exit status $status"
    nothing_is_left "$mode"
}

# Is recorded: arguments of the program, its kernel, what is said.
is_recorded() {
    rm -f page.html
    (cd place && "$ladder" debug --html ../page.html --launch "$2" -- "$program" "$1") >said 2>&1 ||
        fault "$1, as a page: exit status $?"
    grep -q "$3" said || fault "$1, as a page: does not say: $3"
    [ -s page.html ] || fault "$1: no page"
    nothing_is_left "$1, as a page"
}

# Is no program that can be debugged: its path, what is said.
is_refused() {
    (cd place && echo run | "$ladder" debug -- "$1") >said 2>&1
    tr -s '\n ' '  ' <said | grep -q "$2" || fault "$1: does not say: $2"
    nothing_is_left "$1"
}

aborted='\[The program crashed: '
if [ "$tier" = default ]; then
    ends abort "${aborted}Aborted"
    ends kill "${aborted}Killed"
    ends crash "${aborted}Segmentation fault"
    ends leave '\[The program exited with status 7'
    ends replace '\[The program exited normally'
    ends again '\[The program exited normally' 'the end'
    ends multiply '\[The program exited normally' 'the end'
    ends close '\[The program exited'
    ends read '\[The program exited normally' 'read: -1'
    ends recursion '\[The program exited with status 2' 'Lane User Stack Overflow'
    ends large '\[The program exited normally' 'the end'
    ends flood '\[The program exited normally' '99 from thread 31: no end of words'
    : >empty
    echo text >text
    chmod +x empty text
    is_refused "$work/empty" 'cannot start'
    is_refused "$work/text" 'cannot start'
    is_refused "$work" 'cannot start'
    is_refused "$work/nowhere" 'No such file'
    is_refused /bin/true 'exited normally'
    is_interrupted torrent flood '^Interrupted'
else
    is_refused "$without" 'the program holds no PTX'
    is_recorded endless 1 'a page holds 6,000 steps'
    is_interrupted endless endless '^Interrupted'
    is_interrupted deaf tame '^No kernel runs' 'The program was ended'
    is_interrupted stop tame '^No kernel runs' 'The program was ended'
    for mode in endless deaf stop; do # and when the debugger is killed
        (cd place && exec "$ladder" debug --no-check -- "$program" "$mode") >said 2>&1 <<END &
run
END
        pid=$!
        await '[ "$(left)" -gt 2 ]'
        kill -KILL "$pid"
        wait "$pid" 2>/dev/null
        nothing_is_left "$mode, killed"
    done
fi
echo "$played cases, $faults faults"
[ "$faults" = 0 ]
