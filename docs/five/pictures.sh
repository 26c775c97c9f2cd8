#!/bin/sh
# SPDX-License-Identifier: MIT
# pictures.sh BUILD WORK [NAME..]: writes docs/five/NAME.png, parts of the pages that `ladder profile --html` makes of the
# programs. BUILD: where they are built (cmake --build BUILD --target ladder_full); WORK: a folder in which
# `npm ci --ignore-scripts` has installed the packages of slides/package-lock.json, as build/slides after ./ladder docs.
# Needs Chromium.
set -eu
kit=$(CDPATH='' cd -- "$(dirname "$0")/../.." && pwd -P)
build=$(CDPATH='' cd -- "$1" && pwd -P)
work=$(CDPATH='' cd -- "$2" && pwd -P)
shift 2
cp "$kit/slides/browser.mjs" "$work/"
# picture NAME WIDTH ELEMENT [ACTION..]: as browser.mjs shot has them.
wanted=${*:-particles counters median falloff dot}
picture() {
    case " $wanted " in *" $1 "*) ;; *) return ;; esac
    (cd "$build/docs/five" &&
        "$build/autograder/ladder" profile --check --html "$1.html" --before "./$1" -- "./${1}_changed" >/dev/null)
    page=$build/docs/five/$1.html
    out=$kit/docs/five/$1.png
    shift
    (cd "$work" && node browser.mjs shot "$page" "$out" "$@")
}
