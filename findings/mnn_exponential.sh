#!/bin/sh
# MNN 3.6.1, its expressions on the CPU: the exponential clamps what it is given. exp of 88.5 (2.7e38, a float32) and of infinity is
# 6.1e37, that of minus infinity and of NaN 1.6e-38, so that a NaN does not reach the end: sigmoid and tanh of it are 1, relu is 0.
# Logarithm and softmax keep it.
# Expected before it was run: infinity, 0 and NaN.
. "$(dirname "$0")/common.sh"
packages MNN==3.6.1 numpy==2.4.6
seen=$("$python" 2>/dev/null - <<'PY'
import MNN.expr as F
import numpy as np

def values(operation, *list_):
    given = F.const(list(list_), [len(list_)], F.NCHW, F.float)
    result = operation(given)
    return " ".join("%.2g" % x for x in np.array(result.read()))

nan, inf = float("nan"), float("inf")
print("exp", values(F.exp, 88.5, inf, -inf, nan))
print("sigmoid, tanh, relu of NaN:", values(F.sigmoid, nan), values(F.tanh, nan), values(F.relu, nan))
print("log, softmax of NaN:", values(F.log, nan), values(lambda x: F.softmax(x, 0), nan, 0.0))
PY
)
same "exponentials" "$(printf '%s\n' "$seen" | grep -v '^The device')" "exp 6.1e+37 6.1e+37 1.6e-38 1.6e-38
sigmoid, tanh, relu of NaN: 1 1 0
log, softmax of NaN: nan nan nan"
