#!/bin/sh
# NumPy 2.4.6 with ml_dtypes 0.6.0: one NaN among bfloat16 or 8-bit floats keeps np.sort from sorting: 2, NaN, 1, 3, 0.5 becomes 2, NaN, 0.5, 1, 3,
# and np.unique of 2, NaN, 1, NaN, 2 gives all five back, in their order. With float16 the NaN is last, and of the unique ones there is
# one. argmax finds the NaN with each type. So a reference that compares sorted results, or takes the k largest, is wrong without a word.
# Expected before it was run: NaN last, as with all of NumPy's own floats.
. "$(dirname "$0")/common.sh"
packages ml_dtypes==0.6.0 numpy==2.4.6
cat >"$work/sort.py" <<'PY'
import ml_dtypes, numpy as np
from math import nan
for t in np.float16, ml_dtypes.bfloat16, ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e5m2:
    x = np.array([2, nan, 1, 3, 0.5], t)
    print(np.dtype(t).name, "sorted:", *map(float, np.sort(x)), "argsort:", *np.argsort(x), "argmax:", np.argmax(x))
    print(np.dtype(t).name, "unique:", *map(float, np.unique(np.array([2, nan, 1, nan, 2], t))))
PY
same "2, NaN, 1, 3, 0.5" "$("$python" "$work/sort.py")" "float16 sorted: 0.5 1.0 2.0 3.0 nan argsort: 4 2 0 3 1 argmax: 1
float16 unique: 1.0 2.0 nan
bfloat16 sorted: 2.0 nan 0.5 1.0 3.0 argsort: 0 1 4 2 3 argmax: 1
bfloat16 unique: 2.0 nan 1.0 nan 2.0
float8_e4m3fn sorted: 2.0 nan 0.5 1.0 3.0 argsort: 0 1 4 2 3 argmax: 1
float8_e4m3fn unique: 2.0 nan 1.0 nan 2.0
float8_e5m2 sorted: 2.0 nan 0.5 1.0 3.0 argsort: 0 1 4 2 3 argmax: 1
float8_e5m2 unique: 2.0 nan 1.0 nan 2.0"
