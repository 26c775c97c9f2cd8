# Commands of the launcher (../ladder, which reads this) for those who keep the kit: NAME_help and run_NAME, with the packages
# that it needs, for each. A handout has none of them.
# shellcheck shell=sh disable=SC2154 # root, build, log, jobs, needed, used: the launcher's

maintain() { # arguments of ladder
    command=$1
    shift
    case "$command $*" in
    "$command " | 'test --full' | 'test --full --toolkits' | 'test --sanitize' | 'test --sanitize thread') ;;
    'test '[0-9a-z]*)
        case "$*" in *' '*) show_help 2 ;; esac
        lab_folder "$1" >/dev/null
        ;;
    "$command --check") [ "$command" != test ] || show_help 2 ;;
    'budget --raise '?*) ;;
    'tables --add '?*' '?*) ;;
    "$command --help"*) show_help 0 ;;
    *) show_help 2 ;;
    esac
    with_lock
    "run_$command" "$@"
}

show_help() { # exit status
    "${command}_help"
    exit "$1"
}

test_help() {
    cat <<'TEXT'
usage: ladder test [LAB | --full [--toolkits] | --sanitize [thread]]

Builds and runs the tests; with LAB, its number or name, those of this lab
alone: only what they need is built, and other commands may build in between.
Without --full the tests labelled "full" (long ones) are left out,
grading is tested on a sample of each lab's steps and kernels, and what the
tests of a lab compile and simulate is held to a bar; --sanitize runs the unit
tests of the host code built with AddressSanitizer and UBSan, --sanitize thread
those built with ThreadSanitizer, each in a build folder of its own below build/.
--full --toolkits downloads CUDA 11.8, 12.4, 12.5 and 13.0 to 13.5 (4 GB, once,
into build/toolkits), and runs with each, for hours, what is about toolkits
alone: solutions, checks and wrong kernels of all labs, and programs on the
drop-in runtimes. LADDER_TOOLKITS names other nvcc, LADDER_LABS labs.
example: ./ladder test --full
example: ./ladder test reduction
TEXT
}

# The folder of a lab that is named by its number, its name or its folder.
lab_folder() {
    for lab in "$root"/labs/[0-9][0-9]_*; do
        lab=${lab##*/}
        case $1 in "$lab" | "${lab#*_}" | "${lab%%_*}" | "$(printf '%s' "${lab%%_*}" | sed 's/^0//')") echo "$lab" && return ;; esac
    done
    die "there is no lab $1; see: ./ladder list"
}

# The targets whose programs are named by the commands of tests. ctest itself lists no command of a program that is not built.
targets_of() { # arguments of ctest
    (cd "$build" && ctest -N "$@" 2>/dev/null) | sed -n 's/^ *Test *#[0-9]*: //p' >"$build/tests.txt"
    find "$build/common" "$build/labs" "$build/autograder" "$build/docs" -name CTestTestfile.cmake -exec cat {} + |
        awk -F '[][]=[][]' 'NR == FNR { named[$1]; next } /^add_test/ && $2 in named' "$build/tests.txt" - |
        tr '"' '\n' | sed -n "s|^$build/.*/||p" | sort -u >"$build/named.txt"
    cmake --build "$build" --target help | sed 's/^\.\.\. //; s/[: ].*//' | sort -u | comm -12 - "$build/named.txt"
}

# The tests of one lab: first those of its problem and steps, then those that grade it. Between two targets others that wait may
# build in this folder.
run_test_of_lab() { # its folder
    name=${1#*_} wrong=
    command=test_lab # which needs no build of single files
    configure "$build"
    mkdir -p "$build/Testing/work"
    for part in lab grade; do
        began=$(date +%s)
        tests="^(lab|host)/$name(_|\$)" steps="kit-session sim_runtime ladder-engine ${name}_solution ${name}_skeleton"
        [ $part = lab ] || tests="^[^lh].*/.*$1" steps="ladder_programs ${name}_call"
        for target in $(targets_of -LE '^full$' -R "$tests") $steps; do
            build_targets "$build" "$target"
            # Who waits looks twenty times a second (kit_build.c).
            unlock
            sleep 0.1
            with_lock
        done
        say "built what these tests need in $(($(date +%s) - began)) s"
        unlock # tests build, too: the lock must be theirs to take
        (cd "$build" && ctest --output-on-failure --no-tests=error -j $((jobs + (jobs + 1) / 2)) -LE '^full$' -R "$tests") || wrong=yes
        with_lock
    done
    [ -z "$wrong" ] # `failed` is build_targets's
}

run_test() { # nothing, a lab, --full, --full --toolkits, --sanitize or --sanitize thread
    # shellcheck disable=SC2086 # several packages
    install_basics $used
    offer_packages test "$@"
    case ${1:-} in
    --sanitize)
        sanitizer=${2:-address}
        configure "$build/sanitize-$sanitizer" -DLADDER_SANITIZE="$sanitizer" -DCMAKE_BUILD_TYPE=RelWithDebInfo
        build_targets "$build/sanitize-$sanitizer" ladder_unit_tests
        cd "$build/sanitize-$sanitizer" || exit
        set -- -L unit
        ;;
    *)
        budget=yes # what the tests of a lab do has a bar
        targets=all
        if [ -n "${1:-}" ] && [ "$1" != --full ]; then
            run_test_of_lab "$(lab_folder "$1")"
            return
        elif [ "${1:-}" = --full ]; then
            shift
            budget=
            targets="all ladder_full"
            if [ "${1:-}" = --toolkits ]; then
                LADDER_TOOLKITS=${LADDER_TOOLKITS:-$(sh "$root/autograder/tests/toolkits/get.sh" "$root" "$build/toolkits")} ||
                    die "no toolkit was to be had"
                export LADDER_TOOLKITS LADDER_WRONG=yes
                targets="ladder_programs sim_runtime" # the tests build what of the labs they compare with
                set -- -V -R '^(autograder|simulator/program)/full/toolkits$'
            else
                set -- -LE '^sample$'
            fi
        else
            set -- -LE '^full$'
        fi
        configure "$build"
        # shellcheck disable=SC2086 # several targets
        build_targets "$build" $targets
        cd "$build" || exit
        ;;
    esac
    unlock # tests build, too: the lock must be theirs to take
    rm -rf Testing/work
    mkdir -p Testing/work
    # Twice as many as there are processors: tests of limits and of commands that wait leave theirs idle.
    ctest --output-on-failure --no-tests=error -j $((2 * jobs)) "$@" || exit
    [ -n "${budget:-}" ] || return 0
    # shellcheck disable=SC2046 # several labs
    sh "$root/autograder/tests/support/budget.sh" Testing/work "$root/autograder/tests/support/bars.txt" \
        $(cd "$root/labs" && echo [0-9][0-9]_*)
}

format_help() {
    cat <<'TEXT'
usage: ladder format [--check]

Lays out every C and CUDA file as .clang-format says; --check only looks, and
finds lines of more than 100 columns as well.
example: ./ladder format --check
TEXT
}

# Every C and CUDA file of the kit but those that golden tests read as data.
source_files() {
    find "$root/common" "$root/labs" "$root/solutions" "$root/autograder" "$root/slides" "$root/docs" \
        -type f \( -name '*.c' -o -name '*.h' -o -name '*.cu' -o -name '*.cuh' "$@" \) | LC_ALL=C sort
}

run_format() { # nothing or --check
    install_packages clang-format
    if [ "${1:-}" = --check ]; then
        source_files | xargs -P "$jobs" -n 100 clang-format --dry-run -Werror || die "run ./ladder format to fix the layout"
        source_files -o -name '*.def' | # clang-format breaks neither comments nor texts
            xargs awk -v exceptions="$root/.ci/long_lines.txt" -f "$root/.ci/long_lines.awk" ||
            die "break these lines, or name them in .ci/long_lines.txt with the reason"
        say "every source file is laid out as .clang-format says"
    else
        source_files | xargs clang-format -i
    fi
}

tables_help() {
    cat <<'TEXT'
usage: ladder tables [--check | --add LAB[/DOCUMENT] FILE.json]

Writes the tables of measured figures (labs/measured/*.csv) into README.md
and the labs' pages, with the self-check questions of labs/*/lab.json, whose numbers the
simulator counts, and draws the pages' figures (those of labs/*/lab.json,
docs/cards/figures.txt and docs/timing/figures.txt); --check only looks whether
they are up to date. --add takes what `ladder bench LAB --json FILE` wrote on a
card into labs/measured/CARD.csv, or a run on the simulator into simulator.csv;
DOCUMENT (run) names what another program of the lab wrote, such as micro.
example: ./ladder tables
example: ./ladder tables --add reduction h200.json
TEXT
}

# --profile: of a launch's timeline, which `ladder profile` makes with the arguments behind it.
draw_figure() { # "" or --check, lab's folder, picture, arguments of ladder-docs figure as seen from there
    check=$1 folder=$2 picture=$3
    shift 3
    if [ "$1" = --profile ]; then
        shift
        "$build/autograder/ladder" profile "$@" --timeline --json "$tools/figure.json" >"$build/figure.log" 2>&1 </dev/null || {
            cat "$build/figure.log" >&2
            return 1
        }
        set -- "$tools/figure.json"
    fi
    (cd "$folder" && "$tools/ladder-docs" figure "$@") >"$build/figure.svg"
    if [ -z "$check" ]; then
        cp "$build/figure.svg" "$folder/$picture"
    elif ! cmp -s "$build/figure.svg" "$folder/$picture"; then
        echo "ladder: ${folder#"$root"/}/$picture is stale, run ./ladder tables" >&2
        return 1
    fi
}

# Rows of tests, each in place of an older one with the same first fields.
keep_rows() { # their file in docs, how many fields, files with new rows
    list=$1 fields=$2
    shift 2
    cat "$root/docs/$list" "$@" 2>/dev/null | awk -F ' [|] ' -v fields="$fields" '
        { key = $0 }
        !/^#/ { key = ""; for (i = 1; i <= fields; i++) key = key FS $i }
        !(key in row) { order[++count] = key }
        { row[key] = $0 }
        END { for (i = 1; i <= count; i++) print row[order[i]] }' >"$build/$list"
    cmp -s "$build/$list" "$root/docs/$list" || cp "$build/$list" "$root/docs/$list"
}

# Those of tests that ran on other systems, and of the counts under other toolkits.
keep_systems() {
    keep_rows systems.txt 3 "$build"/autograder/tests/systems/*/record.txt "$build"/arm64/record.txt "$build"/arm64/kernels/record.txt
    keep_rows toolkit_counts.txt 2 "$build"/autograder/tests/systems/toolkits/counts.txt
}

# The numbers of the course's card in the text of the labs' pages.
number_pages() { # nothing or --check
    for page in labs/*/README.md; do
        "$tools/ladder-docs" numbers --page . slides/facts.txt "$page" >"$tools/page.md" || return 1
        if cmp -s "$tools/page.md" "$page"; then continue; fi
        if [ $# -eq 0 ]; then
            cp "$tools/page.md" "$page"
        else
            echo "ladder: numbers in $page are stale, run ./ladder tables" >&2
            return 1
        fi
    done
}

run_tables() { # nothing, --check, or --add and what
    install_basics libjansson-dev
    configure "$build"
    if [ "${1:-}" = --add ]; then
        added=$(lab_folder "${2%%/*}") || exit
        case $2 in */*) added=$added/${2#*/} ;; esac
        build_targets "$build" ladder-docs
        "$build/docs/tools/ladder-docs" measured add "$root/labs" "$added" "$3" || die "$3 was not added"
        say "$3 is in labs/measured; ./ladder tables writes the pages"
        return
    fi
    build_targets "$build" ladder-docs ladder_programs
    [ $# -gt 0 ] || keep_systems
    "$build/docs/tools/ladder-docs" modelled "$@" "$root"/labs/*/lab.json
    "$build/docs/tools/ladder-docs" tables "$@" "$root" "$root/README.md" "$root/docs/results.md" "$root"/labs/*/README.md \
        "$root/autograder/tests/wrong/README.md" "$root/docs/grading.md" "$root/docs/attacks.md" \
        "$root/docs/cheating.md" "$root/docs/instructors.md" "$root/docs/cards.md" "$root/docs/timing.md" \
        "$root/docs/install.md" "$root/docs/permission.md"
    unlock # what follows builds, too: the lock must be its to take
    tools=$(CDPATH='' cd -- "$build/docs/tools" && pwd -P)
    (cd "$root" && number_pages "$@") || exit 1
    "$build/autograder/ladder" questions "$@" & # beside the figures: each has one processor
    questions=$!
    for folder in "$root"/labs/[0-9][0-9]_* "$root"/docs/cards "$root"/docs/timing; do
        list=$folder/figures.txt
        [ -f "$list" ] || list=$build/labs/${folder##*/}/figures.txt # which ladder-lab makes of lab.json
        while read -r picture arguments; do
            # shellcheck disable=SC2086 # several arguments
            draw_figure "${1:-}" "$folder" "$picture" $arguments || exit 1
        done <"$list"
    done
    "$build/docs/tools/ladder-docs" tables "$@" "$root" "$root/docs/home.md" # with the scales of those figures
    wait "$questions"
}

counters_help() {
    cat <<'TEXT'
usage: ladder counters [--check]

Counts the kernels of common/validation/counters/counter_kernels.def and writes
the table that compares the counts with an H100's
(common/validation/counters/counters.md); --check only looks whether it is up to
date.
example: ./ladder counters
TEXT
}

run_counters() { # nothing or --check
    # shellcheck disable=SC2086 # several packages
    install_basics $used
    configure "$build"
    build_targets "$build" counter_kernels ladder_programs
    sh "$root/common/validation/counters/counter_table.sh" "$@" "$build/autograder/ladder" \
        "$build/common/simulator/tests/counter_kernels" "$build" "$build/common/validation/logs" \
        "$root/common/validation/counters/counters.md"
}

coverage_help() {
    cat <<'TEXT'
usage: ladder coverage [--check]

Writes the tables of PTX opcodes and API functions that the simulator has and
how they are tested (common/validation/coverage.md); --check only looks whether
they are up to date.
example: ./ladder coverage
TEXT
}

run_coverage() { # nothing or --check
    # shellcheck disable=SC2086 # several packages
    install_basics $used
    configure "$build"
    if [ "${1:-}" != --check ]; then
        build_targets "$build" coverage # writes
        return
    fi
    build_targets "$build" coverage_programs
    (cd "$build" && ctest -R '^simulator/coverage$' >/dev/null 2>&1) && return 0
    echo "ladder: common/validation/coverage.md is out of date; ./ladder coverage writes it" >&2
    return 1
}

budget_help() {
    cat <<'TEXT'
usage: ladder budget [--check | --raise MODULE..]

Lowers the rows of budget.txt, files, lines and headers of each module, to what
there is; a row is raised only for the modules named, and a new module gets one
so. --check only looks whether a module has more than its row.
example: ./ladder budget --raise common/lab
TEXT
}

run_budget() { # nothing, --check or --raise and modules
    [ "${1:-}" != --check ] || { sh "$root/.ci/budget.sh" "$root"; return; }
    [ $# -eq 0 ] || shift
    for module; do
        shift
        set -- "$@" --raise "$module"
    done
    sh "$root/.ci/budget.sh" "$root" --write "$@"
}
