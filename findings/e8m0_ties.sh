#!/bin/sh
# e8m0, the format of the scales of MX blocks (powers of two alone): gfloat 0.5.2 and ml_dtypes 0.6.0 both round to nearest, and 3 is 2 for one and
# 4 for the other, 12 is 8 and 16, 0.75 is 0.5 and 1: halves go to the even exponent in gfloat, and always up in ml_dtypes. A scale
# that differs by two shifts a whole block. round_float of gfloat also lets 0 and -1 pass, which e8m0 has not: they end as NaN once encoded.
# Expected before it was run: one rule, halves to even as everywhere else, and NaN for 0 and -1 at once.
. "$(dirname "$0")/common.sh"
packages gfloat==0.5.2 ml_dtypes==0.6.0 numpy==2.4.6
cat >"$work/run.py" <<'PY'
import gfloat, ml_dtypes, numpy as np
from gfloat.formats import format_info_ocp_e8m0 as e8m0
x = [1.5, 3.0, 6.0, 12.0, 0.75, 0.375, 0.0, -1.0]
print("gfloat:", *(gfloat.round_float(e8m0, v) for v in x))
print("ml_dtypes:", *map(float, np.array(x, ml_dtypes.float8_e8m0fnu)))
for v in 0.0, -1.0:
    try:
        print("encoded and decoded:", v, gfloat.decode_float(e8m0, gfloat.encode_float(e8m0, gfloat.round_float(e8m0, v))).fval)
    except Exception as e:
        print(v, type(e).__name__, e)
PY
same "e8m0" "$("$python" "$work/run.py")" "gfloat: 2.0 2.0 8.0 8.0 0.5 0.5 0.0 -1.0
ml_dtypes: 2.0 4.0 8.0 16.0 1.0 0.5 nan nan
encoded and decoded: 0.0 nan
encoded and decoded: -1.0 nan"
