#!/bin/sh
# sh grade_push.sh [LAB..]: grades the labs of this kit that are begun (a step has IMPLEMENTED 1), or those named, on the
# simulator, for the workflows of GitHub and GitLab (../../.github/workflows/grade.yml, ../../.gitlab-ci.yml). In results/: a report for
# each lab, and criteria as tests (LAB.xml). Fails when a lab could not be graded, not when points are missing.
set -eu
cd "$(dirname "$0")/../.."
mkdir -p results
if [ $# -eq 0 ]; then
    # shellcheck disable=SC2046 # several labs
    set -- $(grep -ls '^#define IMPLEMENTED *1' labs/*/steps/*.cu | while read -r file; do
        lab=${file#labs/}
        lab=${lab%%/*} # the kit's own steps begin no lab
        grep -s "\"file\": \"${file##*/}\"" "labs/$lab/lab.json" | grep -q '"given": true' || echo "$lab"
    done | sort -u)
    [ $# -gt 0 ] || echo "No step has IMPLEMENTED 1 yet: nothing to grade."
fi
failed=0
tests=
points=0 points_max=0
number() { # key of the JSON's first level, lab
    sed -n "s/^  \"$1\": \([0-9.]*\),\$/\1/p" "results/$2.json"
}
for lab in "$@"; do
    rm -f "results/$lab.json"
    ./ladder grade "$lab" --device sim --output "results/$lab" --json "results/$lab.json" --export "junit=results/$lab.xml" \
        >"results/$lab.txt" || failed=1
    cat "results/$lab.txt"
    [ -f "results/$lab.json" ] || continue
    got=$(number points "$lab") most=$(number points_max "$lab")
    points=$(echo "$points $got" | awk '{ print $1 + $2 }')
    points_max=$(echo "$points_max $most" | awk '{ print $1 + $2 }')
    status=fail
    [ "$got" != "$most" ] || status=pass
    tests="$tests${tests:+,}{\"name\":\"$lab\",\"status\":\"$status\",\"score\":$got,\"max_score\":$most,\"line_no\":0,\"message\":\"\"}"
done
echo "points: $points of $points_max"
# What GitHub shows on the page of the run, and what it tells Classroom.
if [ -n "${GITHUB_STEP_SUMMARY:-}" ]; then
    for lab in "$@"; do printf '```\n%s\n```\n' "$(cat "results/$lab.txt")"; done >>"$GITHUB_STEP_SUMMARY"
fi
if [ -n "${GITHUB_OUTPUT:-}" ]; then
    status=fail
    [ "$points" != "$points_max" ] || status=pass
    result=$(printf '{"version":1,"status":"%s","max_score":%s,"tests":[%s]}' "$status" "$points_max" "$tests" | base64 | tr -d '\n')
    echo "result=$result" >>"$GITHUB_OUTPUT"
fi
exit $failed
