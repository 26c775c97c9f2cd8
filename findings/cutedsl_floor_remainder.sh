#!/bin/sh
# nvidia-cutlass-dsl 4.8.1, CuTe's DSL in Python, a @cute.jit function run on the CPU: // of Int32 rounds down, as in Python, and % has the sign
# of its left operand, as in C. (a // b) * b + a % b is -9 for -7 and 2, and 9 for 7 and -2. The same line outside the function, or with
# numbers that are known when it is compiled, is Python's. An offset that is split with both is wrong as soon as it is negative.
# Expected before it was run: both as Python's, as the line is Python.
. "$(dirname "$0")/common.sh"
packages nvidia-cutlass-dsl==4.8.1
cat >"$work/run.py" <<'PY'
import cutlass.cute as cute
from cutlass import Constexpr, Int32
@cute.jit
def split(a: Int32, b: Int32):
    cute.printf("{} and {}: quotient {}, remainder {}, together {}", a, b, a // b, a % b, (a // b) * b + a % b)
@cute.jit
def known(a: Constexpr, b: Constexpr):
    cute.printf("known {} and {}: quotient {}, remainder {}", a, b, a // b, a % b)
for a, b in (-7, 2), (7, -2), (7, 2):
    split(Int32(a), Int32(b))
known(-7, 2)
PY
same "Int32" "$("$python" "$work/run.py")" "-7 and 2: quotient -4, remainder -1, together -9
7 and -2: quotient -4, remainder 1, together 9
7 and 2: quotient 3, remainder 1, together 7
known -7 and 2: quotient -4, remainder 1"
