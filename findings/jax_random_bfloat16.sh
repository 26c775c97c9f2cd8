#!/bin/sh
# JAX 0.10.2: jax.random draws numbers of bfloat16 from 7 random bits, and those of float16 from 10. So a million normal numbers of
# bfloat16 have 128 values and none beyond 2.9 (float32: 4.6), a uniform one is 0 in 1 of 128 draws, an exponential one is never
# above 4.85, and bernoulli with a probability of 0.001 that is a bfloat16 is true in 0.77 %: dropout drops eight times as much.
# Expected before it was run: about 0.1 %, and normal numbers rounded from float32, up to 4.5.
. "$(dirname "$0")/common.sh"
packages jax==0.10.2 numpy==2.4.6
cat >"$work/draw.py" <<'PY'
import jax, jax.numpy as jnp, numpy as np
key, count = jax.random.key(0), 1_000_000
for dtype in (jnp.float32, jnp.float16, jnp.bfloat16):
    true = np.asarray(jax.random.bernoulli(key, jnp.asarray(0.001, dtype), (count,))).mean()
    normal = np.asarray(jax.random.normal(key, (count,), dtype).astype(jnp.float32))
    longest = jax.random.exponential(key, (count,), dtype).max()
    values = len(np.unique(normal))
    print(f"{dtype.__name__}: bernoulli(0.001) {100 * true:.2f} %, normal {values if values < 9e5 else 'many'} values, "
          f"|x| <= {abs(normal).max():.2f}, exponential <= {float(longest):.2f}")
PY
same "a million draws" "$("$python" "$work/draw.py" 2>/dev/null)" "float32: bernoulli(0.001) 0.10 %, normal many values, |x| <= 4.65, exponential <= 12.68
float16: bernoulli(0.001) 0.20 %, normal 1024 values, |x| <= 3.49, exponential <= 6.93
bfloat16: bernoulli(0.001) 0.77 %, normal 128 values, |x| <= 2.89, exponential <= 4.84"
