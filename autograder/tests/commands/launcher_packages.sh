#!/bin/sh
# SPDX-License-Identifier: MIT
# launcher_packages.sh LAUNCHER FOLDER: does the launcher offer a lab's packages for that lab alone, with the right
# options, when they are missing? Does it go on without them? Reads its functions, in a kit made in FOLDER, with an
# apt-get that only tells what it was asked for.
# test: autograder/launcher_packages @SOURCE@/ladder @WORK@
set -eu
launcher=$1
rm -rf "$2"
mkdir -p "$2/bin" "$2/labs/09_cnn" "$2/labs/10_other" "$2/labs/11_plain"
cd "$2"
printf '%s\n' '# a remark' '' 'data-set /nowhere/data run --app !--data' 'data-set /nowhere/data test' \
    'there / run' >labs/09_cnn/packages.txt
echo 'other-set /nowhere/other run' >labs/10_other/packages.txt
sed -n '/^say()/,/^}/p' "$launcher" >functions.sh
printf '#!/bin/sh\necho "apt-get $*"\nexit "${APT_FAILS:-0}"\n' >bin/apt-get
printf '#!/bin/sh\necho "${ROOT_ID:-0}"\n' >bin/id
chmod +x bin/apt-get bin/id
root=$PWD
log=$PWD/log
PATH=$PWD/bin:$PATH
. ./functions.sh
. "${launcher%/*}/common/launcher/install.sh"
wrong=0
wants() { # packages, arguments of ladder
    expected=$1
    shift
    got=$(wanted_packages "$@" | tr '\n' ' ')
    [ "$got" = "$expected" ] && return 0
    echo "ladder $*: wanted \"$got\", expected \"$expected\""
    wrong=1
}
wants 'data-set ' run cnn --app
wants 'data-set ' run 9 --solution --app -- --seed 3
wants 'data-set ' run --app 09
wants 'data-set ' run 09_cnn --app
wants '' run cnn --app -- --data here
wants '' run cnn
wants '' run cnn --solution
wants '' grade cnn --app
wants '' run 11_plain --app
wants '' run 11 9 --app
wants '' run
wants 'other-set ' run other
wants 'other-set ' run 10 9
wants 'data-set ' test
for_class() { # package, arguments of ladder, where neither is there
    expected=$1
    shift
    got=$(is_present() { return 1; }; class_packages "$@" | tr '\n' ' ')
    [ "$got" = "$expected" ] && return 0
    echo "ladder $*: wanted \"$got\" for a class, expected \"$expected\""
    wrong=1
}
for_class 'bubblewrap libarchive-dev libsqlite3-dev libyaml-dev libdw-dev libedit-dev ' doctor
for_class 'bubblewrap libarchive-dev libsqlite3-dev libyaml-dev libdw-dev libedit-dev ' test
for_class 'bubblewrap libarchive-dev libsqlite3-dev libyaml-dev libdw-dev libedit-dev slurm-wlm munge ' test --full
for_class 'bubblewrap libarchive-dev libsqlite3-dev libyaml-dev ' grade reduction --submissions inbox
for_class 'bubblewrap libarchive-dev libsqlite3-dev libyaml-dev ' grade reduction --jobs 2 --submissions=inbox
for_class 'bubblewrap libarchive-dev libsqlite3-dev libyaml-dev ' regrade reduction --submissions inbox --gradebook course.db
for_class 'libsqlite3-dev ' gradebook show course.db
for_class 'libdw-dev libedit-dev ' debug reduction 1
for_class '' grade reduction
for_class '' doctor --help
for_class '' run reduction
says() { # what the output must hold; the output
    case $2 in *"$1"*) return 0 ;; esac
    printf 'lacks "%s":\n%s\n' "$1" "$2"
    wrong=1
}
says 'ladder: installing data-set' "$(offer_packages run cnn --app </dev/null 2>&1)"
says 'apt-get install -y -q --no-install-recommends data-set' "$(cat log)"
says 'going on without data-set' "$(APT_FAILS=1 offer_packages run cnn --app </dev/null 2>&1)"
said=$(ROOT_ID=7 offer_packages run cnn --app </dev/null 2>&1) # a user who is not root
says 'can use data-set. Install with: sudo apt-get install -y --no-install-recommends data-set' "$said"
says 'going on without data-set' "$said"
said=$(is_present() { return 1; }; ROOT_ID=7 offer_packages doctor </dev/null 2>&1)
says 'can use bubblewrap libarchive-dev libsqlite3-dev libyaml-dev libdw-dev libedit-dev. Install with: sudo apt-get install -y --no-install-recommends bubblewrap libarchive-dev libsqlite3-dev libyaml-dev libdw-dev libedit-dev' "$said"
[ -z "$(offer_packages run cnn </dev/null 2>&1)" ] || wrong=1
rm bin/apt-get
for program in tr sort cat id; do [ -e "bin/$program" ] || ln -s "$(command -v "$program")" bin/; done
PATH=$PWD/bin # a system without apt-get
says 'This system has no apt-get' "$(offer_packages run cnn --app </dev/null 2>&1)"
[ "$wrong" -eq 0 ] && echo "packages of labs are offered where they are wanted"
exit "$wrong"
