#!/bin/sh
# The pages of a handout, as a student finds them.
#   handout.sh quick LADDER BUILD WORK   written into WORK: every link leads somewhere, every command that they show stands in
#                                        handout.txt, and those of the default tier end as it says, with the programs in BUILD
#   handout.sh full KIT HANDOUT          the others, in a handout that was built, in which a student has written every step of KIT
set -eu
here=$(cd "$(dirname "$0")" && pwd -P)
TIERS=$here/handout.txt
export TIERS
case $1 in
quick)
    rm -rf "$4"
    mkdir -p "$4"
    "$2" handout "$4/kit" >/dev/null
    ln -s "$3" "$4/kit/build"
    cd "$4/kit"
    # shellcheck disable=SC2046 # several pages
    "$3/docs/tools/ladder-docs" check links . $(find . -name '*.md' -not -path './build/*' | sed 's,^\./,,')
    sh "$here/run.sh" listed .
    LADDER_KIT=$PWD
    export LADDER_KIT
    sh "$here/run.sh" quick . "$3" "$4/play"
    # What is refused says why, in a sentence, and the same everywhere.
    for command in 'run reduction' 'profile reduction 2' 'diff reduction 2 3' 'check reduction 2' 'check first_kernel forward' \
        'grade reduction' 'run gemv_row --sweep' 'run pruning --app'; do
        # shellcheck disable=SC2086 # command and arguments
        said=$("$2" $command --solution 2>&1) && { echo "ladder $command --solution: exit status 0" && exit 1; }
        echo "$said" | tr -s '\n ' '  ' |
            grep -qE '^ladder [a-z]+: solutions come after the deadline: this kit does not have [^:]* yet ?$' ||
            { echo "ladder $command --solution: $said" && exit 1; }
    done
    for command in handout gradebook calibrate new-lab skeleton; do
        "$2" $command 2>&1 | grep -q 'this kit is a handout' || { echo "ladder $command is not refused" && exit 1; }
        ! "$2" help | grep -q "^  $command " || { echo "ladder help: $command" && exit 1; }
    done
    echo "handout: its links, commands and refusals"
    ;;
full)
    cd "$3"
    for file in "$2"/solutions/*/steps/*; do
        step=labs/${file#"$2"/solutions/}
        case $(basename "$file") in [0-9]*.cu) ;; *) continue ;; esac
        hunt=${step%/steps/*}/bugs
        name=${file##*/*[0-9]_}
        set -- "$1" "$2" "$3" "$hunt"/*"_$name"
        [ -e "$4" ] || cp "$file" "$step"
    done
    cp labs/00_first_kernel/first_program.cu mine.cu # docs/students.md: a program of one's own
    sh "$here/run.sh" full . . pages
    ;;
esac
