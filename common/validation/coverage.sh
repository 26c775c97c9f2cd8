#!/bin/sh
# Writes the tables of coverage between the marks of coverage.md, or checks that they are up to date:
#   coverage.sh [--check] SIM_DUMP SIM_COVERAGE LIBCUDART COVERAGE.md PROGRAM...
# Programs are the test programs, built: which instructions and API functions they have counts.
set -eu
check=
if [ "${1:-}" = --check ]; then
    check=yes
    shift
fi
[ $# -ge 5 ] || {
    echo "usage: $0 [--check] SIM_DUMP SIM_COVERAGE LIBCUDART COVERAGE.md PROGRAM..." >&2
    exit 2
}
dump=$1 coverage=$2 library=$3 page=$4
shift 4
found=$(mktemp)
trap 'rm -f "$found" "$found.md"' EXIT
{
    nm -D --defined-only "$library" | sed -n 's/^[0-9a-f]* T \(cuda[A-Za-z_0-9]*\)@@.*/exports \1/p'
    for program; do
        "$dump" opcodes "$program" | sort -u | sed 's/^/opcode /'
        nm -D --undefined-only "$program" | sed -n 's/^ *U \(cuda[A-Za-z_0-9]*\)@.*/calls \1/p'
    done
} >"$found"
begin='<!-- coverage -->' end='<!-- end of coverage -->'
tables=$("$coverage" <"$found")
{
    sed "/^$begin\$/q" "$page"
    printf '\n%s\n\n' "$tables"
    sed -n "/^$end\$/,\$p" "$page"
} >"$found.md"
if cmp -s "$found.md" "$page"; then exit 0; fi
if [ "$check" ]; then
    diff "$page" "$found.md" | head -n 20 >&2 || true
    echo "coverage: $page is out of date; ./ladder coverage writes it" >&2
    exit 1
fi
cat "$found.md" >"$page"
