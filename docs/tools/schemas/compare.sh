#!/bin/sh
# compare.sh LADDER-DOCS DESCRIPTION tests PROGRAM [FILE..]: do documents that tests keep (kl_keep) and their description say the same?
# compare.sh LADDER-DOCS DESCRIPTION PROGRAM ARGUMENTS..: the same of what this program, such as ladder, writes with --json. A word of
# its arguments that begins with @ is below a folder of its own.
# DESCRIPTION: FILE, or FILE:SCHEMA. FILE: further documents. Documents of tests have the schema's name as the beginning of theirs.
set -eu
docs=$1 description=$2 what=$3
shift 3
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
case $what in
tests)
    KL_KEEP=$folder "$1" >"$folder/log" 2>&1 || { cat "$folder/log"; exit 1; }
    shift
    name=${description##*:ladder.}
    set -- "$folder/${name%/*}"*.json "$@"
    ;;
*)
    for argument do # each to the end, in turn
        shift
        case $argument in @*) argument=$folder/${argument#@} ;; esac
        set -- "$@" "$argument"
    done
    # A command that finds something wrong writes its document and then fails.
    "$what" "$@" --json "$folder/document.json" >"$folder/log" 2>&1 </dev/null || true
    [ -s "$folder/document.json" ] || { cat "$folder/log"; exit 1; }
    set -- "$folder/document.json"
    ;;
esac
"$docs" schema --check "$description" "$@"
echo "described: $description"
