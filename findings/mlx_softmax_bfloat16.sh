#!/bin/sh
# MLX 0.32.4 on a CPU: softmax adds the exponentials of bfloat16 up in bfloat16, and that sum ends at 256 (256 + 1 is 256 there).
# So 4,096 equal scores get 1/256 each, and the probabilities come to 16. The sum and the mean of the same values are right, as
# they are added in float32; softmax is, too, with precise=True. The cumulative sum ends at 256 as well.
# Expected before it was run: a wrong sum and mean, as in NumPy, and a softmax that comes to 1.
. "$(dirname "$0")/common.sh"
packages mlx-cpu==0.32.4 mlx==0.32.4
cat >"$work/softmax.py" <<'PY'
import mlx.core as mx
mx.set_default_device(mx.cpu)
scores, ones = mx.zeros((4096,), mx.bfloat16), mx.ones((4096,), mx.bfloat16)
for precise in (False, True):
    print("softmax, precise=%s:" % precise, mx.softmax(scores, precise=precise).astype(mx.float32).sum().item())
print("sum", mx.sum(ones).item(), "mean", mx.mean(ones).item(), "last of cumsum", mx.cumsum(ones)[-1].item())
PY
same "MLX" "$("$python" "$work/softmax.py")" "softmax, precise=False: 16.0
softmax, precise=True: 1.0
sum 4096.0 mean 1.0 last of cumsum 256.0"
