#!/bin/sh
# Taichi 1.7.4, kernels on the CPU: `x != x` is false for NaN, with fast_math (the default) and also without it, so that the
# usual test for NaN never fires. taichi.math.isnan is right in both. With fast_math inf - inf is 0.
# Expected before it was run: true without fast_math, and NaN for inf - inf.
. "$(dirname "$0")/common.sh"
packages taichi==1.7.4 numpy==2.4.6
cat >"$work/kernel.py" <<'PY'
import sys
import taichi as ti
fast = sys.argv[1] == "fast"
ti.init(arch=ti.cpu, log_level=ti.ERROR, fast_math=fast)
@ti.kernel
def differs(x: ti.f32) -> ti.i32:
    result = 0
    if x != x:
        result = 1
    return result
@ti.kernel
def is_nan(x: ti.f32) -> ti.i32:
    return ti.math.isnan(x)
@ti.kernel
def minus_itself(x: ti.f32) -> ti.f32:
    return x - x
nan, inf = float("nan"), float("inf")
print(sys.argv[1], "x != x:", differs(nan), "isnan:", is_nan(nan), "inf - inf:", minus_itself(inf))
PY
same "NaN" "$(for way in fast exact; do "$python" "$work/kernel.py" $way; done | grep isnan)" "fast x != x: 0 isnan: 1 inf - inf: 0.0
exact x != x: 0 isnan: 1 inf - inf: nan"
