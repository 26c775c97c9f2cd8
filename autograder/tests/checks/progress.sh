#!/bin/sh
# progress.sh LADDER PROGRAM - on a terminal, a long check shows how far it is: waits for the line of a kernel that
# counts for days, however fast the machine is, and stops the check then.
# test: checks/progress @ladder@ @check_flow@
# labels: grade
# where: LADDER_SCRIPT
set -u
export LADDER="$1" PROGRAM="$2"
shown=$(mktemp) || exit 1
trap 'rm -f "$shown"' EXIT
script -qec 'exec "$LADDER" check --max-instructions 100000M -- "$PROGRAM" counts_on' /dev/null </dev/null >"$shown" &
terminal=$!
tries=0
while [ $tries -lt 144000 ]; do
  if grep -aEq 'checking check_flow: [01] launch(es)?, [0-9.]+ [kMG]? ?warp instructions, [0-9]+ s' "$shown"; then
    kill $terminal
    wait $terminal 2>/dev/null
    echo "progress is shown"
    exit 0
  fi
  kill -0 $terminal 2>/dev/null || break
  sleep 0.1
  tries=$((tries + 1))
done
kill $terminal 2>/dev/null
echo "no line of progress in $tries tenths of a second; what was shown:"
cat "$shown"
exit 1
