#!/bin/sh
# Halide 21.0.0, float on the CPU: exp(infinity) and exp(NaN) are 0, while exp(89) is infinity; log(infinity) is 88.72 and log(NaN)
# 89.13, erf(infinity) NaN. In double they are right, and so are sqrt and tanh in float. A softmax that has overflowed, or a
# tensor with a NaN, so gives rows of ordinary numbers.
# Expected before it was run: infinity and NaN, as log and exp are named in its reference without an exception.
. "$(dirname "$0")/common.sh"
packages halide==21.0.0 numpy==2.4.6
cat >"$work/run.py" <<'PY'
import halide as hl, numpy as np
i = hl.Var("i")
def values(expression, type):
    x = hl.Buffer(np.array([np.inf, np.nan, 89], type))
    f = hl.Func()
    f[i] = expression(x[i])
    return " ".join("%.4g" % v for v in np.array(f.realize([3])))
for name, expression in (("exp", hl.exp), ("log", hl.log), ("erf", hl.erf)):
    print(name, values(expression, np.float32))
print("exp of doubles", values(hl.exp, np.float64))
PY
same "infinity, NaN, 89" "$("$python" "$work/run.py" 2>/dev/null)" "exp 0 0 inf
log 88.72 89.13 4.489
erf nan nan 1
exp of doubles inf nan 4.49e+38"
