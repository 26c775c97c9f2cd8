#!/bin/sh
# SPDX-License-Identifier: MIT
# check.sh SITE WORK: does every slide hold what is on it, and what does axe-core find on one page of each kind? Both folders are
# those of build.sh.
set -eu
site=$(CDPATH='' cd -- "$1" && pwd -P)
cd "$2"
node browser.mjs overflow bare/*.html
node browser.mjs axe "$site/index.html" "$site/lab_02_reduction.html" "$site/commands.html" "$site/glossary.html" \
    "$site/schemas.html" "$site/chart_8h.html" "$site/structkl__chart.html" "$site/files.html" \
    "$site/files/labs_02_reduction_reduction.h.html" "$site/slides/index.html"
