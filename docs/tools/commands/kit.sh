#!/bin/sh
# kit.sh KIT FOLDER: a copy of the kit in FOLDER, without what is built, in which a student has written every step but the bug
# hunts; its launcher builds it.
set -eu
kit=$1
rm -rf "$2"
mkdir -p "$2"
cd "$2"
for part in CMakeLists.txt CMakePresets.json LICENSE README.md CONTRIBUTING.md ladder labs solutions common autograder slides docs \
    .clang-format .ci; do
    [ ! -e "$kit/$part" ] || cp -R "$kit/$part" .
done
for file in solutions/*/steps/*; do
    student=labs/${file#solutions/}
    [ -e "$student" ] || continue
    hunt=${student%/steps/*}/bugs # pages show what `check` finds in a bug hunt as it is handed out
    name=${file##*/*[0-9]_}
    set -- "$hunt"/*"_$name"
    [ -e "$1" ] || cp "$file" "$student"
done
rm -f labs/*/steps/predictions.txt
cp labs/00_first_kernel/first_program.cu mine.cu # docs/students.md: a program of one's own
{ # labs/12_histogram: a photo of one's own, dark on the left
    printf 'P5 256 64 255\n'
    awk 'BEGIN { for (i = 0; i < 64 * 256; i++) printf "%c", 33 + int(i % 256 / 4) }'
} >photo.pgm
./ladder list >/dev/null
