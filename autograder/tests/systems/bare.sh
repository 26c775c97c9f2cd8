#!/bin/sh
# bare.sh KIT RELEASE WORK: the first command on a bare Debian, with nothing installed before, by each way to a toolkit. Then, in a handout
# in which one step is written, what the workflows for GitHub and GitLab run.
# test: autograder/bare_bookworm @SOURCE@ bookworm @BUILD@/autograder/tests/systems/bookworm
# test: autograder/bare_trixie @SOURCE@ trixie @BUILD@/autograder/tests/systems/trixie
# labels: full
set -eu
kit=$1 release=$2 work=$3
architecture=$(dpkg --print-architecture 2>/dev/null)
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
. "$here/systems.sh"
need_root_and debootstrap git unshare
mkdir -p "$work"
work=$(CDPATH='' cd -- "$work" && pwd)
rm -f "$work/record.txt"
make_base "$release" "$architecture" "$work/$release-$architecture"
system=$work/bare
name="Debian $(sed -n 's/^VERSION_ID="\(.*\)"/\1/p' "$work/$release-$architecture/etc/os-release"), $architecture"
first='./ladder run reduction --solution'

# A bare system, and in it the first command. Sets toolkit, what it downloads of it (MB), and all that came.
first_command() { # "" or a package that this system does not have
    rm -rf "$system"
    cp -a "$work/$release-$architecture" "$system"
    [ -z "$1" ] || printf 'Package: %s\nPin: release *\nPin-Priority: -1\n' "$1" >"$system/etc/apt/preferences.d/without"
    copy_kit "$system/kit"
    before=$(taken "$system")
    # shellcheck disable=SC2086 # several words
    timed_inside "$system" /kit $first
    cat "$work/said"
    right=$(grep -cE '^ +[0-9]  [a-z_]+ +correct ' "$work/said") || true
    [ "$right" -eq 9 ] || fail "$right steps of 9 are right"
    toolkit=$(sed -n 's/.* has the CUDA toolkit \([0-9.]*\) .*/\1/p' "$work/said")
    [ -n "$toolkit" ] || fail "the launcher does not say which toolkit it takes"
    megabytes=$(sed -n 's/^ladder: \([0-9]*\) MB to download.*/\1/p' "$work/said")
    came=$(downloaded "$system" "$work/said")
    ! find "$system/usr" "$system/lib" -name 'libcuda.so*' -o -name 'libcublas*' | grep . || fail "a driver's or a large library came"
    record "$name" "$toolkit" "$first" "9 of 9 steps right" "$came" "$(($(taken "$system") - before))"
}

# The distribution's toolkit, as where there is no pip; then the wheels, which are a fifth of it.
first_command python3-pip
distribution=$megabytes all=$came
first_command ''
[ $((5 * megabytes)) -le "$distribution" ] || fail "the wheels have $megabytes MB, the distribution's toolkit $distribution"
[ $((2 * came)) -le "$all" ] || fail "$came MB came with the wheels, $all with the distribution's toolkit"
touch "$work/first"
timed_inside "$system" /kit ./ladder run reduction 3 --solution
[ -z "$(find "$system/kit/build" -name '*.o' -newer "$work/first")" ] || fail "the second run builds again"

inside "$system" /kit ./ladder handout /handout >"$work/said" 2>&1 || fail "$(tail -n 20 "$work/said")"
cp "$system/kit/solutions/02_reduction/steps/1_interleaved.cu" "$system/handout/labs/02_reduction/steps/"
sed -n 's/^ *\(- \)\{0,1\}run: //p' "$kit/.github/workflows/grade.yml" >"$system/handout/push.sh"
timed_inside "$system" /handout sh -e push.sh
cat "$work/said"
grep -qE '^ +1  interleaved +correct' "$work/said" || fail "the written step is not graded"
grep -q '<testcase' "$system"/handout/results/02_reduction.xml || fail "no criteria as tests"
record "$name" "$toolkit" "the workflow of a push, in a handout" "$(sed -n 's/^points: //p' "$work/said") points, one step written" - -
rm -rf "$system"
