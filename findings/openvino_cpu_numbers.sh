#!/bin/sh
# OpenVINO 2026.4.1, its CPU device: a program's uint8 addition saturates (200 + 100 is 255, 100 - 200 is 0), while its conversion to
# uint8 wraps (300.7 is 44); float64 is computed in float32, so that 1e300 comes back as 3.4e38 and not as infinity; int64 is
# computed in 32 bits, so that 2^40 + 1 comes back as 1 and 2^31 as -2^31. Results carry the types of the program, and nothing is said.
# Expected before it was run: 44 and 156 as in NumPy and ONNX Runtime, infinity, and 32 bits for int64, as it is.
. "$(dirname "$0")/common.sh"
packages openvino==2026.4.1 numpy==2.4.6
cat >"$work/run.py" <<'PY'
import numpy as np, openvino as ov
from openvino import opset13 as op
def run(name, f, *inputs):
    parameters = [op.parameter([len(x)], x.dtype) for x in inputs]
    result = ov.Core().compile_model(ov.Model([f(*parameters)], parameters), "CPU")(list(inputs))[0]
    print(f"{name}: {result} {result.dtype}")
def array(dtype, *values):
    return np.array(values, dtype)
run("uint8 + -", lambda a, b: op.concat([op.add(a, b), op.subtract(b, a)], 0), array("u1", 200), array("u1", 100))
run("to uint8", lambda a: op.convert(a, "u8"), array("f4", 300.7))
run("float64", lambda a, b: op.add(a, b), array("f8", 1e300, -1e300), array("f8", 0, 0))
run("int64", lambda a, b: op.add(a, b), array("i8", 2**40, 2**31), array("i8", 1, 0))
PY
same "sums and conversions" "$("$python" "$work/run.py")" "uint8 + -: [255   0] uint8
to uint8: [44] uint8
float64: [ 3.40282347e+38 -3.40282347e+38] float64
int64: [          1 -2147483648] int64"
