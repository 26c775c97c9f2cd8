#!/bin/sh
# sh runtime_symbols.sh LIBRARY[=RELEASE]..: the rows of common/simulator/runtime/symbols.txt, from NVIDIA's libcudart.so.* of some
# versions: the majors of the libraries that have a function (where the first is a library with a release, that), and the functions.
for library; do
    case $library in *=*) release=${library#*=} ;; *) release= ;; esac
    nm -D --defined-only "${library%%=*}" | sed -n 's/.* \([A-Za-z_0-9]*\)@@libcudart\.so\.\([0-9]*\).*/\1 \2/p' |
        awk -v release="$release" '{ print $1, $2, release == "" ? $2 : release }'
done | LC_ALL=C sort -u | awk '$1 != name { if (name) print versions ":" name; name = $1; versions = major = "" }
    $2 != major { versions = versions (major ? " " : "") $3; major = $2 } END { if (name) print versions ":" name }' | LC_ALL=C sort |
    awk -F : '$1 != versions || length(line " " $2) > 130 { if (line) print line; versions = $1; line = $1 ":" }
        { line = line " " $2 } END { print line }'
