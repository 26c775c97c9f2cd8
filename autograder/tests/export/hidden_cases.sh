#!/bin/sh
# hidden_cases.sh LADDER SOURCE WORK: lab 00's hidden cases from the rubric to each file that a student may see. One step is the
# solution's, one is right in the cases that students have and wrong in hidden ones, and prints every size that it is called with.
# test: autograder/full/hidden_cases @ladder@ @SOURCE@ @WORK@
# labels: grade
# where: LADDER_HAVE_JANSSON
set -u
ladder=$1 source=$2 work=$3 faults=0
rm -rf "$work"
mkdir -p "$work/in/ann" "$work/in/bo" && cd "$work" || exit 1
fault() {
    echo "fault: $*"
    faults=1
}
step=$source/solutions/00_first_kernel/steps/5_tile.cu
cp "$step" in/bo
sed -e 's|#include <cuda_runtime.h>|&\n#include <stdio.h>|' -e 's|int64_t blocks = .*|printf("size=%lld\\n", (long long)n);\n&|' \
    -e 's|blocks = (n + THREADS - 1) / THREADS|blocks = n > 100000 ? n / THREADS : (n + THREADS - 1) / THREADS|' "$step" >in/ann/5_tile.cu
printf '%s\n' 'Student,ID,SIS User ID,SIS Login ID,Section,00_first_kernel (7)' '    Points Possible,,,,,120' 'ann,1,,ann,A,' 'bo,2,,bo,A,' >canvas.csv
printf '%s\n' 'Identifier,Full name,Email address,Status,Grade,Maximum Grade,Grade can be changed,Last modified (submission),Last modified (grade),Feedback comments' \
    'Participant 1,ann,,Submitted,,120,Yes,-,-,' 'Participant 2,bo,,Submitted,,120,Yes,-,-,' >moodle.csv
"$ladder" grade first_kernel --submissions in --output out --quick --device sim --export gradescope --export prairielearn --export autolab \
    --export junit --export canvas --roster canvas.csv --gradebook book.db >said.txt 2>&1 || fault "$(cat said.txt)"
"$ladder" grade first_kernel --submissions in --output out --resume --quick --device sim --export moodle --roster moodle.csv >>said.txt 2>&1 ||
    fault "$(cat said.txt)"
"$ladder" report out >>said.txt 2>&1 || fault "$(cat said.txt)"
"$ladder" gradebook show book.db first_kernel --csv book.csv >>said.txt 2>&1 || fault "$(cat said.txt)"
"$ladder" handout kit --labs 00 >>said.txt 2>&1 || fault "$(cat said.txt)"

# The number, where there is room for words; the points, where there is none.
for file in report.html report.txt gradescope.json autolab.txt prairielearn.json junit.xml; do
    for name in 'ann 3 of 7' 'bo 7 of 7'; do
        [ "$file $name" = 'junit.xml bo 7 of 7' ] && continue # of what passed there is no text
        grep -q "hidden cases: ${name#* } right" "out/submissions/${name%% *}/$file" || fault "no '$name' in $file"
    done
done
grep -q '^"*ann"*,.*16.86' out/canvas.csv && grep -q '^"*bo"*,.*18' out/canvas.csv || fault "Canvas: $(cat out/canvas.csv)"
grep -q 'step 5: 10.86 of 12;' out/moodle.csv && grep -q 'step 5: 12 of 12;' out/moodle.csv || fault "Moodle: $(cat out/moodle.csv)"
[ -s out/pages/class.html ] && [ -s out/summary.csv ] && [ -s book.csv ] || fault 'a page or table is missing'

# No size, in no file but what was handed in; and a handout has neither the cases nor their points.
sizes=$(sed -n '/"kind": "cases"/,/]}/p' "$source/labs/00_first_kernel/lab.json" | grep -o '"size": [0-9]*' | grep -o '[0-9]*')
[ "$(echo "$sizes" | wc -l)" -eq 7 ] || fault "hidden sizes: $sizes"
grep -q 'size=4099' out/submissions/ann/result.json || fault 'what a step prints in other cases is not kept'
for size in $sizes; do
    grouped=$(printf '%s\n' "$size" | sed 's/...$/,&/')
    grep -rlE "(=|difference, |: |\[)($size|$((size - 1))|$grouped)\b" out said.txt book.csv --exclude=5_tile.cu && fault "a file tells $size"
    grep -rlE "\b$size\b" kit/labs/00_first_kernel kit/docs && fault "the handout tells $size"
done
grep -q '"cases"' kit/labs/*/lab.json && fault 'a handout has hidden cases'
exit $faults
