#!/bin/sh
# keys.sh LADDER PROGRAM: at a terminal the tabulator completes names of commands, ^A goes to the beginning of the line, and ^P brings the
# line before back.
# test: autograder/debug_keys @ladder@ @ladder_debug_lines@
# labels: grade
# where: LADDER_HAVE_EDIT LADDER_SCRIPT
said=$(printf 'inf\tbr\r\020\rork\001br\t w\r\020\rrev\ts\t\rquit\r' |
    TERM=xterm script -qec "stty cols 80; '$1' debug -- '$2'" /dev/null | tr -d '\r')
count() { echo "$said" | grep -c "^$1"; }
[ "$(count 'No breakpoints')" = 2 ] && [ "$(count 'Breakpoint [12] (work) pending')" = 2 ] &&
    [ "$(count 'The program is not being run')" = 1 ] || {
    echo "$said"
    exit 1
}
