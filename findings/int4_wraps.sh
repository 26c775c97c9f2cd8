#!/bin/sh
# ml_dtypes 0.6.0: a float that is too large becomes the largest number in float4_e2m1fn, float6_e2m3fn and float6_e3m2fn, but wraps
# round in int4 and uint4, without a word: 9.0 is -7 as int4, 100.0 is 4 in both. A weight that a scale leaves a little too
# large changes its sign. (cvt.sat in PTX, and quantisation elsewhere, clamp.)
# Expected before it was run: 7 and 15, as the small floats do it.
. "$(dirname "$0")/common.sh"
packages ml_dtypes==0.6.0 numpy==2.4.6
cat >"$work/cast.py" <<'PY'
import ml_dtypes, numpy as np
x = np.array([7.9, 9, 100], np.float32)
for name in ("int4", "uint4", "float4_e2m1fn", "float6_e2m3fn"):
    print(name, *x.astype(getattr(ml_dtypes, name)).astype(np.float32))
PY
same "7.9, 9 and 100" "$("$python" "$work/cast.py")" "int4 7.0 -7.0 4.0
uint4 7.0 9.0 4.0
float4_e2m1fn 6.0 6.0 6.0
float6_e2m3fn 7.5 7.5 7.5"
