#!/bin/sh
# sh runtime_symbols.sh LIBRARY[=RELEASE]..: the rows of common/simulator/runtime/symbols.txt, from NVIDIA's libcudart.so.* of some
# versions: each function with the majors of the libraries that have it; where the first is a library with a release, with that.
for library; do
    case $library in *=*) release=${library#*=} ;; *) release= ;; esac
    nm -D --defined-only "${library%%=*}" | sed -n 's/.* \([A-Za-z_0-9]*\)@@libcudart\.so\.\([0-9]*\).*/\1 \2/p' |
        awk -v release="$release" '{ print $1, $2, release == "" ? $2 : release }'
done | LC_ALL=C sort -u | awk '$1 != name { if (name) print name versions; name = $1; versions = major = "" }
    $2 != major { versions = versions " " $3; major = $2 } END { if (name) print name versions }'
