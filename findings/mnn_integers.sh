#!/bin/sh
# MNN 3.6.1, an engine for neural networks, its expressions on the CPU: products of int32 go through float32, so that 30,000 x 70,001 is
# 2,100,029,952 (48 too few), and one that overflows is the smallest int32 instead of wrapping. Of integers, floormod has the sign of its left
# operand, and mod rounds down; of floats it is the other way round. A sum of int32 is exact and wraps.
# Expected before it was run: exact products that wrap, and floormod that rounds down for both.
. "$(dirname "$0")/common.sh"
packages MNN==3.6.1 numpy==2.4.6
seen=$("$python" 2>/dev/null - <<'PY'
import MNN.expr as F
import numpy as np

def values(operation, kind, *lists):
    inputs = [F.const(list_, [len(list_)], F.NCHW, kind) for list_ in lists]
    result = operation(*inputs)
    return np.array(result.read()).tolist()

print("product", values(F.multiply, F.int, [30000, 65536, 16777217], [70001, 65536, 3]))
print("sum", values(F.add, F.int, [16777217, 2147483647], [0, 1]))
print("floormod, mod of integers", values(F.floormod, F.int, [-7, 7], [2, -2]), values(F.mod, F.int, [-7, 7], [2, -2]))
print("floormod, mod of floats", values(F.floormod, F.float, [-7.0, 7.0], [2.0, -2.0]), values(F.mod, F.float, [-7.0, 7.0], [2.0, -2.0]))
PY
)
same "integers" "$(printf '%s\n' "$seen" | grep -v '^The device')" "product [2100029952, -2147483648, 50331648]
sum [16777217, -2147483648]
floormod, mod of integers [-1, 1] [1, -1]
floormod, mod of floats [1.0, -1.0] [-1.0, 1.0]"
