#!/bin/sh
# as_user.sh PROGRAM ARGUMENTS..: runs a test as an ordinary user, who is nobody when this is root. 77: cannot be done.
# test: autograder/other_kit /bin/sh @FOLDER@/../commands/other_kit.sh @ladder@ @SOURCE@
# test: autograder/sandbox_stands_as_user /bin/sh @FOLDER@/stands.sh @ladder@
# test: autograder/attacks_process_as_user @ladder_attack_test@ process programs
# test: autograder/attacks_resources_as_user @ladder_attack_test@ resources programs
# test: autograder/attacks_files_as_user @ladder_attack_test@ files programs
# test: autograder/attacks_channels_as_user @ladder_attack_test@ channels programs
# test: autograder/attacks_compile_as_user @ladder_attack_test@ compile programs
# labels: grade
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
