#!/bin/sh
# SPDX-License-Identifier: MIT
# sh runtime_symbols.sh LIBRARY..: the rows of common/simulator/runtime/symbols.txt, from NVIDIA's libcudart.so.* of some
# versions: each function with the majors of the libraries that have it.
for library; do
    nm -D --defined-only "$library" | sed -n 's/.* \([A-Za-z_0-9]*\)@@libcudart\.so\.\([0-9]*\).*/\1 \2/p'
done | LC_ALL=C sort -u | awk '$1 != name { if (name) print name versions; name = $1; versions = "" }
    { versions = versions " " $2 } END { if (name) print name versions }'
