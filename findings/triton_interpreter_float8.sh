#!/bin/sh
# Triton 3.9.0 with TRITON_INTERPRET=1: conversions to the 8-bit floats lose the carry of their rounding, so that 1.95 becomes 1 and
# 500 becomes 256 (torch: 2 and 512); float8e4nv does not saturate; infinity and NaN become finite: 65,536 and 98,304
# as float8e5, 256 and 384 as float8e4nv. Back to float32 infinity of float8e5 is 65,536, and NaN of float8e4nv 480. So an overflow in a
# kernel that is tried without a GPU stays unseen, and a right kernel looks wrong by a factor of two. (Triton 3.6.0 on an H200: 500 is
# 512 and infinity 57,344 as float8e5, both 448 as float8e4nv, NaN stays NaN.)
# Expected before it was run: rounding to nearest even, infinity and NaN kept, as torch does it.
. "$(dirname "$0")/common.sh"
packages torch==2.13.0 triton==3.9.0 numpy==2.4.6
cat >"$work/kernel.py" <<'PY'
import torch, triton, triton.language as tl
@triton.jit
def down(x, y, n: tl.constexpr, t: tl.constexpr):
    i = tl.arange(0, n)
    tl.store(y + i, tl.load(x + i).to(t).to(tl.float32))
@triton.jit
def up(x, y, n: tl.constexpr):
    i = tl.arange(0, n)
    tl.store(y + i, tl.load(x + i).to(tl.float32))
x = torch.tensor([0.3, 1.95, 3.95, 500, float("inf"), float("nan"), 1, 1])
for name, there, here in ("float8e5", tl.float8e5, torch.float8_e5m2), ("float8e4nv", tl.float8e4nv, torch.float8_e4m3fn):
    y, z = torch.zeros(8), torch.zeros(8)
    down[(1,)](x, y, 8, there)
    up[(1,)](x.to(here), z, 8)
    for what, result in ("there and back", y), ("back alone", z), ("torch", x.to(here).float()):
        print(name, what + ":", *result[:6].tolist())
PY
same "0.3, 1.95, 3.95, 500, infinity, NaN" "$(TRITON_INTERPRET=1 "$python" "$work/kernel.py" 2>/dev/null)" "float8e5 there and back: 0.3125 1.0 4.0 256.0 65536.0 98304.0
float8e5 back alone: 0.3125 2.0 4.0 512.0 65536.0 114688.0
float8e5 torch: 0.3125 2.0 4.0 512.0 inf nan
float8e4nv there and back: 0.3125 1.0 4.0 256.0 256.0 384.0
float8e4nv back alone: 0.3125 2.0 4.0 448.0 448.0 480.0
float8e4nv torch: 0.3125 2.0 4.0 448.0 448.0 nan"
