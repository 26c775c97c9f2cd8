#!/bin/sh
# symbols.sh NM MAJOR TABLE OURS [REAL]: a drop-in exports the functions of its version (runtime/symbols.txt), on one version node;
# and those of the toolkit's own library REAL, or of the wheel NAME==VERSION, are the table's.
set -eu
nm=$1 major=$2 table=$3 ours=$4 real=${5:-}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
case $real in
*==*)
    python3 -m pip download -q --no-deps --dest "$work" "$real" >"$work/log" 2>&1 || {
        echo "skipped: pip does not get $real: $(tail -n 1 "$work/log")"
        exit 77
    }
    python3 -m zipfile -e "$work"/*.whl "$work"
    real=$(find "$work" -name "libcudart.so.$major*")
    ;;
esac
exported() {
    "$nm" -D --defined-only "$1" | sed -n "s/.* \([A-Za-z_0-9]*\)@@libcudart\.so\.${major}[.0-9]*\$/\1/p" | grep -v '^sim_runtime_' | LC_ALL=C sort
}
listed() { sed -n "/^#/d; s/^/ /; /$1[^:]*:/s/.*: //p" "$table" | tr ' ' '\n'; }
compare() { # WHAT WANTED FOUND
    missing=$(LC_ALL=C comm -23 "$work/$2" "$work/$3" | tr '\n' ' ')
    echo "$1: of $(wc -l <"$work/$2") functions missing: $missing"
    [ ! "$missing" ] && [ "$(wc -l <"$work/$2")" -ge 300 ]
}
exported "$ours" >"$work/ours"
listed " $major" | LC_ALL=C sort >"$work/table"
compare 'of the table in the drop-in' table ours
compare 'of the drop-in in the table' ours table
[ ! "$real" ] || exported "$real" >"$work/real"
[ ! "$real" ] || compare "of the toolkit's library in the drop-in" real ours
