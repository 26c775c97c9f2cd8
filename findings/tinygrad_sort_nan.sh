#!/bin/sh
# tinygrad 0.14.0: sorting numbers with one NaN among them loses the NaN and gives another number twice: 2, NaN, 1 becomes 1, 2, 2.
# Its sort is a network of min and max, which choose one operand each where the comparison with NaN is false both times.
# The order of the operands decides in max as well: of (NaN, 1) it is NaN, of (1, NaN) it is 1.
# Expected before it was run: 1, 2, NaN, and NaN both times.
. "$(dirname "$0")/common.sh"
packages tinygrad==0.14.0
cat >"$work/sort.py" <<'PY'
from tinygrad import Tensor
nan = float("nan")
print(Tensor([2.0, nan, 1.0]).sort()[0].tolist(), Tensor([nan, 1.0]).max().item(), Tensor([1.0, nan]).max().item())
PY
same "sort, max, max (backend in Python)" "$(DEV=PYTHON "$python" "$work/sort.py")" "[1.0, 2.0, 2.0] nan 1.0"
