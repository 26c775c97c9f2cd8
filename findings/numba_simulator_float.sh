#!/bin/sh
# numba-cuda 0.30.4 with NumPy 2.4.6: one kernel, two precisions. For a float32 array `a`, `a[i] * 1.1` is compiled for a GPU
# as a multiplication of doubles (mul.f64). Numba's CUDA simulator multiplies in float32: since NumPy 2 a scalar of
# float32 times a Python float stays float32. Results that are right in the simulator differ in the last bits on a card,
# and a kernel that the simulator calls single precision runs at the card's rate for doubles.
# Expected before it was run: both multiply doubles, as Numba's typing rules say.
. "$(dirname "$0")/common.sh"
packages numba-cuda==0.30.4 numba==0.68.1 numpy==2.4.6 nvidia-nvvm==13.5.37 nvidia-cuda-nvrtc==13.5.37
cat >"$work/compiled.py" <<'PY'
from numba import cuda, float32
def scale(a, b):
    i = cuda.grid(1)
    b[i] = a[i] * 1.1
ptx, _ = cuda.compile_ptx(scale, (float32[:], float32[:]), cc=(9, 0))
print(" ".join(word for word in ("cvt.f64.f32", "mul.f64", "mul.f32") if word in ptx))
PY
cat >"$work/simulated.py" <<'PY'
import numpy as np
from numba import cuda
@cuda.jit
def scale(a, b):
    i = cuda.grid(1)
    b[i] = a[i] * 1.1
a = np.arange(1, 9, dtype=np.float32) / 7
b = np.zeros(8, np.float64)  # keeps what the kernel computed
scale[1, 8](a, b)
print("doubles" if np.array_equal(b, a.astype(np.float64) * 1.1) else
      "floats" if np.array_equal(b, (a * np.float32(1.1)).astype(np.float64)) else "neither")
PY
same "compiled for compute capability 9.0" "$("$python" "$work/compiled.py" 2>/dev/null)" "cvt.f64.f32 mul.f64"
same "in the simulator" "$(NUMBA_ENABLE_CUDASIM=1 "$python" "$work/simulated.py" 2>/dev/null)" "floats"
