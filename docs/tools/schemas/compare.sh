#!/bin/sh
# SPDX-License-Identifier: MIT
# compare.sh SHAPE DESCRIPTION tests PROGRAM [FILE..]: do documents that tests keep (kl_keep) and their description say the same?
# compare.sh SHAPE DESCRIPTION LADDER ARGUMENTS..: the same of what this command of ladder writes with --json.
# FILE: further documents. Documents of tests have the description's name as the beginning of theirs.
set -eu
shape=$1 description=$2 what=$3
shift 3
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
case $what in
tests)
    KL_KEEP=$folder "$1" >"$folder/log" 2>&1 || { cat "$folder/log"; exit 1; }
    shift
    set -- "$folder/$(basename "$description" .txt)"*.json "$@"
    ;;
*)
    # A command that finds something wrong writes its document and then fails.
    "$what" "$@" --json "$folder/document.json" >"$folder/log" 2>&1 </dev/null || true
    [ -s "$folder/document.json" ] || { cat "$folder/log"; exit 1; }
    set -- "$folder/document.json"
    ;;
esac
"$shape" --check "$description" "$@"
echo "described: $description"
