#!/bin/sh
# SPDX-License-Identifier: MIT
# excluded.sh OUT: of a kit below a folder named tests (this one), the headers that Doxygen reads: all but those of the kit's tests.
set -eu
here=$(CDPATH='' cd -- "$(dirname "$0")" && pwd -P)
rm -rf "$1"
mkdir -p "$1"
{
    cat "$here/../../Doxyfile"
    echo 'FILTER_PATTERNS ='
    echo 'INPUT = common'
    echo "OUTPUT_DIRECTORY = $1"
    sh "$here/../excluded.sh" "$here/kit"
} >"$1/Doxyfile"
cd "$here/kit"
doxygen "$1/Doxyfile" >"$1/log" 2>&1
find "$1" -name 'shown_8h.html' -o -name 'hidden_8h.html' | sed 's,.*/,,'
