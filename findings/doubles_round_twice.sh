#!/bin/sh
# A double just above the middle between two numbers of 16 or 8 bits: rounded once it goes up. By way of float32 its tail is lost
# first, and the tie goes to the even number below.
#   to float16: NumPy 2.4.6 rounds once; JAX 0.10.2 (x64), MLX 0.32.4 and ONNX Runtime 1.32.0, all on a CPU, twice.
#   to bfloat16: ml_dtypes 0.6.0, JAX and MLX twice. To float8_e4m3fn: ml_dtypes twice, JAX once.
# So NumPy with ml_dtypes is right for half alone, and JAX for 8 bits alone.
# Expected before it was run: once, everywhere.
. "$(dirname "$0")/common.sh"
packages jax==0.10.2 jaxlib==0.10.2 ml_dtypes==0.6.0 numpy==2.4.6 mlx==0.32.4 mlx-cpu==0.32.4 onnxruntime==1.32.0 onnx==1.23.2
cat >"$work/round.py" <<'PY'
import jax, ml_dtypes, mlx.core as mx, numpy as np, onnxruntime
from onnx import TensorProto as T, helper as h
jax.config.update("jax_enable_x64", True)
mx.set_default_device(mx.cpu)
model = h.make_model(h.make_graph([h.make_node("Cast", ["x"], ["y"], to=T.FLOAT16)], "g", [h.make_tensor_value_info("x", T.DOUBLE, [1])],
                                  [h.make_tensor_value_info("y", T.FLOAT16, [1])]), opset_imports=[h.make_opsetid("", 21)], ir_version=10)
session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
for name, bits in ("float16", 10), ("bfloat16", 7), ("float8_e4m3fn", 3):
    x = np.array([1 + 0.5**(bits + 1) + 1e-12])
    seen = {"numpy": x.astype(np.float16 if bits == 10 else getattr(ml_dtypes, name)), "jax": jax.numpy.array(x).astype(name)}
    if bits != 3:
        seen["mlx"] = [mx.array(x, dtype=mx.float64).astype(getattr(mx, name)).astype(mx.float32).item()]
    if bits == 10:
        seen["onnxruntime"] = session.run(None, {"x": x})[0]
    print(name, *[library + " " + ("once" if float(y[0]) > 1 else "twice") for library, y in seen.items()])
PY
same "roundings" "$(JAX_PLATFORMS=cpu "$python" -W ignore "$work/round.py" 2>/dev/null)" "float16 numpy once jax twice mlx twice onnxruntime twice
bfloat16 numpy twice jax twice mlx twice
float8_e4m3fn numpy twice jax once"
