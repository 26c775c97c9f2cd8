# `./ladder docs`, for the launcher (../../ladder, which reads this), in the whole kit and in a handout.
# shellcheck shell=sh disable=SC2154 # root, build, needed, ladder's functions: the launcher's

docs_help() {
    cat <<'TEXT'
usage: ladder docs [--pages] [--students [FOLDER]] [--check]

Builds the documentation site as build/site/index.html: the pages of the labs
and of docs/, the reference of commands and JSON schemas, the C interfaces, the
slides as HTML and PDF, and a search of all of it. Figures that a reader changes
need clang and lld. --pages leaves out slides and search, which need npm and
Chromium, the pages of the debugger and of profiles, and installs neither of
these nor clang. --students builds the site for students, as
build/students-site/index.html: without slides, schemas, walkthroughs, answers,
pages for instructors and recordings of solutions. FOLDER is a handout: what was
released there comes, too. --check also follows every link of the site, tries
the search, and looks for pages of more than 2 MB, for interfaces without a
comment, for misspelt words, for slides that do not hold what is on them, and
for what axe-core finds inaccessible.
example: ./ladder docs --students ../gpu-2026
TEXT
}

docs_help_of_handout() {
    cat <<'TEXT'
usage: ladder docs [--pages] [--check]

Builds the documentation site of this kit as build/site/index.html: the pages of
the labs and of docs/, the reference of commands, the C interfaces, and pages of
the debugger and of profiles of the given steps, for which it compiles one step
of each lab. --pages leaves these out. Figures that a reader changes are there
if clang and lld are installed. --check also follows every link of the site.
example: ./ladder docs
TEXT
}

# The kit as students get it, with what was released in a handout.
make_students_kit() { # folder to write, handout or ""
    rm -rf "$1"
    if [ -z "$2" ]; then
        "$build/autograder/ladder" handout "$1" >/dev/null
        return
    fi
    "$build/autograder/ladder" handout "$1" --labs "$(cd "$2/labs" && echo [0-9][0-9]_* | tr ' ' ,)" >/dev/null
    for page in "$2"/labs/[0-9][0-9]_*/README.md; do
        grep -q '<summary>Answers</summary>' "$page" || continue
        lab=$(basename "$(dirname "$page")")
        "$build/autograder/ladder" handout "$1" --release "$lab" >/dev/null
        [ ! -f "$root/solutions/$lab/walkthrough.md" ] ||
            (cd "$root" && "$build/docs/tools/ladder-docs" numbers . slides/facts.txt "solutions/$lab/walkthrough.md") |
                sed "s/ Hand this page out with the solutions or not at all\\.//" \
                >"$1/solutions/$lab/walkthrough.md"
    done
}

beside_ticker() { # what goes on; a command
    begin_ticker "$1"
    shift
    "$@" # its failure ends the launcher
    end_ticker
}

# Called with what is right for this kit: see docs.
run_docs() { # pages, students, check: yes or ""; handout or ""
    browser='' live='' there='' codespell=codespell
    if [ ! -f "$root/.ci/maintain.sh" ]; then
        codespell=''
    elif [ -z "$1$2" ]; then
        browser='nodejs npm chromium' live='clang lld'
    fi
    with_lock
    # shellcheck disable=SC2086 # several packages
    install_basics libjansson-dev doxygen doxygen-awesome-css cmark-gfm $codespell $browser
    # shellcheck disable=SC2046,SC2086 # several packages
    [ -z "$(missing $live)" ] || get_packages "can use" $(missing $live) || say "going on without figures that a reader changes"
    configure "$build"
    kit=$root site=$build/site
    if [ -f "$root/.ci/maintain.sh" ]; then
        build_targets "$build" ladder_programs ladder-docs
    else
        build_targets "$build" ladder
    fi
    unlock # examples are built, too: the lock must be theirs to take
    if [ -n "$2" ]; then
        kit=$build/students site=$build/students-site
        sh "$root/slides/figures.sh" "$root/slides/figures.txt" "$build/docs/tools/ladder-docs" "$build/slides"
        make_students_kit "$kit" "$4"
    fi
    say "pages"
    beside_ticker pages sh "$kit/docs/site/build.sh" "$kit" "$site" "$build"
    if [ -z "$1" ]; then # a students' site has a page already for each that it shows
        say "pages of the debugger and of profiles (--pages leaves them out)"
        [ -n "$browser" ] || there=there
        beside_ticker "pages of the debugger and of profiles" \
            sh "$root/docs/site/recordings.sh" "$root" "$build/autograder/ladder" "$site/slides/recordings" $there
    fi
    if [ -n "$browser" ]; then
        beside_ticker slides sh "$root/slides/build.sh" "$root" "$site" "$build"
        beside_ticker search sh "$root/docs/site/search/build.sh" "$root" "$site" "$build/site-pages/pages" "$build/slides"
    fi
    if [ -n "$3" ]; then
        sh "$root/docs/site/check.sh" "$site"
        sh "$root/docs/site/undocumented.sh" "$build/doxygen.log"
        [ -z "$codespell" ] || sh "$root/docs/site/spelling.sh" "$root"
        [ -z "$browser" ] || sh "$root/slides/check.sh" "$site" "$build/slides"
    fi
    say "the site: $site/index.html"
}

docs() { # arguments of ladder
    shift
    pages='' students='' check='' released='' help=docs_help
    if [ ! -f "$root/.ci/maintain.sh" ]; then
        help=docs_help_of_handout
    fi
    while [ $# -gt 0 ]; do
        case $1 in
        --help) $help && return ;;
        --check) check=yes ;;
        --pages) pages=yes ;;
        --students) [ "$help" = docs_help ] && students=yes || { $help && exit 2; } ;;
        *)
            { [ -n "$students" ] && [ -z "$released" ]; } || { $help && exit 2; }
            [ -d "$1/labs" ] || die "docs --students $1: this is no handout"
            released=$(CDPATH='' cd -- "$1" && pwd -P)
            ;;
        esac
        shift
    done
    run_docs "$pages" "$students" "$check" "$released"
}
