#!/bin/sh
# Plays the commands of a page as an instructor would, in a course folder made here with what a class hands in: folders, a
# zip, a zip in a zip, an archive that cannot be read, a wrong kernel, and a Gradescope download with a group of two and one
# whose folder is missing. What each block must give is written behind it on the page (play.awk). usage: play.sh LADDER SOURCE PAGE WORK CMAKE
# test: autograder/guide_is_played @ladder@ @SOURCE@ @SOURCE@/docs/instructors.md @WORK@ @CMAKE@
# labels: full
set -u
ladder=$1
source=$2
page=$3
work=$4
cmake=$5
here=$(cd "$(dirname "$0")" && pwd)
steps=$source/solutions/02_reduction/steps
rm -rf "$work"
mkdir -p "$work/blocks" "$work/course/inbox"
awk -v out="$work/blocks" -f "$here/play.awk" "$page" || exit 1
cd "$work/course" || exit 1

# The launcher builds, and is tested by everybody who uses it; here is what it has built. Limits are those of a machine
# that is busy with other tests.
cat >ladder <<TEXT
#!/bin/sh
case \$1 in grade | regrade) set -- "\$@" --build-limit 600 --case-limit 900 --submission-limit 3600 ;; esac
exec '$ladder' "\$@"
TEXT
chmod +x ladder

mkdir inbox/ann inbox/dan "$work/bob" "$work/cem"
cp "$steps/1_interleaved.cu" "$steps/2_strided.cu" inbox/ann
cp "$steps/1_interleaved.cu" "$work/bob"
cp "$steps/3_sequential.cu" "$work/cem"
printf '# Work log\n\nthe model wrote the loop, I the index\n' >inbox/ann/log.md
echo warp-4 >inbox/ann/leaderboard.txt
printf 'predict 1 aa d sms_used=100\nfirst 1 bb d run\n' >inbox/ann/predictions.txt
sed 's/, partial\[t + stride\]/, -partial[t + stride]/' "$steps/1_interleaved.cu" >inbox/dan/1_interleaved.cu
cmp -s inbox/dan/1_interleaved.cu "$steps/1_interleaved.cu" && echo 'the wrong kernel is right' && exit 1
(cd "$work" && "$cmake" -E tar cf course/inbox/bob.zip --format=zip bob && "$cmake" -E tar cf cem_inner.zip --format=zip cem &&
    "$cmake" -E tar cf course/inbox/cem.zip --format=zip cem_inner.zip) || exit 1
printf 'PK\003\004 broken' >inbox/eve.zip
cp "$steps/1_interleaved.cu" inbox/1_interleaved.cu # a file alone is a submission, too

# Canvas's gradebook knows all but one of them.
cat >gradebook.csv <<'TEXT'
Student,ID,SIS User ID,SIS Login ID,Section,02_reduction (7)
Points Possible,,,,,100
"Ann Lee",1001,,ann,A,
"Bob Ray",1002,,bob,A,
"Cem Wu",1003,,cem,A,
"Dan Fox",1004,,dan,A,
"Eve Kim",1005,,eve,A,
TEXT

# The gradebook's roster.
sed -n '3,$s/^\("[^"]*"\),\([0-9]*\),,\([a-z]*\),.*/\2,\1,\3/p; 1s/.*/ID,Name,Login/p' gradebook.csv >roster.csv

download=$work/assignment_9_export
mkdir -p "$download/submission_11" "$download/submission_12"
cp "$steps/1_interleaved.cu" "$download/submission_11"
cp "$steps/1_interleaved.cu" "$download/submission_12"
cat >"$download/submission_metadata.yml" <<'TEXT'
---
submission_11:
  :submitters:
  - :name: Ann Lee
    :sid: '1001'
    :email: ann@x.edu
  - :name: Dan Fox
    :email: dan@x.edu
  :created_at: 2026-11-19 10:00:00.000000000 Z
submission_12:
  :submitters:
  - :name: Bob Ray
    :sid: '1002'
    :email: bob@x.edu
  :created_at: 2026-11-21 10:00:00.000000000 Z
submission_13:
  :submitters:
  - :name: Cem Wu
    :email: cem@x.edu
  :created_at: 2026-11-20 10:00:00.000000000 Z
TEXT
(cd "$work" && "$cmake" -E tar cf course/export.zip --format=zip assignment_9_export) || exit 1

for block in "$work"/blocks/*.sh; do
    expected=$(cat "${block%.sh}.status")
    sh -eu "$block" >said.txt 2>&1 </dev/null
    status=$?
    if [ "$expected" != any ] && [ $status -ne "$expected" ]; then
        printf 'exit status %s, not %s, of:\n' $status "$expected"
        cat "$block" said.txt
        exit 1
    fi
    while read -r check; do
        if ! sh -c "$check" </dev/null; then
            printf 'not as the page says: %s\nafter:\n' "$check"
            cat "$block" said.txt
            exit 1
        fi
    done <"${block%.sh}.check"
    head -n 1 "$block"
done
echo 'the page was played'
