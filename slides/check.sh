#!/bin/sh
# check.sh SITE WORK: does every slide hold what is on it, and what does axe-core find in all decks and on one page of each kind? Both folders are
# those of build.sh. Likewise of a page that `ladder profile --html` writes (does it work?) and of the pages of a class that was graded.
set -eu
site=$(CDPATH='' cd -- "$1" && pwd -P)
kit=$(CDPATH='' cd -- "$(dirname "$0")/.." && pwd -P)
cd "$2"
# The chart library of a profile's page lies in the tree, so that a build needs no npm: it must be npm's, unchanged.
for file in LICENSE dist/uPlot.iife.min.js dist/uPlot.min.css; do
    cmp "node_modules/uplot/$file" "$kit/autograder/show/page/uplot/${file#dist/}"
done
../autograder/ladder profile reduction 1 --solution --before 0 --size 100000 --html profile.html >profile.log 2>&1 || {
    cat profile.log >&2
    exit 1
}
# The pages of a small class, of which one is right, one has a race and one does not compile.
steps=$kit/solutions/02_reduction/steps
rm -rf class
mkdir -p class/inbox/ann class/inbox/bob class/inbox/cem
sed '/ SOLUTION /d' "$steps"/1_*.cu >class/inbox/ann/"$(basename "$steps"/1_*.cu)"
sed '/ SOLUTION /d; /__syncthreads/d' "$steps"/1_*.cu >class/inbox/bob/"$(basename "$steps"/1_*.cu)"
echo 'no C <b>' >class/inbox/cem/"$(basename "$steps"/1_*.cu)"
# The status is 1: not all could be graded.
../autograder/ladder grade reduction --submissions class/inbox --quick --unsafe --output class/results >class.log 2>&1 || [ $? -eq 1 ]
../autograder/ladder report class/results >>class.log 2>&1 || {
    cat class.log >&2
    exit 1
}
node browser.mjs profile profile.html
set --
for page in "$site"/slides/recordings/*.html; do
    case $page in *_profile.html) ;; *) set -- "$@" "$page" ;; esac
done
node browser.mjs replay "$@"
node browser.mjs report "$site"/slides/recordings/*_profile.html
node browser.mjs axe "$site"/slides/recordings/*.html
node browser.mjs report class/results/pages/*.html class/results/submissions/*/report.html
node browser.mjs fits class/results/pages/class.html
node browser.mjs axe profile.html class/results/pages/*.html class/results/submissions/ann/report.html class/results/submissions/bob/report.html
node browser.mjs find "$site"
node browser.mjs overflow bare/*.html
set --
for figure in bare/figures/*.svg; do
    case $figure in *_thumb.svg) ;; *) set -- "$@" "$figure" ;; esac # those of the list of decks
done
node browser.mjs figures "$@"
../docs/tools/ladder-docs check sizes . "$kit"/slides/[0-9][0-9]_*.md
node browser.mjs light bare/00_execution_model.html bare/02_reduction.html
node browser.mjs decks bare/*.html
# All pages but those of interfaces, of which one of each kind will do.
# shellcheck disable=SC2046 # several pages
node browser.mjs fits $(for page in "$site"/../site-pages/pages/*.md; do echo "$site/$(basename "$page" .md).html"; done) "$site/chart_8h.html" "$site/structkl__chart.html" "$site/files.html" \
    "$site/annotated.html" "$site/globals.html"
node browser.mjs axe "$site/index.html" "$site/lab_02_reduction.html" "$site/walkthrough_02_reduction.html" "$site/commands.html" "$site/glossary.html" \
    "$site/schemas.html" "$site/chart_8h.html" "$site/structkl__chart.html" "$site/files.html" \
    "$site/files/labs_02_reduction_reduction.h.html" "$site/slides/index.html" \
    "$site/slides/00_execution_model.html"
