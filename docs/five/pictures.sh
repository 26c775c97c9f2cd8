#!/bin/sh
# pictures.sh BUILD WORK [NAME..]: writes docs/five/NAME.png, parts of the pages that `ladder profile --html` makes of the
# programs, docs/page.png (NAME front), the picture of the repository's front page, and docs/report.png (NAME report), a step of a
# student's page. BUILD: the build folder, where what is shown is built first; WORK: a folder in which
# `npm install --ignore-scripts` has put the packages of slides/package.json, as build/slides after ./ladder docs, and for the report the class that was
# graded there by ./ladder docs --check. Needs Chromium.
set -eu
kit=$(CDPATH='' cd -- "$(dirname "$0")/../.." && pwd -P)
build=$(CDPATH='' cd -- "$1" && pwd -P)
work=$(CDPATH='' cd -- "$2" && pwd -P)
shift 2
cp "$kit/slides/browser.mjs" "$kit/slides/picture.mjs" "$work/"
# picture NAME WIDTH ELEMENT [ACTION..]: as browser.mjs shot has them.
wanted=${*:-front report particles counters median falloff dot}
make() { cmake --build "$build" --parallel 2 --target "$@" >/dev/null; }
make ladder_programs
front() {
    (cd "$kit" && "$build/autograder/ladder" profile reduction 2 --solution --size 2^20 --html "$build/docs/five/front.html" >/dev/null)
    (cd "$work" && node browser.mjs shot "$build/docs/five/front.html" "$kit/docs/page.png" "$@")
}
picture() {
    case " $wanted " in *" $1 "*) ;; *) return ;; esac
    make "five_$1" "five_${1}_changed"
    (cd "$build/docs/five" &&
        "$build/autograder/ladder" profile --check --html "$1.html" --before "./$1" -- "./${1}_changed" >/dev/null)
    page=$build/docs/five/$1.html
    out=$kit/docs/five/$1.png
    shift
    (cd "$work" && node browser.mjs shot "$page" "$out" "$@")
}
source="#launch-1 .source tbody tr"
picture particles 860 "#launch-1 .sources" "choose=#launch-1 option[value=sectors]" "click=$source:nth-child(4) .pick"
picture counters 860 "#launch-1" "hide=#launch-1 .cards" "hide=#launch-1 .timeline" "hide=#launch-1 .pick-hint" "hide=#launch-1 .maps ~ .maps" \
    "hide=#launch-1 .maps > p" "choose=#launch-1 option[value=banks]" "show=#launch-1 .access" "hide=#launch-1 .access ~ .access"
picture median 860 "#launch-1" "hide=#launch-1 .cards" "hide=#launch-1 .timeline" "hide=#launch-1 .maps" "click=$source:nth-child(4) .pick"
picture falloff 860 "#launch-1" "hide=#launch-1 .wide" "hide=#launch-1 .sources" "hide=#launch-1 .card:nth-child(2)" \
    "hide=#launch-1 .maps"
picture dot 860 "#launch-1" "hide=#launch-1 .cards" "hide=#launch-1 .timeline" "hide=#launch-1 .maps"
case " $wanted " in
*" front "*)
    front 1150 "main" "hide=main > .card" "hide=#launch-1 ~ *" "hide=#launch-1 .wide:not(.access *)" "hide=#launch-1 .pick-hint" "hide=$source:nth-child(n+16)" \
        "hide=$source:nth-child(-n+8)" "show=#launch-1 .access" "hide=#launch-1 .access ~ .access" "hide=#launch-1 .maps ~ .maps"
    ;;
esac
case " $wanted " in
*" report "*)
    (cd "$work" && node browser.mjs shot class/results/pages/bob.html "$kit/docs/report.png" 860 section.failed)
    ;;
esac
