#!/bin/sh
# SPDX-License-Identifier: MIT
# launcher_alone.sh LAUNCHER FOLDER: `./ladder` alone builds nothing. It says what to type first, or asks the program that is
# built. In a kit made in FOLDER, on a machine whose tools all fail.
# test: autograder/launcher_alone @SOURCE@/ladder @WORK@
set -eu
launcher=$1
rm -rf "$2"
mkdir -p "$2/build" "$2/tools"
cd "$2"
cp "$launcher" ladder
for tool in cmake ninja make nvcc g++ apt-get; do
    printf '#!/bin/sh\necho "%s was started" >>"%s/started"\nexit 1\n' "$tool" "$PWD" >"tools/$tool"
    chmod +x "tools/$tool"
done
fail() {
    echo "$*"
    exit 1
}
alone() { # what it must say
    said=$(PATH=$PWD/tools:$PATH LADDER_BUILD_DIR= ./ladder 2>&1) || fail "status $?: $said"
    case $said in *"$1"*) ;; *) fail "does not say \"$1\": $said" ;; esac
    [ ! -e started ] || fail "$(cat started)"
}
alone './ladder run first_kernel'
mkdir -p build/labs/02_reduction
touch build/labs/02_reduction/past_runs.txt # a lab has run by its own program
alone 'builds the program `ladder` once, and says where you were'
mkdir -p build/autograder
printf '#!/bin/sh\necho "program: $*"\n' >build/autograder/ladder
chmod +x build/autograder/ladder
alone 'program: next'
echo "alone it builds nothing"
