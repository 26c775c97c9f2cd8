#!/bin/sh
# IREE 3.13.0, its CPU backend: stablehlo.power of float32 is NaN for a negative base where the exponents are a tensor: (-2) to the
# power of 3, (-8) to the power of 2; so is 0 to the power of 0. With one constant as the exponent, the compiler makes products, and
# the same power of -2 is -8. NumPy, C and CUDA C give -8, 64 and 1. A polynomial tested with x**3 fails with x**n.
# Expected before it was run: as in C.
. "$(dirname "$0")/common.sh"
packages iree-base-compiler==3.13.0 iree-base-runtime==3.13.0 numpy==2.4.6
cat >"$work/power.py" <<'PY'
import iree.compiler, iree.runtime, numpy as np
def run(text, *inputs):
    flags = ["--iree-llvmcpu-target-cpu=generic"]
    binary = iree.compiler.compile_str(text, target_backends=["llvm-cpu"], input_type="stablehlo", extra_args=flags)
    return np.asarray(iree.runtime.load_vm_flatbuffer(binary, driver="local-sync")["main"](*inputs))
t = "tensor<5xf32>"
bases, exponents = np.array([2, -2, -8, 0, 0], np.float32), np.array([3, 3, 2, 0, 2], np.float32)
print("tensor:  ", run(f"""func.func @main(%a: {t}, %b: {t}) -> {t} {{
    %p = stablehlo.power %a, %b : {t}
    return %p : {t} }}""", bases, exponents))
print("constant:", run(f"""func.func @main(%a: {t}) -> {t} {{
    %b = stablehlo.constant dense<[{", ".join(map(str, exponents))}]> : {t}
    %p = stablehlo.power %a, %b : {t}
    return %p : {t} }}""", bases))
print("three:   ", run(f"""func.func @main(%a: {t}) -> {t} {{
    %b = stablehlo.constant dense<3.0> : {t}
    %p = stablehlo.power %a, %b : {t}
    return %p : {t} }}""", bases))
PY
same "2, -2, -8, 0, 0 to the power of 3, 3, 2, 0, 2" "$("$python" "$work/power.py" 2>/dev/null)" "tensor:   [ 8. nan nan nan  0.]
constant: [ 8. nan nan nan  0.]
three:    [   8.   -8. -512.    0.    0.]"
