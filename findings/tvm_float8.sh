#!/bin/sh
# Apache TVM 0.27.0 (.post1), kernels compiled by LLVM for a CPU: a conversion to an 8-bit float is right within the normal numbers only.
# Below them the value is halved or lost (0.01 as e4m3 becomes 0.0039, the nearest is 0.0098; 2^-9, which is one of its numbers, 0); above, the
# exponent wraps round: infinity becomes 1, NaN 1.5, 1e9 0.23 (e4m3) or -0.22 (e5m2). bfloat16 is right.
# Expected before it was run: the numbers of ml_dtypes, which TVM itself uses for its arrays.
. "$(dirname "$0")/common.sh"
packages apache-tvm==0.27.0.post1 ml_dtypes==0.6.0 numpy==2.4.6
cat >"$work/float8.py" <<'PY'
import ml_dtypes, numpy as np, tvm
from tvm import te

def converted(kind, given):
    given = np.array(given, "float32")
    a = te.placeholder(given.shape, dtype="float32", name="a")
    b = te.compute(given.shape, lambda i: a[i].astype(kind), name="b")
    kernel = tvm.compile(te.create_prim_func([a, b]), target="llvm")
    result = tvm.runtime.tensor(np.zeros(given.shape, getattr(ml_dtypes, kind)), tvm.cpu())
    kernel(tvm.runtime.tensor(given, tvm.cpu()), result)
    return " ".join("%.3g" % x for x in result.numpy().astype("float32"))

given = [0.01, 2**-9, 1.3, 448, np.inf, -np.inf, np.nan, 1e9]
for kind in "float8_e4m3fn", "float8_e5m2", "bfloat16":
    print(kind, "TVM", converted(kind, given))
    with np.errstate(all="ignore"):
        print(kind, "ml_dtypes", " ".join("%.3g" % x for x in np.array(given, "float32").astype(getattr(ml_dtypes, kind)).astype("float32")))
PY
same "conversions" "$("$python" "$work/float8.py" 2>/dev/null)" "float8_e4m3fn TVM 0.00391 0 1.25 448 1 -1 1.5 0.234
float8_e4m3fn ml_dtypes 0.00977 0.00195 1.25 448 nan nan nan nan
float8_e5m2 TVM 0.00977 0.00195 1.25 448 1 -1 1.5 -0.219
float8_e5m2 ml_dtypes 0.00977 0.00195 1.25 448 inf -inf nan inf
bfloat16 TVM 0.01 0.00195 1.3 448 inf -inf nan 9.98e+08
bfloat16 ml_dtypes 0.01 0.00195 1.3 448 inf -inf nan 9.98e+08"
