#!/bin/sh
# excluded.sh KIT: the lines of a Doxyfile that leave out what is no interface. Doxygen compares its patterns with whole paths, so
# they begin with the kit's own folder: a kit may lie below a folder named tests.
printf 'EXCLUDE_PATTERNS ='
for pattern in 'common*/README.md' 'common*/tests/*' 'common*/fuzz/*' 'common/simulator/tools/*' 'common/validation/*' \
    'autograder*/README.md' 'autograder*/tests/*' 'autograder*/fuzz/*'; do
    printf ' "%s/%s"' "$1" "$pattern"
done
echo
