#!/bin/sh
# absent_complete.sh KIT: a build without SQLite has every function of the gradebook: those of three sources.
# test: autograder/gradebook_absent_complete @SOURCE@
set -eu
cd "$1/autograder/course/gradebook"
for name in $(sed -n 's/^[a-z][a-z_ ]*[ *]\(ladder_[a-z_]*\)(.*/\1/p' gradebook.h); do
    grep -qE "^(ABSENT\(|[a-z][a-z_ ]*[ *])$name[,(]" absent.c graded.c tables.c || { echo "absent.c lacks $name" && exit 1; }
done
