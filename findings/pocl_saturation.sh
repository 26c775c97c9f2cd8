#!/bin/sh
# PoCL 3.0 on the CPU (pocl-binary-distribution 3.0): of the saturating conversions of NaN to an integer, those to int and long
# give the least number, the others 0, which OpenCL asks of all (and a GPU's cvt gives for 32 bits). abs_diff of the least
# and the greatest int is 2^32 - 1 where they come from memory, and something else where they are constants of the kernel.
# Expected before it was run: 0 for every type; 4294967295 both times.
. "$(dirname "$0")/common.sh"
packages pocl-binary-distribution==3.0 pyopencl==2026.1.4 numpy==2.4.6
cat >"$work/run.py" <<'PY'
import numpy as np, pyopencl as cl
context = cl.Context(cl.get_platforms()[0].get_devices()[:1])
queue = cl.CommandQueue(context)
source = """
__kernel void go(__global float *x, __global int *i, __global long *y)
{
    y[0] = convert_char_sat(x[0]), y[1] = convert_short_sat(x[0]), y[2] = convert_int_sat(x[0]);
    y[3] = convert_uint_sat(x[0]), y[4] = convert_long_sat(x[0]);
    y[5] = abs_diff(i[0], i[1]), y[6] = abs_diff((int)(-2147483647 - 1), 2147483647) == 4294967295u;
}
"""
x, i, y = np.float32([np.nan]), np.int32([-2**31, 2**31 - 1]), np.zeros(7, np.int64)
buffers = [cl.Buffer(context, cl.mem_flags.COPY_HOST_PTR, hostbuf=a) for a in (x, i, y)]
cl.Program(context, source).build().go(queue, (1,), (1,), *buffers)
cl.enqueue_copy(queue, y, buffers[2])
print("result:", *y)
PY
same "NaN to char, short, int, uint, long; abs_diff from memory; is it that of constants" "$("$python" "$work/run.py" 2>/dev/null | grep result)" "result: 0 0 -2147483648 0 -9223372036854775808 4294967295 0"
