#!/bin/sh
# without_libdw.sh CC KIT: where libdw is not installed, the debugger's sources that are then compiled do so, and none reads its header.
# test: simulator/variables/without_libdw @CC@ @SOURCE@
set -eu
cd "$2/common/simulator"
for source in debug/variables/*.c; do
    case $source in */dwarf*) continue ;; esac
    read_files=$("$1" -D_GNU_SOURCE -DSIM_WITHOUT_LIBDW -std=c11 -I. -I../base -I../host -M "$source")
    case $read_files in *elfutils*) echo "$source reads a header of libdw" && exit 1 ;; esac
    "$1" -D_GNU_SOURCE -DSIM_WITHOUT_LIBDW -std=c11 -I. -I../base -I../host -fsyntax-only -Wall -Wextra -Werror "$source"
done
