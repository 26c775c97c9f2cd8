#!/bin/sh
# What the pages of KIT show, executed (README.md).
#   run.sh listed KIT              is every command in tiers.txt, and every row there for a command? Is there a test that a row names?
#   run.sh quick KIT BUILD WORK    those of the default tier, in the folder WORK, with the programs in BUILD
#   run.sh full KIT COPY GROUP     those of the full tier in COPY, which kit.sh made: GROUP is a lab's folder, for its page and deck, or
#                                  "pages" for all others
# TIERS, in the environment: another list than tiers.txt; KIT is a handout then, which has no tests itself.
set -eu
what=$1
here=$(cd "$(dirname "$0")" && pwd -P)
kit=$(cd "$2" && pwd -P)
cd "$kit"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
{
    for page in README.md docs/start.md docs/*.md CONTRIBUTING.md labs/[0-9][0-9]_*/README.md slides/*.md; do
        [ ! -f "$page" ] || echo "$page"
    done
} | awk '!seen[$0]++' | xargs awk -f "$here/gather.awk" >"$work/all"
tiers=tiers.txt tests=.
[ ! -f docs/tools/commands/$tiers ] || tiers=docs/tools/commands/$tiers
[ -z "${TIERS:-}" ] || tiers=$TIERS tests=$here
of_tier() { awk -v tier="$1" -f "$here/sort.awk" "$tiers" "$work/all"; }
case $what in
listed)
    status=0
    of_tier '' || status=1
    for test in $(of_tier test); do
        name=$(printf '%s\n' "$test" | sed 's/[].[*+?(){}|^$]/\\&/g')
        grep -rqE "(NAME|===|[#/] test:) $name( |\$)" --include='*.cmake' --include=CMakeLists.txt --include='*.session' \
            --include='*.sh' "$tests" || {
            echo "$tiers: there is no test $test"
            status=1
        }
    done
    exit $status
    ;;
quick)
    mkdir -p "$4"
    cd "$4"
    printf '#!/bin/sh\nexec "%s/autograder/ladder" "$@"\n' "$3" >ladder
    chmod +x ladder
    ln -sfn "$3" build
    cd "$kit"
    of_tier quick >"$work/list"
    sh "$here/play.sh" "$work/list" "$4"
    ;;
full)
    number=${4%%_*}
    case $4 in pages) where='^[^/]*[.]md:|^docs/' ;; *) where="^labs/$4/|^slides/${number}_" ;; esac
    of_tier full | grep -E "$where" >"$work/list"
    sh "$here/play.sh" "$work/list" "$3"
    ;;
esac
