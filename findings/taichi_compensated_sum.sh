#!/bin/sh
# Taichi 1.7.4, kernels on the CPU with what it does by default: a compensated sum (Kahan's) is compiled to the plain one. A
# million times 0.1 in float32 is 100,003.75 instead of 100,000; with ti.init(fast_math=False) it is right.
# Expected before it was run: 100,000 in both, since no option that allows other results was asked for.
. "$(dirname "$0")/common.sh"
packages taichi==1.7.4 numpy==2.4.6
cat >"$work/kernel.py" <<'PY'
import sys
import taichi as ti
ti.init(arch=ti.cpu, log_level=ti.ERROR, **({"fast_math": False} if sys.argv[1] == "exact" else {}))
@ti.kernel
def total(n: ti.i32) -> ti.f32:
    total = 0.0
    lost = 0.0
    ti.loop_config(serialize=True)
    for i in range(n):
        term = 0.1 - lost
        longer = total + term
        lost = (longer - total) - term
        total = longer
    return total
print(sys.argv[1], "sum:", total(1000000))
PY
same "compensated sum" "$(for way in default exact; do "$python" "$work/kernel.py" $way; done | grep sum:)" "default sum: 100003.75
exact sum: 100000.0"
