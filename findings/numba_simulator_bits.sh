#!/bin/sh
# numba-cuda 0.30.4 with NumPy 2.4.6: functions on bits in Numba's CUDA simulator. They count the digits of the number's text in
# base 2, so that popc(-1) is 1 (the text is "-0b1"), and take it to have 32 of them: clz of a 64-bit 1 is 31, and ffs of 2^40 is
# 8 (41 modulo 33). For a GPU the same kernel becomes popc.b32, clz.b64, and for ffs 64 less clz.b64 of the lowest bit,
# which are 32, 63 and 41 by the definitions of PTX.
# Expected before it was run: popc(-1) is 1; the other two right.
. "$(dirname "$0")/common.sh"
packages numba-cuda==0.30.4 numba==0.68.1 numpy==2.4.6 nvidia-nvvm==13.5.37 nvidia-cuda-nvrtc==13.5.37
cat >"$work/kernel.py" <<'PY'
import sys
import numpy as np
from numba import cuda, int32, int64
def bits(a, b, o):
    o[0] = cuda.popc(a[0])
    o[1] = cuda.clz(b[0])
    o[2] = cuda.ffs(b[1])
if sys.argv[1] == "compile":
    ptx, _ = cuda.compile_ptx(bits, (int32[:], int64[:], int64[:]), cc=(9, 0))
    print(*[word for word in ptx.split() if word.split(".")[0] in ("popc", "clz")])
else:
    o = np.zeros(3, np.int64)
    cuda.jit(bits)[1, 1](np.array([-1], np.int32), np.array([1, 2**40]), o)
    print(*o)
PY
same "compiled for compute capability 9.0" "$("$python" "$work/kernel.py" compile 2>/dev/null)" "popc.b32 clz.b64 clz.b64"
same "popc(-1), clz(1), ffs(2^40) in the simulator" "$(NUMBA_ENABLE_CUDASIM=1 "$python" "$work/kernel.py" run 2>/dev/null)" "1 31 8"
