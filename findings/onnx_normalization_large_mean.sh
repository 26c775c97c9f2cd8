#!/bin/sh
# LayerNormalization of the floats 1e8, 1e8 + 8, 1e8 + 16 (all exact in float32, variance 42.7) is -1.22, 0, 1.22. ONNX Runtime
# 1.32.0 on a CPU gives -1, 0, 1: it takes the variance as the mean of the squares less the square of the mean. The reference of
# ONNX 1.23.2 subtracts the mean first, but its mean is 8 too small (a sum of floats): 0, 0.77, 1.55. Around 0 both are right.
# Expected before it was run: -1.22, 0, 1.22 in both.
. "$(dirname "$0")/common.sh"
packages onnxruntime==1.32.0 onnx==1.23.2 numpy==2.4.6 ml_dtypes==0.6.0
cat >"$work/both.py" <<'PY'
import numpy as np, onnxruntime
from onnx import TensorProto as T, helper as h
from onnx.reference import ReferenceEvaluator
graph = h.make_graph([h.make_node("LayerNormalization", ["x", "s"], ["y"])], "g",
                     [h.make_tensor_value_info(n, T.FLOAT, [3]) for n in "xs"], [h.make_tensor_value_info("y", T.FLOAT, [3])])
model = h.make_model(graph, opset_imports=[h.make_opsetid("", 21)], ir_version=10)
session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
for mean in 0, 1e8:
    feed = {"x": np.array([mean, mean + 8, mean + 16], np.float32), "s": np.ones(3, np.float32)}
    for name, y in ("runtime", session.run(None, feed)[0]), ("reference", ReferenceEvaluator(model).run(None, feed)[0]):
        print("%g" % mean, name, *["%.2f" % v for v in y])
PY
same "x, x + 8, x + 16 normalised" "$("$python" -W ignore "$work/both.py" 2>/dev/null)" "0 runtime -1.22 0.00 1.22
0 reference -1.22 0.00 1.22
1e+08 runtime -1.00 0.00 1.00
1e+08 reference 0.00 0.77 1.55"
