#!/bin/sh
# torchao 0.18.0, weights in NVFP4 (blocks of 16 with a scale of float8): to_nvfp4 has no scale of the tensor unless one is given,
# and a block's scale goes from 1/64 to 448. So numbers above 2,688 become 2,688, 0.004 becomes 0.0078, and a block of numbers
# below 0.0039 becomes zeros, as weights of trained layers often are, without a word. With per_tensor_scale all of them are right.
# Expected before it was run: blocks of 10,000 and of 0.002 come back within a quarter, since each block has a scale.
. "$(dirname "$0")/common.sh"
packages torch==2.13.0 torchao==0.18.0 numpy==2.4.6
cat >"$work/blocks.py" <<'PY'
import torch
from torchao.prototype.mx_formats.nvfp4_tensor import NVFP4Tensor, per_tensor_amax_to_scale
for values in ((10000.0, 3000.0), (0.004, 0.002)):
    x = torch.tensor(values).repeat_interleave(32).reshape(2, 32)
    scale = per_tensor_amax_to_scale(x.abs().max())
    for name, q in ("alone", NVFP4Tensor.to_nvfp4(x)), ("with scale", NVFP4Tensor.to_nvfp4(x, per_tensor_scale=scale)):
        print(*values, name + ":", *[round(v, 4) for v in q.dequantize(torch.float32)[:, 0].tolist()])
PY
same "blocks" "$("$python" "$work/blocks.py" 2>/dev/null)" "10000.0 3000.0 alone: 2688.0 2688.0
10000.0 3000.0 with scale: 10000.0 2857.1431
0.004 0.002 alone: 0.0078 0.0
0.004 0.002 with scale: 0.004 0.002"
