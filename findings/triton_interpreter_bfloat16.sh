#!/bin/sh
# Triton 3.9.0 with TRITON_INTERPRET=1, as one tries kernels without a GPU: float32 is cut off to bfloat16 instead of rounded to
# nearest (1 + 3/256 becomes 1.0078125, torch and a GPU give 1.015625), and tl.sum, tl.cumsum and tl.dot of bfloat16 take the bits
# for integers: 4,096 ones give 0, a product of two matrices of 16 x 16 times 1.5 gives 4,261,478,400 and not 36. float32 is right; the running sum of float16 stops at 2,048, which is that type's. No warning is printed.
# Expected before it was run: rounding to nearest even, and 4,096.
. "$(dirname "$0")/common.sh"
packages torch==2.13.0 triton==3.9.0 numpy==2.4.6
cat >"$work/kernel.py" <<'PY'
import torch, triton, triton.language as tl
@triton.jit
def convert(x, y):
    tl.store(y, tl.load(x).to(tl.bfloat16))
@triton.jit
def add(x, total, running, n: tl.constexpr):
    i = tl.arange(0, n)
    v = tl.load(x + i)
    tl.store(total, tl.sum(v))
    tl.store(running + i, tl.cumsum(v, 0))
@triton.jit
def dot(a, c, n: tl.constexpr):
    i = tl.arange(0, n)[:, None] * n + tl.arange(0, n)[None, :]
    tl.store(c + i, tl.dot(tl.load(a + i), tl.load(a + i)))
x = torch.tensor([1 + 3 / 256])
y = torch.zeros(1, dtype=torch.bfloat16)
convert[(1,)](x, y)
print("1 + 3/256 as bfloat16:", y.item(), "torch:", x.bfloat16().item())
for dtype in (torch.bfloat16, torch.float16, torch.float32):
    ones, total = torch.ones(4096, dtype=dtype), torch.zeros(1, dtype=dtype)
    running = torch.zeros(4096, dtype=dtype)
    add[(1,)](ones, total, running, 4096)
    product = torch.zeros(16, 16)
    dot[(1,)](torch.full((16, 16), 1.5, dtype=dtype), product, 16)
    print(dtype, total.item(), running[-1].item(), product[0, 0].item())
PY
same "bfloat16 in the interpreter" "$(TRITON_INTERPRET=1 "$python" "$work/kernel.py")" "1 + 3/256 as bfloat16: 1.0078125 torch: 1.015625
torch.bfloat16 0.0 0.0 4261478400.0
torch.float16 4096.0 2048.0 36.0
torch.float32 4096.0 4096.0 36.0"
