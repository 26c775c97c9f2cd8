#!/bin/sh
# nvidia-cutlass 4.2.0.0, its pycute (layouts of CuTe in Python, as one tries out tiles of tensor cores): the composition of two layouts has as many
# elements as the second, and takes each to where both together take it. Where the second has 5 elements and runs over a mode of 4 in steps
# of 2, the result has 4: the last one is gone, without a word, although the function asserts that steps divide.
# Expected before it was run: the assertion fails.
. "$(dirname "$0")/common.sh"
packages nvidia-cutlass==4.2.0.0
same "compositions" "$("$python" - <<'PY'
from pycute import Layout, composition, size

for second in Layout(6, 2), Layout(5, 2):
    first = Layout((4, 3), (1, 8))
    both = composition(first, second)
    print(f"{first} of {second} is {both}:", [both(i) for i in range(size(both))], "not" if size(both) != size(second) else "as", [first(second(i)) for i in range(size(second))])
PY
)" "(4, 3):(1, 8) of 6:2 is (2, 3):(2, 8): [0, 2, 8, 10, 16, 18] as [0, 2, 8, 10, 16, 18]
(4, 3):(1, 8) of 5:2 is (2, 2):(2, 8): [0, 2, 8, 10] not [0, 2, 8, 10, 16]"
