#!/bin/sh
# stands.sh LADDER: does `ladder doctor` find that the sandbox stands? 77: this machine cannot have one; doctor must then say
# why not and what to do.
# test: autograder/sandbox_stands @ladder@
# labels: grade
said=$("$1" doctor)
echo "$said" | sed -n '/ sandbox  /,/^ok.*memory files/p'
case $said in
*' stands, this is '*'own root'*) exit 0 ;;
*' does NOT stand, this is '*'-> '*) exit 77 ;;
esac
exit 1
