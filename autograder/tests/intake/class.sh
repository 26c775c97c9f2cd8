#!/bin/sh
# SPDX-License-Identifier: MIT
# A class from the command line that costs no compilation: a Canvas download with an archive that cannot be read, a
# step that is UTF-16 and one that is late. usage: class.sh LADDER WORK
# test: autograder/intake_class @ladder@ @WORK@
# labels: grade
set -u
ladder=$1
work=$2
rm -rf "$work"
mkdir -p "$work/in"
wrong=
printf 'Rar!' >"$work/in/leeann_1_11_work.rar"
printf '\377\376/' >"$work/in/raybob_2_12_1_interleaved.cu"
printf ' ' >"$work/in/wucy_LATE_3_13_1_interleaved.cu"
said=$("$ladder" grade reduction --submissions "$work/in" --output "$work/out" --quick --device sim \
    --due 2026-11-20T23:59 --late 10% 2>&1)
[ $? -eq 1 ] || wrong="$wrong the exit status is not 1;"
says() { # text, what it must hold
    case $1 in *"$2"*) ;; *) wrong="$wrong no \"$2\";" ;; esac
}
says "$said" 'layout canvas (Canvas, downloaded submissions): 3 submissions, 1 archive, 1 that cannot be read, 1 marked late'
says "$said" 'leeann        none  ?????????  step 0: cannot be read'
says "$said" 'raybob         0.0  .x.......  step 1: refused file'
says "$said" '    0.0          1      0.0               0.0  wucy'
says "$(cat "$work/out/handed_in.csv")" '"leeann","leeann_1","1","",,0,,,"leeann_1_11_work.rar: it is damaged, or no archive of a kind that is read; hand in a .zip'
says "$(cat "$work/out/handed_in.csv")" '"wucy","wucy_3","3","","yes",1,0.0000,0.0000,""'
says "$(cat "$work/out/submissions/leeann_1/report.txt")" 'score: none. What was handed in cannot be'
says "$(cat "$work/out/submissions/leeann_1/report.txt")" 'leeann_1_11_work.rar: it is'
says "$(cat "$work/out/submissions/raybob_2/report.txt")" 'UTF-8'
[ -z "$wrong" ] && echo 'a class was taken' && exit 0
printf '%s\n%s\n' "$said" "$wrong"
exit 1
