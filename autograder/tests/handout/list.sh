#!/bin/sh
# A handout has nothing of the solutions: no file of theirs, by hash, and none of their distinctive lines; nothing that
# left_out.def leaves out; and what its JSON lists. Solutions come one by one, once their deadline has passed.
#   sh list.sh LADDER KIT WORK
# test: autograder/handout_list @ladder@ @SOURCE@ @WORK@
set -eu
ladder=$1 kit=$2 work=$3
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
fail() {
    echo "$*"
    exit 1
}
says() { # what the last refusal said, however its lines were broken
    tr -s '\n ' '  ' <"$work/error" | grep -q "$1" || fail "$(cat "$work/error")"
}
rm -rf "$work"
mkdir -p "$work"
out=$work/kit
"$ladder" handout "$out" --git --json "$work/handout.json" >/dev/null

# One process at a time writes into a folder: one of another machine is named; one that has died is, too, and left half a handout.
mkdir "$work/other"
printf 'node7 12 34 2026-11-28T20:00:00Z\n' >"$work/other/.ladder-lock"
! "$ladder" handout "$work/other" 2>"$work/error" || fail "a second handout was let in"
says "process 12 on node7 writes a handout into .*other since 2026-11-28T20:00:00Z: let it end, or name another folder"
printf '%s 1 0 2026-11-28T20:00:00Z\n' "$(uname -n)" >"$work/other/.ladder-lock"
touch "$work/other/ladder"
! "$ladder" handout "$work/other" 2>"$work/error" || fail "half a handout was written over"
says "process 1 on .* has died; this one takes its place"
says "is not empty"
[ ! -e "$out/.ladder-lock" ] && [ ! -e "$work/other/.ladder-lock" ] || fail "a lock outlives its handout"

# By name.
for name in solutions slides .ci autograder/tests common/tests docs/tools labs/measured CONTRIBUTING.md \
    docs/instructors.md docs/page.png docs/profile.svg; do
    [ ! -e "$out/$name" ] || fail "$name is handed out"
done
for name in ladder CMakeLists.txt labs/02_reduction/steps/3_sequential.cu labs/06_softmax/bugs/1_report_two.cu \
    autograder/commands labs/02_reduction/hints.md .devcontainer/Containerfile .github/workflows/grade.yml .gitlab-ci.yml \
    common/launcher/grade_push.sh docs/install.md; do
    [ -e "$out/$name" ] || fail "$name is missing"
done
[ -x "$out/ladder" ] || fail "the launcher cannot be started"
! grep -rlE '// SOLUTION (BEGIN|TODO|STUB|END)$' "$out/labs" || fail "markers of solutions are handed out"

# The rule for assistants: hints, unless somebody chose another one; all three in none.
grep -q '^# Rule for assistants in this course: hints$' "$out/AGENTS.md" || fail "AGENTS.md is not the rule for hints"
[ ! -e "$out/autograder/course/handout/assistants" ] || fail "the rules to choose from are handed out"
for rule in none free; do
    "$ladder" handout "$work/$rule" --labs 00 --assistants "$rule" >/dev/null
    cmp -s "$work/$rule/AGENTS.md" "$kit/autograder/course/handout/assistants/$rule.md" || fail "AGENTS.md is not the rule $rule"
done
! "$ladder" handout "$work/some" --assistants some 2>"$work/error" || fail "a rule was taken that there is not"
says "none, hints or free\|none|hints|free"
! "$ladder" handout "$out" --add 07 --assistants free 2>"$work/error" || fail "--add took a rule"
says "are for a new handout"

# By word: answers come later, and pages have nothing that is the whole kit's.
! grep -rlE '<summary>Answer|whole kit -->|<!-- handout|<!--= |<!-- numbers' "$out" --include='*.md' || fail "not for students"
! grep -n '`autograder/tests/' "$out/docs/known_bugs.md" || fail "the page names files that are not handed out"
! grep -l '"answer"' "$out"/labs/*/lab.json || fail "answers are handed out"

# By weeks: links name the labs that are there, a page that somebody edited stays, and with the last lab it is what all others get.
weeks=$work/weeks
! "$ladder" handout "$weeks" --labs 00,x 2>"$work/error" || fail "there is a lab x"
"$ladder" handout "$weeks" --git --labs 00,reduction >/dev/null
[ "$(cd "$weeks/labs" && echo [0-9]*)" = '00_first_kernel 02_reduction' ] || fail "other labs are handed out"
! grep -rlE '\]\([^)]*(0[13-9]|1[0-9])_[a-z_]*[/)]' "$weeks" --include='*.md' || fail "links to labs that are not there"
! "$ladder" handout "$weeks" --release gemm 2>"$work/error" || fail "released before its lab"
says 'has no labs/07_gemm yet: first'
! "$ladder" handout "$weeks" --add 02 2>"$work/error" || fail "a lab came twice"
says 'has lab 02_reduction already'
cp "$weeks/docs/home.md" "$work/home.md"
echo 'our room: 4.12' >>"$weeks/docs/home.md"
"$ladder" handout "$weeks" --add gemm,08 >"$work/said"
grep -q 'not changed: docs/home.md: somebody edited it' "$work/said" || fail "$(cat "$work/said")"
[ "$(git -C "$weeks" status --porcelain)" = ' M docs/home.md' ] && grep -q 'committed' "$work/said" || fail "no commit of two labs"
"$ladder" handout "$weeks" --add "$(cd "$out/labs" && echo [0-9]* | sed 's/ /,/g; s/00_[^,]*,//; s/,02_[^,]*//; s/,07_[^,]*,08_[^,]*//')" >/dev/null
cp "$out/docs/home.md" "$weeks/docs/home.md"
diff -r -x .git "$out" "$weeks" || fail "a handout by weeks is another one"

# By hash: given steps have no markers, and are the same in both.
(cd "$kit/solutions" && find . -name '*.cu*' -exec grep -lZ '// SOLUTION ' {} + | xargs -0 sha256sum) |
    cut -c1-64 | sort -u >"$work/secret"
[ "$(wc -l <"$work/secret")" -gt 90 ] || fail "hardly any solutions were looked for"
(cd "$out" && find . -path ./.git -prune -o -type f -exec sha256sum {} +) | cut -c1-64 | sort -u >"$work/given"
comm -12 "$work/secret" "$work/given" >"$work/both"
[ ! -s "$work/both" ] || fail "a solution is handed out as it is"

# By line. The labs' pages, hints and given code say what they say on purpose; all else is looked through.
leaks() { # what is looked through
    find "$out/labs" -type f ! -name '*.svg' >"$work/known"
    (cd "$kit" && find solutions -name '*.cu*' -exec grep -l '// SOLUTION ' {} +) | sed "s|^|$kit/|" >"$work/solutions"
    # shellcheck disable=SC2046 # several files
    LC_ALL=C awk -f "$here/distinctive.awk" mode=known $(cat "$work/known") mode=secret $(cat "$work/solutions") \
        mode=search "$@"
}
find "$out" -path "$out/labs" -prune -o -path "$out/.git" -prune -o -type f ! -name '*.svg' ! -name '*.csv' -print \
    >"$work/searched"
# shellcheck disable=SC2046 # several files
leaks $(cat "$work/searched") >"$work/leaks"
lines=$(sed -n 's/^\([0-9]*\) lines$/\1/p' "$work/leaks")
[ "$lines" -gt 800 ] || fail "only $lines lines of solutions were looked for"
[ "$(wc -l <"$work/leaks")" -eq 1 ] || fail "lines of solutions are handed out: $(head -n 5 "$work/leaks")"
# The same search finds a solution that is put there, indented.
sed 's/^/    /' "$kit/solutions/07_gemm/steps/9_vectorized.cu" >"$out/common/planted.c"
leaks "$out/common/planted.c" | grep -q 'common/planted.c:.*is of' || fail "a planted solution is not found"
rm "$out/common/planted.c"

# The list is what lies there, and what is in the commit.
(cd "$out" && find . -path ./.git -prune -o -type f -print) | sed 's|^\./||' | LC_ALL=C sort >"$work/there"
sed -n '/"files"/,/\]/s/^ *"\(.*\)",*$/\1/p' "$work/handout.json" | LC_ALL=C sort >"$work/listed"
cmp "$work/there" "$work/listed" || fail "the list is not what lies there"
export GIT_CONFIG_NOSYSTEM=1 GIT_CONFIG_GLOBAL=/dev/null
git() { command git -c safe.directory='*' -C "$out" "$@"; }
git ls-files | LC_ALL=C sort | cmp - "$work/there" || fail "the commit is not what lies there"
[ "$(git rev-list --count HEAD)" -eq 1 ] || fail "more than one commit"

# Nothing is written over; a handout hands nothing out.
! "$ladder" handout "$out" 2>"$work/error" || fail "a second handout into the same folder"
says 'is not empty'

# One solution, not before its time, and once.
! "$ladder" handout "$out" --release reduction 3 --after 9999-12-31T23:59 2>"$work/error" || fail "released too early"
says 'has not passed yet'
[ ! -e "$out/solutions" ] || fail "a refused release has left something"
! "$ladder" handout "$out" --release reduction 3 --after soon 2>"$work/error" || fail "'soon' is no time"
"$ladder" handout "$out" --release reduction 3 --after 2020-01-01T00:00Z >/dev/null
cmp "$kit/solutions/02_reduction/steps/3_sequential.cu" "$out/solutions/02_reduction/steps/3_sequential.cu"
[ "$(find "$out/solutions" -type f | wc -l)" -eq 1 ] || fail "more than one solution"
[ "$(git rev-list --count HEAD)" -eq 2 ] || fail "no commit of the release"
[ -z "$(git status --porcelain)" ] || fail "something is not committed"
! "$ladder" handout "$out" --release reduction 3 2>"$work/error" || fail "released twice"
! "$ladder" handout "$work" --release reduction 2 2>"$work/error" || fail "released into no handout"
says 'is no handout'

# The rest of a lab, with its answers.
"$ladder" handout "$out" --release reduction >/dev/null
for file in steps/8_last_block.cu tune.cu own.cu; do
    cmp "$kit/solutions/02_reduction/$file" "$out/solutions/02_reduction/$file"
done
[ ! -e "$out/solutions/02_reduction/walkthrough.md" ] || fail "a walkthrough without its numbers"
sed -E 's/<!--= [^>]*-->//g; /^<!-- numbers: /d' "$kit/labs/02_reduction/README.md" | cmp - "$out/labs/02_reduction/README.md"
cmp "$kit/labs/02_reduction/lab.json" "$out/labs/02_reduction/lab.json"
[ "$(grep -rl '<summary>Answer' "$out/labs" | wc -l)" -eq 1 ] || fail "answers of another lab"
[ "$(git rev-list --count HEAD)" -eq 3 ] || fail "no commit of the lab's release"
[ -z "$(git status --porcelain)" ] || fail "something is not committed"
! "$ladder" handout "$out" --release reduction 2>"$work/error" || fail "a lab released twice"
says 'already'
echo "handed out"
