#!/bin/sh
# A class from the command line that costs little compilation: a Canvas download with an archive that cannot be read, a
# step that is UTF-16 and one that is late; names that are no step's, and single files. usage: class.sh LADDER WORK CMAKE
# test: autograder/intake_class @ladder@ @WORK@ @CMAKE@
# labels: grade
set -u
ladder=$1
work=$2
cmake=$3
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
says "$said" 'leeann        none  ?????????  cannot be read'
says "$said" 'raybob         0.0  .x.......  step 1: refused file'
says "$said" '    0.0           1      0.0               0.0  wucy'
says "$(cat "$work/out/handed_in.csv")" '"leeann","leeann_1","1","",,0,,,"leeann_1_11_work.rar: it is damaged, or no archive of a kind that is read; hand in a .zip'
says "$(cat "$work/out/handed_in.csv")" '"wucy","wucy_3","3","","yes",1,0.0000,0.0000,""'
says "$(cat "$work/out/submissions/leeann_1/report.txt")" 'score: none. What was handed in cannot be'
says "$(cat "$work/out/submissions/leeann_1/report.txt")" 'leeann_1_11_work.rar: it is'
says "$(cat "$work/out/submissions/raybob_2/report.txt")" 'UTF-8'

# Names that are no step's: told, no 0, and taken for a step where a person says so, for all or in the class's sheet.
rm -rf "$work/in"
mkdir -p "$work/in/ann/lab" "$work/in/bob"
printf '\377\376/' | tee "$work/in/ann/lab/step3.cu" "$work/in/bob/last.cu.txt" >"$work/in/Eve step.cu"
printf 'ID,Name,Files\nann,Ann Lee,Step3.cu=3_sequential.cu\nbob,Bob Ray,last.cu.txt=8\n' >"$work/sheet.csv"
grade() {
    said=$("$ladder" grade reduction --submissions "$work/in" --output "$work/as" --quick --device sim "$@" 2>&1)
}
grade
says "$said" 'ann            none  ?????????  no step file'
says "$(echo $said)" 'step3.cu (not a step'"'"'s name; 3_sequential.cu may be meant)'
says "$said" 'Eve step.cu: not a step'
says "$said" '3 submissions, 3 without a step file'
grade --as 'eve step.cu=2' --students "$work/sheet.csv"
says "$said" "per submission): 3 submissions
"
says "$said" 'Eve step.cu     0.0  ..x......  step 2: refused file'
says "$said" 'Ann Lee         0.0  ...x.....  step 3: refused file'
says "$said" 'Bob Ray         0.0  ........x  step 8: refused file'
says "$(tr '\n' ' ' <"$work/as/submissions/ann/report.txt")" 'step3.cu is taken for 3_sequential.cu'
grade --as other.cu=2
says "$said" '--as other.cu: no file of this name was handed in'
grade --as step3.cu=33
says "$said" 'the steps are'
"$ladder" grade reduction --as step3.cu=3 2>&1 | grep -q -e '--as needs PATH' || wrong="$wrong --as for own files;"
# An exam: what came outside of its window is not graded, and its row and report say so.
printf 'ID,Name,Submitted\nann,Ann Lee,2026-12-01T11:00Z\nbob,Bob Ray,2026-12-01T12:01Z\n' >"$work/times.csv"
grade --students "$work/times.csv" --as last.cu.txt=8 --as step3.cu=3 --window 2026-12-01T10:00Z 2026-12-01T12:00Z
says "$said" 'Bob Ray: handed in at 2026-12-01 12:01 UTC, outside of the window from 2026-12-01 10:00 UTC'
says "$said" 'Bob Ray        none  ?????????  outside the window'
says "$said" 'Ann Lee         0.0  ...x.....  step 3'
says "$(tr '\n' ' ' <"$work/as/submissions/bob/report.txt" | tr -s ' ')" 'score: none. Nothing was graded: handed in at'
grep -q '^"Bob Ray","bob","[^"]*",,' "$work/as/summary.csv" || wrong="$wrong a mark outside of the window;"
grade --window 2026-12-01T10:00Z
says "$said" 'window needs two arguments: --window FROM TO'
# The same where course systems packed it: files and archives of one student, one of them without a file.
packed() { # step, archive of it
    rm -rf "$work/pack"
    mkdir -p "$work/pack/my work" "${2%/*}"
    [ -z "$1" ] || printf '\377\376/' >"$work/pack/my work/$1"
    (cd "$work/pack" && "$cmake" -E tar cf "$2" --format=zip "my work")
}
layout() { # its folder, the class's first line, whose step 3 is graded
    said=$("$ladder" grade reduction --submissions "$work/$1" --output "$work/$1.as" --quick --device sim --as step3.cu=3 2>&1)
    says "$said" "$2
"
    shift 2
    for who; do says "$(echo "$said" | tr -s ' ')" "$who 0.0 ...x..... step 3: refused file"; done
}
packed step3.cu "$work/plain/ann.zip"
packed Step3.cu "$work/plain/bob.zip"
packed '' "$work/plain/eve.zip"
layout plain '3 submissions, 3 archives, 1 without a step file' ann.zip bob.zip
says "$said" 'eve.zip: no step file'
says "$said" 'eve.zip       none  ?????????  no step file'
says "$(cat "$work/plain.as/submissions/eve.zip/report.txt")" 'device: simulated NVIDIA H100 80GB HBM3

files'
packed step3.cu "$work/canvas/leeann_1_11_work.zip"
printf '\377\376/' >"$work/canvas/raybob_2_12_step3.cu"
printf '\377\376/' >"$work/canvas/wucy_3_13_step3-1.cu"
layout canvas 'layout canvas (Canvas, downloaded submissions): 3 submissions, 1 archive' leeann raybob wucy
packed step3.cu "$work/moodle/Ann Lee_101_assignsubmission_file/work.zip"
for who in 'Bob Ray_102_assignsubmission_file' 'Cy Wu_103_assignsubmission_file/deep'; do
    mkdir -p "$work/moodle/$who"
    printf '\377\376/' >"$work/moodle/$who/step3.cu"
done
layout moodle 'layout moodle (Moodle, all submissions downloaded): 3 submissions, 1 archive' 'Ann Lee' 'Bob Ray' 'Cy Wu'
packed step3.cu "$work/gradescope/submission_11/work.zip"
mkdir -p "$work/gradescope/submission_12"
printf '\377\376/' >"$work/gradescope/submission_12/step3.cu"
layout gradescope 'layout gradescope (Gradescope, exported submissions): 2 submissions, 1 archive' submission_11 submission_12
# Single files: a step that is handed out complete is the kit's where it was not handed in.
printf 'no code\n' >"$work/1_interleaved.cu"
said=$("$ladder" grade reduction "$work/1_interleaved.cu" --output "$work/one" --quick --device sim 2>&1)
says "$said" '0  one_block          correct (given)                   4 / 4'
says "$said" 'step 0 is given and was not handed in: it is the kit'
[ -z "$wrong" ] && echo 'a class was taken' && exit 0
printf '%s\n%s\n' "$said" "$wrong"
exit 1
