#!/bin/sh
# NVIDIA Warp 1.19.0 on the CPU device: wp.utils.array_sum and array_inner add float32 one after the other, so that 2^25 ones come to 16,777,216,
# and ten million times 0.1 to 1,087,937. Taken as the reference for a kernel on a card, the CPU is the worse of the two.
# Expected before it was run: sums in doubles or in pairs, as in NumPy.
. "$(dirname "$0")/common.sh"
packages warp-lang==1.19.0 numpy==2.4.6
cat >"$work/run.py" <<'PY'
import numpy as np, warp as wp
wp.config.quiet = True
wp.config.kernel_cache_dir = __file__ + ".cache"
wp.init()
def array(n, value):
    return wp.array(np.full(n, value, np.float32), dtype=wp.float32, device="cpu")
ones, tenths = array(1 << 25, 1), array(10_000_000, 0.1)
print("sum:", int(wp.utils.array_sum(ones)), int(wp.utils.array_sum(tenths)), "NumPy:", int(ones.numpy().sum()), int(tenths.numpy().sum()))
print("inner product:", int(wp.utils.array_inner(ones, ones)))
PY
same "ones and tenths" "$("$python" "$work/run.py" 2>/dev/null | grep -E '^(sum|inner)')" "sum: 16777216 1087937 NumPy: 33554432 1000000
inner product: 16777216"
