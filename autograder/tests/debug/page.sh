#!/bin/sh
# page.sh LADDER PROGRAM WORK: does `ladder debug --html` record a launch as one page that loads nothing, with what the program is known
# to do in it, and say what it does not take?
# test: autograder/debug_page @ladder@ @ladder_debug_variables@ @WORK@
# labels: grade
# where: LADDER_HAVE_LIBDW
set -eu
ladder=$1 program=$2
mkdir -p "$3"
cd "$3"
fail() { echo "page.sh: $*" >&2 && exit 1; }
"$ladder" debug --html page.html -- "$program" >page.log 2>&1 || { cat page.log >&2; exit 1; }
grep -q '^page.html: [1-9][0-9]* steps of [1-9][0-9]* warps*, times up to [1-9]' page.log || fail "says: $(cat page.log)"
[ "$(wc -c <page.html)" -lt 2000000 ] || fail 'larger than 2 MB'
! grep -Eq '(src|href)="' page.html || fail 'loads something'
for part in moments accesses states scopes values shared; do
    grep -A 1 "^,*\"$part\":\[\[" page.html >/dev/null || fail "no $part"
done
! grep -q 'SOLUTION' page.html || fail "shows the marks of the skeleton's maker"
"$ladder" debug --html again.html -- "$program" >/dev/null 2>&1
cmp page.html again.html || fail 'another run gives another page'
"$ladder" debug --html one.html --warps 1 --from 20 -- "$program" >one.log 2>&1 || { cat one.log >&2; exit 1; }
grep -q '^one.html: .* steps of 1 warp,' one.log || fail "one warp: $(cat one.log)"
refused() { # words of the message, arguments
    words=$1
    shift
    ! "$ladder" debug "$@" -- "$program" >refused.log 2>&1 || fail "takes $*"
    grep -q -- "$words" refused.log || fail "$*: $(cat refused.log)"
}
refused 'are for --html' --block 1
refused 'from 0 on' --html no.html --block 1000000
refused 'there is no launch 99' --html no.html --launch 99
refused 'up to 32 warps' --html no.html --blocks 33
[ ! -e no.html ] || fail 'writes a page of nothing'
