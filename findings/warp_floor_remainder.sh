#!/bin/sh
# NVIDIA Warp 1.19.0, kernels on the CPU device: `//` of integers rounds down, as in Python, and `%` has the sign of its
# left operand, as in C. So (a // b) * b + a % b is not a: for -7 and 2 it is -9. An index that is split into a block and a
# lane with both operators is wrong as soon as it is negative. Python, NumPy, C and CUDA C each keep the equation.
# Expected before it was run: both as in Python, -4 and 1.
. "$(dirname "$0")/common.sh"
packages warp-lang==1.19.0 numpy==2.4.6
cat >"$work/kernel.py" <<'PY'
import warp as wp
wp.config.quiet = True
wp.config.kernel_cache_dir = __file__ + ".cache"
wp.init()
@wp.kernel
def split(a: wp.array(dtype=wp.int32), q: wp.array(dtype=wp.int32), r: wp.array(dtype=wp.int32)):
    i = wp.tid()
    q[i] = a[i] // 2
    r[i] = a[i] % 2
a = wp.array([-7, 7, -8], dtype=wp.int32, device="cpu")
q = wp.zeros(3, dtype=wp.int32, device="cpu")
r = wp.zeros(3, dtype=wp.int32, device="cpu")
wp.launch(split, dim=3, inputs=[a, q, r], device="cpu")
for x, y, z in zip(a.numpy(), q.numpy(), r.numpy()):
    print(f"{x} // 2 = {y}, {x} % 2 = {z}, together {2 * y + z}")
PY
same "quotients and remainders" "$("$python" "$work/kernel.py" | grep //)" "-7 // 2 = -4, -7 % 2 = -1, together -9
7 // 2 = 3, 7 % 2 = 1, together 7
-8 // 2 = -4, -8 % 2 = 0, together -8"
