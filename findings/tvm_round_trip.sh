#!/bin/sh
# Apache TVM 0.27.0 (.post1), kernels compiled by LLVM for a CPU: a float32 that is converted to bfloat16 or an 8-bit float and back within one
# kernel is not rounded at all, also where a stage of its own has that type. So 3.3 stays 3.3, and an emulation of a matrix unit's
# inputs, or of a quantised layer, gives the results of float32. By way of float16 it is rounded, and a value that leaves the kernel is, too.
# Expected before it was run: the same rounding wherever the value stands.
. "$(dirname "$0")/common.sh"
packages apache-tvm==0.27.0.post1 ml_dtypes==0.6.0 numpy==2.4.6
cat >"$work/trip.py" <<'PY'
import ml_dtypes, numpy as np, tvm
from tvm import te

def run(given, output, dtype):
    kernel = tvm.compile(te.create_prim_func([given, output]), target="llvm")
    result = tvm.runtime.tensor(np.zeros(1, dtype), tvm.cpu())
    kernel(tvm.runtime.tensor(np.array([3.3], "float32"), tvm.cpu()), result)
    return "%.6g" % float(result.numpy().astype("float32")[0])

for kind in "float16", "bfloat16", "float8_e4m3fn", "float8_e5m2":
    a = te.placeholder((1,), dtype="float32", name="a")
    narrow = te.compute((1,), lambda i: a[i].astype(kind), name="narrow")
    wide = te.compute((1,), lambda i: narrow[i].astype("float32"), name="wide")
    one = te.compute((1,), lambda i: a[i].astype(kind).astype("float32"), name="one")
    stored = run(a, narrow, kind if kind == "float16" else getattr(ml_dtypes, kind))
    print(kind, "and back:", run(a, one, "float32"), "by a stage:", run(a, wide, "float32"), "stored:", stored)
PY
same "3.3" "$("$python" "$work/trip.py" 2>/dev/null)" "float16 and back: 3.30078 by a stage: 3.30078 stored: 3.30078
bfloat16 and back: 3.3 by a stage: 3.3 stored: 3.29688
float8_e4m3fn and back: 3.3 by a stage: 3.3 stored: 3.25
float8_e5m2 and back: 3.3 by a stage: 3.3 stored: 3.5"
