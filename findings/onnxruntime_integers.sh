#!/bin/sh
# ONNX Runtime 1.32.0 on a CPU against the reference that comes with ONNX 1.23.2, on integers:
#   ReduceProd of int32 65,536 and 65,536: the largest int32 (2,147,483,647) in the runtime, 0 (it wraps) in the reference.
#   Cast of floats to int4: the runtime rounds, halves away from zero, and wraps afterwards, so that 7.6 becomes -8 and 2.5 is 3;
#   the reference cuts off (7 and 2), as both do for every wider integer.
# Expected before it was run: 0 in both; 7 and 2 in both.
. "$(dirname "$0")/common.sh"
packages onnxruntime==1.32.0 onnx==1.23.2 numpy==2.4.6 ml_dtypes==0.6.0
cat >"$work/both.py" <<'PY'
import numpy as np, onnxruntime
from onnx import TensorProto as T, helper as h
from onnx.reference import ReferenceEvaluator
def both(nodes, x, kind):
    graph = h.make_graph(nodes, "g", [h.make_tensor_value_info("x", h.np_dtype_to_tensor_dtype(x.dtype), x.shape)],
                         [h.make_tensor_value_info("y", kind, None)])
    model = h.make_model(graph, opset_imports=[h.make_opsetid("", 21)], ir_version=10)
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    for name, y in ("runtime", session.run(None, {"x": x})[0]), ("reference", ReferenceEvaluator(model).run(None, {"x": x})[0]):
        print(name, np.asarray(y).tolist())
both([h.make_node("ReduceProd", ["x"], ["y"], keepdims=0)], np.array([65536, 65536], np.int32), T.INT32)
both([h.make_node("Cast", ["x"], ["i"], to=T.INT4), h.make_node("Cast", ["i"], ["y"], to=T.INT32)], np.array([7.6, 2.5, -2.5], np.float32), T.INT32)
PY
same "product, int4" "$("$python" -W ignore "$work/both.py" 2>/dev/null)" "runtime 2147483647
reference 0
runtime [-8, 3, -3]
reference [7, 2, -2]"
