#!/bin/sh
# JAX 0.10.2, Pallas with interpret=True, where a kernel runs without a GPU: what a block has beyond the end of its array is NaN for floats and the
# most negative number for integers. A sum that forgets the mask is seen at once in float32; in int32 it is right wherever an even number
# of elements is missing, as two of them come to 0. An index beyond the end reads the last element.
# Expected before it was run: zeros, or NaN and something as plain for integers; an error for the index.
. "$(dirname "$0")/common.sh"
packages jax==0.10.2 numpy==2.4.6
cat >"$work/run.py" <<'PY'
import jax, jax.numpy as jnp
from jax.experimental import pallas
def total(x, y):
    y[...] = jnp.full((1,), jnp.sum(x[...]), x.dtype)
def beyond(x, y):
    y[...] = jnp.full((3,), x[5 + 0 * x[0]])
for n in 7, 6:
    for kind in "float32", "int32":
        call = pallas.pallas_call(total, grid=(2,), in_specs=[pallas.BlockSpec((4,), lambda i: (i,))], out_shape=jax.ShapeDtypeStruct((2,), kind),
                                  out_specs=pallas.BlockSpec((1,), lambda i: (i,)), interpret=True)
        print(n, kind, "ones in blocks of 4:", *call(jnp.ones(n, kind)).tolist())
call = pallas.pallas_call(beyond, out_shape=jax.ShapeDtypeStruct((3,), "int32"), interpret=True)
print("index 5 of 3:", *call(jnp.array([1, 2, 3])).tolist())
PY
same "sums of blocks" "$(JAX_PLATFORMS=cpu "$python" "$work/run.py")" "7 float32 ones in blocks of 4: 4.0 nan
7 int32 ones in blocks of 4: 4 -2147483645
6 float32 ones in blocks of 4: 4.0 nan
6 int32 ones in blocks of 4: 4 2
index 5 of 3: 3 3 3"
