#!/bin/sh
# Halide 21.0.0 on a CPU, a pipeline as it is built without any flag: x != x is false for NaN, x - x is 0 for NaN and infinity, and
# so (x - x) / (x - x) is 0; (1e8 + x) - 1e8 is x, so that a compensated sum is a plain one; clamp(NaN, 0, 1) is 1.
# strict_float around an expression keeps it as it is written.
# Expected before it was run: floats as in IEEE 754, as fast-math is asked for elsewhere; the integers' rules alone are Halide's own.
. "$(dirname "$0")/common.sh"
packages halide==21.0.0 numpy==2.4.6
cat >"$work/run.py" <<'PY'
import halide as hl, numpy as np
i, source = hl.Var("i"), hl.Buffer(np.array([np.nan, np.inf, 2.5], np.float32))
x = source[i]
def run(name, e):
    f = hl.Func("f")
    f[i] = e
    print(name + ":", *np.array(f.realize([3])))
run("x != x", hl.select(x != x, 1.0, 0.0))
run("x - x", x - x)
run("(x - x) / (x - x)", (x - x) / (x - x))
run("(1e8 + x) - 1e8", (hl.f32(1e8) + x) - hl.f32(1e8))
run("strict", hl.strict_float((hl.f32(1e8) + x) - hl.f32(1e8)))
run("clamp", hl.clamp(x, 0.0, 1.0))
PY
same "NaN, infinity, 2.5" "$("$python" "$work/run.py")" "x != x: 0.0 0.0 0.0
x - x: 0.0 0.0 0.0
(x - x) / (x - x): 0.0 0.0 0.0
(1e8 + x) - 1e8: nan inf 2.5
strict: nan inf 0.0
clamp: 1.0 1.0 1.0"
