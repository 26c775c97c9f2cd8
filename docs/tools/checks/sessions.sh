#!/bin/sh
# sessions.sh LADDER KIT BUILD WORK PAGE..: does the debugger print what the pages show? A session is a line `./ladder debug LAB BUG ..`
# in a block ```sh, and the blocks ```text behind it: their lines with "(ladder) " are the commands. In a page a line ".." stands for lines
# that are left out. A session on a step in which somebody has set IMPLEMENTED to 1 is passed over: the bug is gone.
set -u
ladder=$1 kit=$2 build=$3 work=$4
shift 4
rm -rf "$work"
mkdir -p "$work"
cd "$kit" || exit 1
awk -v work="$work" '
    FNR == 1 || /^```sh/ { session = 0 }
    /^```/ { block = block ? "" : substr($0, 4); next }
    block == "sh" && sub(/^\.\/ladder debug /, "") {
        session = ++count
        print FILENAME ":" FNR >(work "/" count ".at")
        print >(work "/" count ".words")
    }
    block == "text" && session { print >(work "/" session ".page") }' "$@"
played=0 faults=0
for at in "$work"/*.at; do
    [ -e "$at" ] || break
    session=${at%.at}
    read -r lab bug options <"$session.words"
    [ -e "$session.page" ] || continue
    step=$(ls labs/*_"$lab"/steps/*_"$bug".cu)
    grep -q '^#define IMPLEMENTED 1' "$step" && continue
    played=$((played + 1))
    sed -n 's/^(ladder) //p' "$session.page" >"$session.commands"
    # A compiler that takes its time makes ladder say so.
    # shellcheck disable=SC2086 # several options
    COLUMNS=80 "$ladder" debug "$lab" "$bug" $options <"$session.commands" 2>&1 |
        sed "/^building for the debugger, [0-9]* s\$/d; s|$build/|build/|g" >"$session.said"
    awk 'NR == FNR { said[++lines] = $0; next }
         $0 == ".." { skips = 1; next }
         {
             at++
             while (skips && at <= lines && said[at] != $0) at++
             if (at > lines || said[at] != $0) { print "shown: " $0; print "said:  " said[at]; exit bad = 1 }
             skips = 0
         }
         END { if (!bad && !skips && at < lines) { print "not shown: " said[at + 1]; bad = 1 } exit bad }' \
        "$session.said" "$session.page" >"$session.fault" && continue
    echo "$(cat "$at"): $lab $bug:"
    cat "$session.fault" "$session.said"
    faults=$((faults + 1))
done
echo "sessions: $played played, $faults faults"
[ "$faults" -eq 0 ]
