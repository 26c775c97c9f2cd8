#!/bin/sh
# budget.sh TREE [--write [--raise MODULE]..]: files, lines and headers of each module of the tree, against its row of
# TREE/budget.txt. Fails where a module has more than its row, or no row. --write lowers rows to what is there and raises none
# but those of the modules named, whose increase the sum takes, too.
#
# Modules: those of common/modules.txt, autograder/modules.txt and common/simulator/modules.txt; in the rest of the tree the
# folders of the second level, of the third among tests and in common/validation; "top" is what lies at the top, hidden or not.
set -eu
tree=$1 write= raise=
shift
while [ $# -gt 0 ]; do
    case $1 in
    --write) write=yes ;;
    --raise)
        raise="$raise $2"
        shift
        ;;
    esac
    shift
done
cd "$tree"
old=budget.txt
[ -f "$old" ] || old=/dev/null

files() { # of the tree, the budget itself left out
    if [ -e .git ] && git ls-files >/dev/null 2>&1; then
        git ls-files --cached --others --exclude-standard | while IFS= read -r file; do [ ! -f "$file" ] || printf '%s\n' "$file"; done
    else
        find . -type d \( -path ./build -o -name node_modules -o -name __pycache__ \) -prune -o -type f -print | sed 's|^\./||'
    fi | grep -vx 'budget\.txt' | LC_ALL=C sort
}

modules() { # folders of the three lists
    for list in common autograder common/simulator; do
        sed -e '/^#/d' -e '/:/d' -e '/\.[ch]/d' "$list/modules.txt" 2>/dev/null | tr ' ' '\n' | sed -n "s|^..*|$list/&|p"
    done
}

{
    modules | sed 's/^/module /'
    sed -e '/^#/d' -e 's/^/row /' "$old"
    files | tr '\n' '\0' | xargs -0 -n 200 wc -l | awk '!($2 == "total" && NF == 2) { lines = $1; sub(/^ *[0-9]+ /, ""); print "file", lines, $0 }'
} | awk -v write="$write" -v raise="$raise" '
BEGIN {
    split("files lines headers", what, " ")
    named = split(raise, names, " ")
    for (i = 1; i <= named; i++) raised[names[i]] = 1
}
# The longest listed module that the folder lies in, else the first names of the path.
function module_of(path,   folder, part, parts, depth) {
    if (path ~ /^\./ || path !~ /\//) return "top"
    for (folder = path; sub(/\/[^\/]*$/, "", folder);) {
        if (folder in listed) return folder
        if (folder ~ /(^|\/)tests$/) break
    }
    parts = split(path, part, "/") - 1
    depth = path ~ /^common\/simulator\/tests\// ? 4 : path ~ /^[a-z]+\/tests\/|^common\/(validation|simulator)\// ? 3 : 2
    if (depth > parts) depth = parts
    folder = part[1]
    for (parts = 2; parts <= depth; parts++) folder = folder "/" part[parts]
    return folder
}
$1 == "module" { listed[$2] = 1 }
$1 == "row" {
    rows++
    for (k = 1; k <= 3; k++) bar[$2, k] = $(k + 2)
    known[$2] = 1
}
$1 == "file" {
    path = $0
    sub(/^file [0-9]+ /, "", path)
    m = module_of(path)
    if (!(m in has)) order[++count] = m
    has[m] = 1
    add[1] = 1
    add[2] = path ~ /\.(bin|png|xz|zst)$/ ? 0 : $2 # bytes have no lines
    add[3] = path ~ /\.(h|cuh)$/
    for (k = 1; k <= 3; k++) {
        now[m, k] += add[k]
        now["sum", k] += add[k]
    }
}
END {
    order[++count] = "sum"
    for (i = 1; i <= count; i++) {
        m = order[i]
        may = m in raised || (m == "sum" && named > 0) || (write && rows == 0)
        if (!(m in known) && !(write && may)) {
            printf "%s: has no row in budget.txt. Put its files into a module that has one, or: ./ladder budget --raise %s\n",
                m, m >"/dev/stderr"
            failed = 1
            continue
        }
        text = m
        for (k = 1; k <= 3; k++) {
            value = now[m, k]
            if (!may && value > bar[m, k]) {
                printf "%s: %d %s, %d more than its row of budget.txt. Take as much away, or raise the row (./ladder budget " \
                    "--raise %s) and say in the message of the commit what the new ones replace\n", m, value, what[k],
                    value - bar[m, k], (m == "sum" ? "with the modules that grew" : m) >"/dev/stderr"
                failed = 1
                value = bar[m, k]
            }
            text = text " " value
        }
        lines[i] = text
    }
    for (m in raised)
        if (!(m in has)) {
            print m ": there is no such module" >"/dev/stderr"
            failed = 1
        }
    if (write)
        for (i = 1; i <= count; i++) if (lines[i] != "") print lines[i]
    exit failed
}' >"${TMPDIR:-/tmp}/ladder-budget-$$" || failed=yes
if [ "$write" ]; then
    {
        echo '# What each module may have: files, lines, headers (.ci/budget.sh, CONTRIBUTING.md). ./ladder budget lowers the rows.'
        cat "${TMPDIR:-/tmp}/ladder-budget-$$"
    } >budget.txt
fi
rm -f "${TMPDIR:-/tmp}/ladder-budget-$$"
[ -z "${failed:-}" ]
