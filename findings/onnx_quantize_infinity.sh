#!/bin/sh
# The reference of ONNX 1.23.2, run on x86-64: QuantizeLinear makes -128 of infinity and of 3e9 as int8, 0 of them as uint8, and 127 or 255 of
# 300, as it rounds to 32-bit integers before it saturates. So the largest activation becomes the most negative one, without an error
# (NumPy's warning says that a value was invalid). ONNX Runtime 1.32.0 gives 127 and 255, as the operator's text says.
# Expected before it was run: both the largest number.
. "$(dirname "$0")/common.sh"
packages onnx==1.23.2 onnxruntime==1.32.0 numpy==2.4.6
cat >"$work/run.py" <<'PY'
import numpy as np, onnxruntime
from math import inf
from onnx import TensorProto, helper, reference
x = np.array([300, 3e9, inf, -3e9, -inf], np.float32)
for kind, zero in (TensorProto.INT8, np.int8(0)), (TensorProto.UINT8, np.uint8(0)), (TensorProto.INT16, np.int16(0)):
    ins = [helper.make_tensor_value_info("x", TensorProto.FLOAT, [5]), helper.make_tensor_value_info("s", TensorProto.FLOAT, []),
           helper.make_tensor_value_info("z", kind, [])]
    graph = helper.make_graph([helper.make_node("QuantizeLinear", ["x", "s", "z"], ["y"])], "g", ins, [helper.make_tensor_value_info("y", kind, [5])])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)
    feed = {"x": x, "s": np.array(1, np.float32), "z": np.array(zero)}
    for name, runner in ("reference", reference.ReferenceEvaluator(model)), ("ONNX Runtime", onnxruntime.InferenceSession(model.SerializeToString())):
        print(zero.dtype, name + ":", *runner.run(None, feed)[0])
PY
same "300, 3e9, infinity, -3e9, -infinity" "$("$python" "$work/run.py" 2>/dev/null)" "int8 reference: 127 -128 -128 -128 -128
int8 ONNX Runtime: 127 127 127 -128 -128
uint8 reference: 255 0 0 0 0
uint8 ONNX Runtime: 255 255 255 0 0
int16 reference: 300 -32768 -32768 -32768 -32768
int16 ONNX Runtime: 300 32767 32767 -32768 -32768"
