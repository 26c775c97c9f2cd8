#!/bin/sh
# Puts a file into ARCHIVE.tar.zst of this folder, as PATH and in place of an older one:
#   keep.sh ARCHIVE PATH FILE       ARCHIVE: h100, h200, .., answers, simulated; PATH: as docs/validation.md lists it
# The same files give the same archive.
set -eu
[ $# -eq 3 ] && [ -f "$3" ] || {
    echo "usage: $0 ARCHIVE PATH FILE" >&2
    exit 2
}
archive=$(cd "$(dirname "$0")" && pwd)/$1.tar.zst
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/files"
[ ! -f "$archive" ] || tar --zstd -xf "$archive" -C "$work/files"
mkdir -p "$(dirname "$work/files/$2")"
cp "$3" "$work/files/$2"
(cd "$work/files" && find . -type f | sed 's,^\./,,' | LC_ALL=C sort) >"$work/names"
tar -C "$work/files" --owner=0 --group=0 --numeric-owner --mode=644 --mtime=@0 -cf - -T "$work/names" | zstd -q -19 >"$work/new"
mv "$work/new" "$archive"
