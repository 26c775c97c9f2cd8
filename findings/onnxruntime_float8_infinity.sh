#!/bin/sh
# Floats from 61,440 on round to infinity as e5m2 (the largest number is 57,344, the next would be 65,536). With saturate=0 the
# reference of ONNX 1.23.2, ml_dtypes 0.6.0 and CUDA 13.5's header say so; ONNX Runtime 1.32.0 on a CPU makes NaN of 61,440 to
# 65,535, and infinity of what is larger.
# Expected before it was run: infinity in all.
. "$(dirname "$0")/common.sh"
packages onnxruntime==1.32.0 onnx==1.23.2 numpy==2.4.6 ml_dtypes==0.6.0 nvidia-cuda-runtime==13.5.37 nvidia-cuda-crt==13.5.37 nvidia-cuda-cccl==13.3.5.0.6
cat >"$work/both.py" <<'PY'
import ml_dtypes, numpy as np, onnxruntime
from onnx import TensorProto as T, helper as h
from onnx.reference import ReferenceEvaluator
x = np.array([61439, 61440, 65535, 65536], np.float32)
graph = h.make_graph([h.make_node("Cast", ["x"], ["z"], to=T.FLOAT8E5M2, saturate=0), h.make_node("Cast", ["z"], ["y"], to=T.FLOAT)], "g",
                     [h.make_tensor_value_info("x", T.FLOAT, [4])], [h.make_tensor_value_info("y", T.FLOAT, [4])])
model = h.make_model(graph, opset_imports=[h.make_opsetid("", 21)], ir_version=10)
session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
print("runtime", *session.run(None, {"x": x})[0])
print("reference", *ReferenceEvaluator(model).run(None, {"x": x})[0])
print("ml_dtypes", *x.astype(ml_dtypes.float8_e5m2))
PY
cat >"$work/cuda.cpp" <<'CPP'
#include <cstdio>
#include <cuda_fp8.h>
int main() {
    __nv_fp8_e5m2 y;
    y.__x = __nv_cvt_float_to_fp8(61440, __NV_NOSAT, __NV_E5M2);
    std::printf("%g\n", (float)y);
}
CPP
headers=$("$python" -c 'import nvidia; print(list(nvidia.__path__)[0])')/cu13/include
c++ -std=c++17 -w -I"$headers" -I"$headers/cccl" "$work/cuda.cpp" -o "$work/cuda"
same "61439, 61440, 65535, 65536 as e5m2" "$("$python" -W ignore "$work/both.py" 2>/dev/null)" "runtime 57344.0 nan nan inf
reference 57344.0 inf inf inf
ml_dtypes 57344 inf inf inf"
same "61440 by CUDA's header, on the host" "$("$work/cuda")" "inf"
