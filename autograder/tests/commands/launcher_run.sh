#!/bin/sh
# SPDX-License-Identifier: MIT
# launcher_run.sh LAUNCHER FOLDER: which `run` does the launcher leave to the program of one lab? Reads its function, in a
# kit made in FOLDER.
# test: autograder/launcher_run @SOURCE@/ladder @WORK@
set -eu
launcher=$1
rm -rf "$2"
mkdir -p "$2/build/autograder" "$2/labs/02_reduction" "$2/labs/10_pruning" "$2/labs/11_empty"
cd "$2"
touch labs/02_reduction/lab.json labs/10_pruning/lab.json
sed -n '/^lab_to_run()/,/^}/p' "$launcher" >functions.sh
root=$PWD
build=$PWD/build
. ./functions.sh
wrong=0
runs() { # lab, arguments of ladder
    expected=$1
    shift
    got=$(lab_to_run "$@")
    [ "$got" = "$expected" ] && return 0
    echo "ladder $*: the lab is \"$got\", expected \"$expected\""
    wrong=1
}
runs reduction run reduction --solution
runs reduction run 2
runs reduction run 02 3 5 --device=sim --quick
runs pruning run --check-only 10_pruning first
runs '' run
runs '' run --device sim reduction # "sim" might be the lab
runs '' run reduction --help
runs '' run pruning --app
runs '' run reduktion
runs '' run empty
runs '' check reduction
runs ''
touch build/autograder/ladder # built for another command: nothing is saved
chmod +x build/autograder/ladder
runs '' run reduction --solution
[ "$wrong" -eq 0 ] && echo "a first run is left to the lab's own program"
exit "$wrong"
