#!/bin/sh
# SPDX-License-Identifier: MIT
# launcher_place.sh LAUNCHER FOLDER: is a kit built in a folder whose name has blanks, used from other
# folders, and built again where it was moved or copied? What is said of a full disk? The launcher builds a kit in FOLDER that has one
# program, which says where it lies.
# test: autograder/launcher_place @SOURCE@/ladder @WORK@
set -eu
launcher=$(realpath "$1")
rm -rf "$2"
mkdir -p "$2/my course/GPU kit/common/launcher" "$2/my course/GPU kit/labs/01_transpose/steps" "$2/bin"
cd "$2"
kit="my course/GPU kit"
cp "$launcher" "$kit/ladder"
cp "${launcher%/*}"/common/launcher/install.sh "${launcher%/*}"/common/launcher/toolkit.sh "$kit/common/launcher/"
cat >"$kit/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.18)
project(kit LANGUAGES NONE)
file(GENERATE OUTPUT autograder/made CONTENT "#!/bin/sh\necho \"kit in ${PROJECT_SOURCE_DIR}: $*\"\n")
add_custom_target(ladder_programs ALL COMMAND cp made ladder && chmod +x ladder WORKING_DIRECTORY autograder)
END
# Nothing is to be installed, and no nvcc asked for: the launcher's own search is not what is tested.
printf '\nis_present() { :; }\ninstall_basics() { :; }\noffer_packages() { :; }\n' >>"$kit/common/launcher/toolkit.sh"
wrong=0
says() { # folder to stand in, launcher, what it must say
    said=$(cd "$1" && "$2" doctor --here </dev/null 2>&1) || wrong=1
    case $said in
    *"$3"*) return 0 ;;
    esac
    printf '%s from "%s" says, without "%s":\n%s\n' "$2" "$1" "$3" "$said"
    wrong=1
}
top=$PWD
says "$kit" ./ladder "kit in $top/my course/GPU kit: doctor --here"
says "$kit/labs/01_transpose/steps" ../../../ladder "kit in $top/my course/GPU kit: doctor --here"
says / "$top/my course/GPU kit/ladder" "kit in $top/my course/GPU kit: doctor --here"
mv "my course" "second year"
says "second year/GPU kit" ./ladder "the kit lies in another folder"
says "second year/GPU kit" ./ladder "kit in $top/second year/GPU kit: doctor --here"
cp -R "second year/GPU kit" copy
says copy ./ladder "kit in $top/copy: doctor --here"
says "second year/GPU kit" ./ladder "kit in $top/second year/GPU kit: doctor --here"
# A full disk is told in one sentence.
echo 'add_custom_target(full COMMAND echo "a.c: fatal error: No space left on device" && false)' >>copy/CMakeLists.txt
echo 'add_dependencies(ladder_programs full)' >>copy/CMakeLists.txt
said=$(copy/ladder doctor </dev/null 2>&1) && wrong=1
case $said in
*"fatal error"* | *FAILED*) wrong=1 ;;
*"is full: make room, and run the same command again"*) ;;
*) wrong=1 ;;
esac
[ "$wrong" -eq 0 ] || echo "$said"
[ "$wrong" -eq 0 ] && echo "a kit may lie anywhere, and be moved"
exit "$wrong"
