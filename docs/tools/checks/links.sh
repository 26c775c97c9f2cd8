#!/bin/sh
# SPDX-License-Identifier: MIT
# links.sh ROOT PAGE..: does every relative link of the pages lead somewhere? The file must exist, or be a figure that
# slides/figures.txt draws, or a page of docs/site/recordings.txt, and behind a # in a page
# there must be a heading with that anchor (lower case, blanks as dashes, punctuation left out). Prints each fault; the exit
# status is 0 when there is none.
set -eu
root=$1
shift
cd "$root"
exec awk '
    function anchor(heading) {
        heading = tolower(heading)
        gsub(/`/, "", heading)
        gsub(/[^a-z0-9 _-]/, "", heading)
        gsub(/ /, "-", heading)
        return heading
    }
    function read_page(path,   line, fenced) {
        if (path in has_read) return
        has_read[path] = 1
        while ((getline line < path) > 0) {
            if (line ~ /^[ \t]*```/) fenced = !fenced
            else if (!fenced && line ~ /^#+ /) { sub(/^#+ +/, "", line); anchors[path, anchor(line)] = 1 }
        }
        close(path)
    }
    function follow(target,   cut, path, name, folder) {
        if (target ~ /^[a-z]+:/) return
        links++
        cut = index(target, "#")
        name = cut ? substr(target, cut + 1) : ""
        path = cut ? substr(target, 1, cut - 1) : target
        folder = FILENAME
        if (!sub(/\/[^\/]*$/, "", folder)) folder = "."
        path = path == "" ? FILENAME : folder "/" path
        while (sub(/[^\/.]+\/\.\.\//, "", path) || sub(/^\.\//, "", path) || sub(/[^\/]*[^\/.][^\/]*\/\.\.\//, "", path)) continue
        if (is_drawn(path)) return
        if (system("test -e \"" path "\"") != 0) fault("there is no " path)
        else if (name != "" && path ~ /\.md$/) {
            read_page(path)
            if (!((path, name) in anchors)) fault(path " has no heading for #" name)
        }
    }
    function is_drawn(path,   line, word) {
        while (!lists && (getline line < "slides/figures.txt") > 0) { split(line, word, " "); drawn["slides/" word[1]] = 1 }
        while (!lists && (getline line < "docs/site/recordings.txt") > 0) { split(line, word, " "); drawn["slides/recordings/" word[1] ".html"] = 1 }
        lists = 1
        return path in drawn
    }
    function fault(text) { printf "%s:%d: %s\n", FILENAME, FNR, text; faults++ }
    FNR == 1 { fenced = 0 }
    /^[ \t]*```/ { fenced = !fenced }
    !fenced {
        rest = $0
        gsub(/`[^`]*`/, "", rest)
        while (match(rest, /\]\([^) ]+\)/)) {
            target = substr(rest, RSTART + 2, RLENGTH - 3)
            rest = substr(rest, RSTART + RLENGTH)
            follow(target)
        }
    }
    END { printf "links: %d followed\n", links; exit faults > 0 }' "$@"
