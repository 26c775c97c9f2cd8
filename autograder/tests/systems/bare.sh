#!/bin/sh
# SPDX-License-Identifier: MIT
# bare.sh KIT RELEASE WORK: the first command on a bare Debian, with nothing installed before. Then, in a handout
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
rm -rf "$system"
cp -a "$work/$release-$architecture" "$system"
copy_kit "$system/kit"
before=$(taken "$system")
name="Debian $(sed -n 's/^VERSION_ID="\(.*\)"/\1/p' "$system/etc/os-release"), $architecture"

first='./ladder run reduction --solution'
# shellcheck disable=SC2086 # several words
timed_inside "$system" /kit $first
cat "$work/said"
right=$(grep -cE '^ +[0-9]  [a-z_]+ +correct ' "$work/said") || true
[ "$right" -eq 9 ] || fail "$right steps of 9 are right"
toolkit=$(sed -n 's/.* has the CUDA toolkit \([0-9.]*\) .*/\1/p' "$work/said")
[ -n "$toolkit" ] || fail "the launcher does not say which toolkit it takes"
! find "$system/usr" "$system/lib" -name 'libcuda.so*' -o -name 'libcublas*' | grep . || fail "a driver's or a large library came"
record "$name" "$toolkit" "$first" "9 of 9 steps right" "$(downloaded "$system" "$work/said")" \
    "$(($(taken "$system") - before))"
timed_inside "$system" /kit ./ladder run reduction 3 --solution
[ "$wall" -le 120 ] || fail "the second run takes $wall s"

inside "$system" /kit ./ladder handout /handout >"$work/said" 2>&1 || fail "$(tail -n 20 "$work/said")"
cp "$system/kit/solutions/02_reduction/steps/1_interleaved.cu" "$system/handout/labs/02_reduction/steps/"
sed -n 's/^ *\(- \)\{0,1\}run: //p' "$kit/.github/workflows/grade.yml" >"$system/handout/push.sh"
timed_inside "$system" /handout sh -e push.sh
cat "$work/said"
grep -qE '^ +1  interleaved +correct' "$work/said" || fail "the written step is not graded"
grep -q '<testcase' "$system"/handout/results/02_reduction.xml || fail "no criteria as tests"
record "$name" "$toolkit" "the workflow of a push, in a handout" "$(sed -n 's/^points: //p' "$work/said") points, one step written" - -
rm -rf "$system"
