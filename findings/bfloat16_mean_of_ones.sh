#!/bin/sh
# NumPy 2.4.6 with the bfloat16 of ml_dtypes 0.6.0 (what a reference on the host for kernels of that type is written in): 4,096
# ones have the sum 256 and the mean 0.0625, because each partial sum is rounded to 8 bits; the scalar product is right. NumPy's own
# float16 gives 4,096 and 1.
# Expected before it was run: 4,096 and 1, as for float16.
. "$(dirname "$0")/common.sh"
packages ml_dtypes==0.6.0 numpy==2.4.6
cat >"$work/ones.py" <<'PY'
import ml_dtypes, numpy as np
for dtype in (ml_dtypes.bfloat16, np.float16):
    ones = np.ones(4096, dtype)
    print(np.dtype(dtype), float(ones.sum()), float(ones.mean()), float(ones @ ones))
PY
same "sum, mean and scalar product of 4,096 ones" "$("$python" "$work/ones.py")" "bfloat16 256.0 0.0625 4096.0
float16 4096.0 1.0 4096.0"
