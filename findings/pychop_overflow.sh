#!/bin/sh
# pychop 0.6.2, a simulator of small floats for error studies: a number just beyond the largest of the format becomes 0. With 5 and 10
# bits, which is half, 65,520 becomes 65,536, which half does not have, 70,000 and 100,000 become 0, and only from 131,072 on it is
# infinity; with 4 and 3 bits 250 is 256 and 300 is 0. NumPy's half says infinity for all of them. An overflow in a study of accuracy
# looks like an underflow, and a loss that explodes looks as if it vanished.
# Expected before it was run: infinity, or the largest number.
. "$(dirname "$0")/common.sh"
packages pychop==0.6.2 numpy==2.4.6
cat >"$work/run.py" <<'PY'
import numpy as np, pychop
x = np.array([65519.0, 65520, 70000, 1e5, -1e5, 131071, 131072, 1e9])
print("half:", *pychop.Chop(5, 10, rmode=1)(x))
with np.errstate(over="ignore"):
    print("NumPy:", *x.astype(np.float16).astype(float))
print("4 and 3 bits:", *pychop.Chop(4, 3, rmode=1)(np.array([240.0, 250, 300, 511, 512, 1e4])))
PY
same "beyond the largest number" "$("$python" "$work/run.py")" "half: 65504.0 65536.0 0.0 0.0 0.0 0.0 inf inf
NumPy: 65504.0 inf inf inf -inf inf inf inf
4 and 3 bits: 240.0 256.0 0.0 0.0 inf inf"
