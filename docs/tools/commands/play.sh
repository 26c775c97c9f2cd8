#!/bin/sh
# play.sh COMMANDS FOLDER: runs the commands (sort.awk) in FOLDER, in their order, as somebody does who reads the pages. Whatever
# asks is answered with 1. Complains about each that ends with another status; prints what each took, in processor seconds.
set -u
commands=$1
cd "$2" || exit 1
mkdir -p .state
XDG_STATE_HOME=$PWD/.state
HOME=$PWD/.state
EDITOR='test -w' # the file is there, and may be edited
export XDG_STATE_HOME HOME EDITOR
awk 'BEGIN { for (i = 0; i < 100; i++) print 1 }' >.answers
played=0 faults=0 before=0
tab=$(printf '\t')
while IFS=$tab read -r page expected command <&3; do
    sh -c "$command" <.answers >.said 2>&1
    status=$?
    times >.times
    now=$(sed -n '2s/[ms]/ /gp' .times | awk '{ print 60 * $1 + $2 + 60 * $3 + $4 }')
    awk "BEGIN { printf \"%7.2f s  %s\n\", $now - $before, ARGV[1] }" "$command"
    before=$now
    played=$((played + 1))
    [ "$expected" = any ] || [ "$status" -eq "$expected" ] || {
        printf '%s: exit status %s, not %s: %s\n' "$page" "$status" "$expected" "$command"
        tail -n 20 .said
        faults=$((faults + 1))
    }
done 3<"$commands"
echo "played: $played commands, $before processor seconds, $faults faults"
[ "$faults" -eq 0 ] && [ "$played" -gt 0 ]
