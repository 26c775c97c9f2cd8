#!/bin/sh
# python-graphblas 2025.2.0 on SuiteSparse:GraphBLAS 9.4.5.0: sums stay in the type of their operands, and a mean is such a sum divided, so
# that the sum of 300 ones of UINT8 is 44 and their mean 0.147 (NumPy: 300 and 1). A float becomes an integer by saturation, NaN by 0,
# but INT64 becomes INT8 by its low bits. max of 1, NaN, 3 is 3: monoids leave a NaN out. 5 / 0 by cdiv is the largest integer.
# Expected before it was run: 300 and 1, or at least a right mean; floats as in C on this processor; NaN; an error.
. "$(dirname "$0")/common.sh"
packages python-graphblas==2025.2.0 suitesparse-graphblas==9.4.5.0 numpy==2.4.6
cat >"$work/run.py" <<'PY'
from math import inf, nan
from graphblas import Vector, agg, binary, monoid
ones = Vector.from_coo(range(300), 1, dtype="UINT8")
print("sum and mean:", ones.reduce(monoid.plus).new().value, round(ones.reduce(agg.mean).new().value, 3))
def cast(values, old, new):
    print(*values, "as", new + ":", *Vector.from_coo(range(len(values)), values, dtype=old).dup(dtype=new).to_coo()[1])
cast([300.7, -200.5, nan, inf], "FP64", "INT8")
cast([300, -200], "INT64", "INT8")
print("max:", Vector.from_coo(range(3), [1, nan, 3]).reduce(monoid.max).new().value)
a, b = (Vector.from_coo(range(3), x, dtype="INT32") for x in ([-7, 5, 0], [2, 0, 0]))
print("cdiv:", *a.ewise_mult(b, binary.cdiv).new().to_coo()[1])
PY
same "vectors" "$("$python" "$work/run.py")" "sum and mean: 44 0.147
300.7 -200.5 nan inf as INT8: 127 -128 0 127
300 -200 as INT8: 44 56
max: 3.0
cdiv: -3 2147483647 0"
