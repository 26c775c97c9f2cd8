#!/bin/sh
# Mojo 1.2.0, the language of kernels of several vendors, on the CPU: an integer divided by zero is 0, the remainder is 0, divmod(-7, 0)
# is (0, 0), for Int and for numbers of 32 and 8 bits, with no error and no trap. Python, whose syntax it is, raises; CUDA C leaves it
# undefined. Floats divide as they should, but infinity as an 8-bit float is its largest number, also as e5m2, which has infinity.
# Expected before it was run: an error or the end of the program, and infinity.
. "$(dirname "$0")/common.sh"
packages mojo==1.2.0
cat >"$work/zero.mojo" <<'MOJO'
from std.utils.numerics import inf
def main():
    var zero = 0
    print("Int:", 7 // zero, 7 % zero, divmod(-7, zero))
    print("Int32, UInt8:", Int32(7) // Int32(zero), Int32(7) % Int32(zero), UInt8(7) // UInt8(zero))
    print("Float32:", Float32(7) // Float32(zero))
    var far = inf[DType.float32]()
    print("infinity:", far.cast[DType.float8_e5m2]().cast[DType.float32](), far.cast[DType.float8_e4m3fn]().cast[DType.float32]())
MOJO
same "divided by zero" "$("$work/venv/bin/mojo" run "$work/zero.mojo" 2>/dev/null)" "Int: 0 0 (0, 0)
Int32, UInt8: 0 0 0
Float32: inf
infinity: 57344.0 448.0"
