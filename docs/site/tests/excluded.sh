#!/bin/sh
# excluded.sh KIT OUT: of KIT, which lies below a folder named tests, the headers that Doxygen reads: all but those of the kit's tests.
set -eu
here=$(CDPATH='' cd -- "$(dirname "$0")" && pwd -P)
rm -rf "$2"
mkdir -p "$2"
{
    cat "$here/../../Doxyfile"
    echo 'FILTER_PATTERNS ='
    echo 'INPUT = common'
    echo "OUTPUT_DIRECTORY = $2"
    sh "$here/../excluded.sh" "$1"
} >"$2/Doxyfile"
cd "$1"
doxygen "$2/Doxyfile" >"$2/log" 2>&1
find "$2" -name 'shown_8h.html' -o -name 'hidden_8h.html' | sed 's,.*/,,'
