#!/bin/sh
# gguf 0.19.0 (weights in blocks of 32 with one scale, as language models on GPUs use them): the scale of Q4_0 is the element
# of largest magnitude, with its sign, over -8. That element is exact, one of the same size and the other sign is off by a whole
# step: of 1 and -1 the first keeps its value and the second becomes -0.875 or 0.875. So which weight is wrong by 12.5 % depends on
# their order. Q5_0 likewise by 6 %; Q8_0 is symmetric.
# Expected before it was run: each element within half a step, whatever the order.
. "$(dirname "$0")/common.sh"
packages gguf==0.19.0 numpy==2.4.6
cat >"$work/blocks.py" <<'PY'
import numpy as np
from gguf import GGMLQuantizationType as kind, quants
for name in ("Q4_0", "Q5_0", "Q8_0"):
    for first in (1, -1):
        block = np.array([first, -first] + [0] * 30, np.float32)
        back = quants.dequantize(quants.quantize(block, kind[name]), kind[name])
        print(name, *block[:2], "->", *np.round(back[:2], 4))
PY
same "blocks" "$("$python" "$work/blocks.py")" "Q4_0 1.0 -1.0 -> 1.0 -0.875
Q4_0 -1.0 1.0 -> -1.0 0.875
Q5_0 1.0 -1.0 -> 1.0 -0.9375
Q5_0 -1.0 1.0 -> -1.0 0.9375
Q8_0 1.0 -1.0 -> 0.9999 -0.9999
Q8_0 -1.0 1.0 -> -0.9999 0.9999"
