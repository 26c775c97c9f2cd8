#!/bin/sh
# absent.sh LADDER WORK: a build without SQLite says what is missing, and grades without a gradebook.
# test: autograder/gradebook_absent @ladder@ @WORK@
# labels: grade
# where: LADDER_LACKS_SQLITE
set -u
ladder=$1
said=$("$ladder" gradebook show "$2.db" 2>&1) && { echo 'a gradebook without SQLite'; exit 1; }
case $said in
*'SQLite was not found'*libsqlite3-dev*) exit 0 ;;
esac
echo "$said"
exit 1
