#!/bin/sh
# hostile.sh LADDER WORK CMAKE: whatever a student can write (docs/cheating.md, "What each text may hold") with an escape
# sequence, a right-to-left override, a tag and a formula in it: nothing that the grader prints or writes has one of them.
# test: autograder/class_hostile @ladder@ @WORK@ @CMAKE@
# labels: grade
# where: LADDER_HAVE_JANSSON
set -u
ladder=$1 work=$2 cmake=$3 faults=0
rm -rf "$work"
mkdir -p "$work" && cd "$work" || exit 1
fault() {
    echo "fault: $*"
    faults=1
}
escape=$(printf '\033') override=$(printf '\342\200\256')
evil="=cmd|x!A0<script>x()<${escape}[31m$override"
has() { # text, file: the field was shown, so that the test is one
    grep -q -e "$1" $2 || fault "no '$1' in $2: $(cat $2)"
}
try() { # expected exit status, arguments of ladder
    want=$1
    shift
    "$ladder" "$@" >>said.txt 2>&1
    got=$?
    [ "$got" -eq "$want" ] || fault "ladder $*: status $got, not $want: $(tail -n 30 said.txt)"
}
harmless() { # what was read
    find . -path ./in -prune -o -path ./export -prune -o -path ./sheets -prune -o -name class -prune -o -name kept -prune -o \
        -name files -prune -o -type f ! -name '*.db*' ! -name '*.cu' ! -name '*.key' -print >list.txt
    while read -r file; do
        LC_ALL=C grep -q "$(printf '[\001-\010\013\014\016-\037\177]')" "$file" && fault "$1: a control character in $file"
        grep -q "$override" "$file" && fault "$1: text is turned round in $file"
        grep -qi '\\u001b\|\\u202e' "$file" && fault "$1: an escaped control character in $file"
        case $file in
        *.csv) LC_ALL=C grep -nE '(^|,)"?([=+@]|-[^0-9."])' "$file" && fault "$1: a formula in $file" ;;
        *.html | *.xml) grep -n '<script>x()' "$file" && fault "$1: a tag in $file" ;;
        esac
    done <list.txt
}

# A folder's name, a step's comment and what the compiler says of it, the log, predictions, the leaderboard, names of files.
one="in/$evil ann"
mkdir -p "$one"
printf '// %s\n#error %s\n' "$evil" "$evil" >"$one/1_interleaved.cu"
printf ' ' >"$one/0_one_block.cu" # else the kit's is graded
for file in log.md predictions.txt leaderboard.txt; do printf '%s\n\n# %s\n%s: 1\n' "$evil" "$evil" "$evil" >"$one/$file"; done
printf 'x' >"$one/$evil.cu"
# An archive that has nothing but such names, one with a name of that kind, and a single file.
mkdir -p "pack/$evil" && printf 'x' >"pack/$evil/$evil.cu"
(cd pack && "$cmake" -E tar cf "../in/$evil.zip" --format=zip "$evil")
printf 'x' >"in/@SUM(1,1)$evil.cu"
mkdir in/eve && printf ' ' >in/eve/1_interleaved.cu && printf -- '-2' >in/eve/leaderboard.txt
try 1 grade reduction --submissions in --output results --quick --device sim --unsafe --export gradescope --export junit \
    --export prairielearn --export autolab --export canvas=c.csv --export moodle=m.csv --gradebook course.db
has 'x()' 'results/submissions/*ann*/report.html'
has '#error\|error:' 'results/submissions/*ann*/report.txt'
has 'not used: ' 'results/submissions/*ann*/report.txt'
has 'no pseudonym' 'results/submissions/*ann*/report.txt'
try 0 report results --json class.json
has 'x()' results/pages/class.html
for what in show history; do try 0 gradebook $what course.db; done
try 0 gradebook show course.db reduction --csv book.csv
try 0 gradebook show course.db reduction --json book.json
harmless 'a folder'

# What a course system's files say: Gradescope's metadata, with a program's output in it, a sheet of students and a roster.
mkdir -p export/submission_11 sheets
printf ' ' >export/submission_11/1_interleaved.cu
yaml='=cmd|x!A0<script>x()<\e[31m\u202E'
cat >export/submission_metadata.yml <<TEXT
submission_11:
  :submitters:
  - :name: "$yaml"
    :sid: "+7$yaml"
    :email: "@x$yaml"
  :created_at: "$yaml"
  :results:
    :output: |
      :submitters:
      - :name: mallory
TEXT
printf 'ID,Name,Login,Group,Submitted\n+7%s,%s Lee,-x%s,@%s,2026-11-20 10:00\n' "$evil" "$evil" "$evil" "$evil" >sheets/students.csv
printf 'Student,ID,SIS User ID,SIS Login ID,Section,02_reduction (7)\n    Points Possible,,,,,100\n%s,4711,+7%s,@x%s,%s,\n' \
    "$evil" "$evil" "$evil" "$evil" >sheets/canvas.csv
"$ladder" gradebook roster other.db sheets/students.csv >>said.txt 2>&1
"$ladder" grade reduction --submissions export --output other --quick --device sim --unsafe --students sheets/students.csv \
    --gradebook other.db --export canvas=c2.csv --roster sheets/canvas.csv >>said.txt 2>&1
try 0 gradebook export other.db reduction --export moodle=m2.csv
for file in other/handed_in.csv c2.csv m2.csv; do has 'x()' $file; done
try 0 gradebook show other.db reduction --csv book2.csv
grep -q mallory other/handed_in.csv book2.csv && fault 'printed text is a student'
harmless 'a course system'
# And the looking finds what it looks for.
printf '\033' >bad.txt && printf '%s' "$override" >bad.json && printf '1,"=1"\n' >bad.csv && printf '<script>x()' >bad.html
found=$(harmless planted | grep -c '^fault: planted: .* in ./bad')
[ "$found" -eq 4 ] || fault "$found of 4 planted texts were found"
exit $faults
