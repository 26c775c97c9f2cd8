#!/bin/sh
# JAX 0.10.2 on a CPU: the sum of 64 ones of float8_e4m3fn is 32, their scalar product with ones is 64, and the sum of 4,096 ones
# of bfloat16 is 4,096. XLA adds bfloat16 and half up in float32; 8-bit floats it adds in 8 bits, where 16 + 1 is 16.
# Expected before it was run: 64 for both.
. "$(dirname "$0")/common.sh"
packages jax==0.10.2 jaxlib==0.10.2 ml_dtypes==0.6.0 numpy==2.4.6
cat >"$work/sum.py" <<'PY'
import jax.numpy as jnp
small, large = jnp.ones(64, jnp.float8_e4m3fn), jnp.ones(4096, jnp.bfloat16)
print("float8: sum", jnp.sum(small), "product", jnp.dot(small, small), "| bfloat16: sum", jnp.sum(large))
PY
same "JAX" "$(JAX_PLATFORMS=cpu "$python" -W ignore "$work/sum.py" 2>/dev/null)" "float8: sum 32 product 64 | bfloat16: sum 4096"
