#!/bin/sh
# SPDX-License-Identifier: MIT
# as_user.sh PROGRAM ARGUMENTS..: runs a test as an ordinary user, who is nobody when this is root. 77: cannot be done.
if [ "$(id -u)" -ne 0 ]; then exec "$@"; fi
if ! command -v setpriv >/dev/null 2>&1; then
    echo "skipped: no setpriv, which becomes another user"
    exit 77
fi
if ! setpriv --reuid=65534 --regid=65534 --clear-groups test -x "$1"; then
    echo "skipped: the user nobody may not run $1"
    exit 77
fi
HOME=/nonexistent
export HOME
cd / || exit 1
exec setpriv --reuid=65534 --regid=65534 --clear-groups "$@"
