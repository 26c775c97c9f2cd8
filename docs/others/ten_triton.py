"""Three of the ten programs of docs/others.md, in Triton, for the sanitizer of triton-viz, which needs no GPU.

pip install triton-viz==3.0 triton==3.6.0 torch==2.13.0 && python3 docs/others/ten_triton.py off_by_one
"""
import sys

import torch
import triton
import triton.language as tl
import triton_viz


@triton_viz.trace("sanitizer")
@triton.jit
def global_race(total):
    tl.store(total, tl.load(total) + tl.program_id(0))


@triton_viz.trace("sanitizer")
@triton.jit
def global_unset(x, y, n: tl.constexpr):
    i = tl.arange(0, n)
    tl.store(y + i, tl.load(x + i) + 1)


@triton_viz.trace("sanitizer")
@triton.jit
def off_by_one(y, count, n: tl.constexpr):
    i = tl.program_id(0) * n + tl.arange(0, n)
    tl.store(y + i, i, mask=i <= count)


y = torch.zeros(511, dtype=torch.int32)
{"global_race": lambda: global_race[(2,)](y),
 "global_unset": lambda: global_unset[(1,)](torch.empty(128, dtype=torch.int32), y, 128),
 "off_by_one": lambda: off_by_one[(4,)](y, 511, 128)}[sys.argv[1]]()
