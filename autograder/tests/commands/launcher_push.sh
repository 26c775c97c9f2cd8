#!/bin/sh
# SPDX-License-Identifier: MIT
# launcher_push.sh KIT FOLDER: the workflows for GitHub and GitLab run the same commands; what they run grades the labs that
# are begun, with a `ladder` that only writes what the real one would, and tells GitHub Classroom the points.
# test: autograder/launcher_push @SOURCE@ @WORK@
set -eu
kit=$(realpath "$1")
rm -rf "$2"
mkdir -p "$2/common/launcher" "$2/labs/01_begun/steps" "$2/labs/02_untouched/steps" "$2/labs/03_done/steps"
cd "$2"
fail() {
    echo "$*"
    exit 1
}
sed -n 's/^ *\(- \)\{0,1\}run: //p' "$kit/.github/workflows/grade.yml" >github
sed -n '/^  script:/,/^  [a-z]*:$/s/^    - //p' "$kit/.gitlab-ci.yml" >gitlab
cmp github gitlab || fail "the workflows differ"
[ "$(tail -n 1 github)" = 'sh common/launcher/grade_push.sh' ] || fail "the workflows do not grade"

cp "$kit/common/launcher/grade_push.sh" common/launcher/
echo '#define IMPLEMENTED 0' | tee labs/01_begun/steps/2_b.cu >labs/02_untouched/steps/1_a.cu
cat >ladder <<'TEXT'
#!/bin/sh
[ "$1 $3 $4" = "grade --device sim" ] || exit 2
case $2 in 01_begun) points=6.5 most=120 ;; *) points=50 most=50 ;; esac
for word in "$@"; do case $word in *.json) json=$word ;; junit=*) echo '<testsuite/>' >"${word#junit=}" ;; esac done
printf '{\n  "points": %s,\n  "points_max": %s,\n  "steps": [\n    {\n      "points": 1,\n' $points $most >"$json"
echo "report of $2"
[ ! -e broken ]
TEXT
chmod +x ladder
sh common/launcher/grade_push.sh >said
grep -q 'nothing to grade' said || fail "$(cat said)"
echo '#define IMPLEMENTED 1' | tee labs/01_begun/steps/1_a.cu >labs/03_done/steps/1_a.cu
GITHUB_OUTPUT=$PWD/output GITHUB_STEP_SUMMARY=$PWD/summary sh common/launcher/grade_push.sh >said
[ "$(cat said)" = "report of 01_begun
report of 03_done
points: 56.5 of 170" ] || fail "$(cat said)"
[ "$(ls results)" = "01_begun.json
01_begun.txt
01_begun.xml
03_done.json
03_done.txt
03_done.xml" ] || fail "$(ls results)"
grep -q 'report of 03_done' summary || fail "no summary"
told=$(sed -n 's/^result=//p' output | base64 -d)
[ "$told" = '{"version":1,"status":"fail","max_score":170,"tests":['\
'{"name":"01_begun","status":"fail","score":6.5,"max_score":120,"line_no":0,"message":""},'\
'{"name":"03_done","status":"pass","score":50,"max_score":50,"line_no":0,"message":""}]}' ] || fail "$told"
sh common/launcher/grade_push.sh 03_done >said
[ "$(tail -n 1 said)" = 'points: 50 of 50' ] || fail "$(cat said)"
touch broken
! sh common/launcher/grade_push.sh >said || fail "a lab that could not be graded is no failure"
echo "pushes are graded"
