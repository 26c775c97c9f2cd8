#!/bin/sh
# client.sh LADDER PROGRAM WORK: the protocol's public test client sends each request. Needs Node.js and npm; skipped (77)
# without them, or where npm cannot install the client.
# test: autograder/debug_dap_client @ladder@ @ladder_debug_variables@ @WORK@
# labels: full
# where: LADDER_HAVE_LIBDW LADDER_HAVE_JANSSON
here=$(cd "$(dirname "$0")" && pwd)
ladder=$1 program=$2 work=$3
command -v node >/dev/null && command -v npm >/dev/null || { echo 'skipped: no Node.js or npm'; exit 77; }
mkdir -p "$work"
cp "$here/package.json" "$here/client.mjs" "$work"
cd "$work" || exit 1
npm install --before=2026-11-28 --no-package-lock --no-audit --no-fund --loglevel=error --ignore-scripts >npm.log 2>&1 ||
    { cat npm.log; echo 'skipped: no client'; exit 77; }
node client.mjs "$ladder" "$program" "$here/../program.cu"
