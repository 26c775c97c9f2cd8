#!/bin/sh
# undocumented.sh LOG: Doxygen has nothing to say, neither of a page nor of an interface without a comment.
set -eu
[ -s "$1" ] || exit 0
cat "$1"
echo "undocumented: $(grep -c 'is not documented\.$' "$1" || true) interfaces without a comment, messages of Doxygen in all: $(grep -c . "$1")"
exit 1
