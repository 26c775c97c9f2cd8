#!/bin/sh
# NumExpr 2.14.2: sum adds float32 from left to right, so that ten million times 0.1 is 1,087,937 (NumPy: 1,000,000); max and min leave
# out a NaN, where NumPy's give it back, while maximum of two operands does as NumPy; 5 // 0 of int32 is 0 without a warning; and uint64
# is computed as int64, so that the largest plus one is 0 of int64, and 2^63 // 2 is negative.
# Expected before it was run: sums in double or in pairs, NaN, a warning with 0, uint64.
. "$(dirname "$0")/common.sh"
packages numexpr==2.14.2 numpy==2.4.6
cat >"$work/run.py" <<'PY'
import numexpr, numpy as np
def run(text, **operands):
    result = numexpr.evaluate(text, operands)
    print(f"{text}: {result} {result.dtype}")
run("sum(x)", x=np.full(10_000_000, 0.1, np.float32))
run("max(x)", x=np.array([1, np.nan, 3]))
run("min(x)", x=np.array([np.nan, 1, 3]))
run("maximum(x, y)", x=np.array([1, np.nan]), y=np.array([np.nan, 1]))
run("a // b", a=np.array([5, -7], np.int32), b=np.array([0, 2], np.int32))
run("a + 1", a=np.array([2**64 - 1], np.uint64))
run("a // 2", a=np.array([2**63], np.uint64))
PY
same "reductions and integers" "$("$python" "$work/run.py" 2>&1)" "sum(x): 1087937.0 float32
max(x): 3.0 float64
min(x): 1.0 float64
maximum(x, y): [nan nan] float64
a // b: [ 0 -4] int32
a + 1: [0] int64
a // 2: [-4611686018427387904] int64"
