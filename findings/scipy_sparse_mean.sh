#!/bin/sh
# SciPy 1.17.1: the mean of each row of a sparse matrix of float32 is added up in float32 from left to right, so that a row of 2^25 ones
# has the mean 0.5; their sum along the same axis is right, and so is the mean of the whole matrix. A product with a vector of ones stops
# at 16,777,216 as well, and one of int8 wraps: three times 100 is 44. A reference for a kernel that takes its means or products here is
# worse than the kernel. NumPy adds in pairs: 1 along each axis.
# Expected before it was run: 1 both times, as sum and mean share their sums; the product in float32 as it is.
. "$(dirname "$0")/common.sh"
packages scipy==1.17.1 numpy==2.4.6
cat >"$work/mean.py" <<'PY'
import numpy as np, scipy.sparse as sparse
n = 1 << 25
a = sparse.csr_array(np.ones((1, n), np.float32))
print("NumPy's mean:", np.ones((1, n), np.float32).mean(axis=1)[0])
print("sum, mean of the row:", int(a.sum(axis=1)[0]), a.mean(axis=1)[0], "of all:", a.mean())
print("times ones:", int((a @ np.ones(n, np.float32))[0]))
print("int8:", *(sparse.csr_array(np.full((1, 3), 100, np.int8)) @ np.ones(3, np.int8)))
PY
same "sparse matrices" "$("$python" "$work/mean.py")" "NumPy's mean: 1.0
sum, mean of the row: 33554432 0.5 of all: 1.0
times ones: 16777216
int8: 44"
