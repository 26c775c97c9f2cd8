#!/bin/sh
# tinygrad 0.14.0 simplifies floats by the rules of real numbers before any device sees them: x / x is 1 also for 0, x - x is 0
# also for infinity, x * 0 is 0 also for NaN, and (a + b) - a is b, so that a compensated sum has no correction left. NumPy, and
# the same operations of CUDA C, give NaN, NaN, NaN and 0. Seen with the backend in Python; the rules stand before all backends.
# Expected before it was run: NaN three times, and 0.
. "$(dirname "$0")/common.sh"
packages tinygrad==0.14.0
cat >"$work/algebra.py" <<'PY'
from tinygrad import Tensor
zero, inf, nan = (Tensor([float(x)]).contiguous().realize() for x in ("0", "inf", "nan"))
large, one = Tensor([1e8]).contiguous().realize(), Tensor([1.0]).contiguous().realize()
print(*[x.item() for x in (zero / zero, inf - inf, nan * 0, (large + one) - large)])
PY
same "0 / 0, inf - inf, nan * 0, (1e8 + 1) - 1e8" "$(DEV=PYTHON "$python" "$work/algebra.py")" "1.0 0.0 0.0 1.0"
