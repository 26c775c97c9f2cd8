"""PyTorch's softmax beside this lab's steps; see common/lab/torch_bench.py.

python3 labs/06_softmax/vendor_torch.py build/labs/06_softmax/solution [--group report large winners] [--compiled]
"""
import ctypes
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../common/lab"))
sys.dont_write_bytecode = True  # the kit's folders stay as they are
from torch_bench import Case, main, torch

GROUPS = {
    # the nine shapes of the report
    "report": [(m, n) for m in (32, 1024, 2048) for n in (32, 1024, 2048)],
    "large": [
        (262144, 256), (131072, 512), (65536, 1024), (32768, 2048), (32768, 4096), (16384, 8192), (8192, 16384),
        (8192, 32768), (4096, 49152), (2048, 65536), (1024, 131072), (1024, 196608), (1024, 262144),
    ],
    # nothing was tuned for these
    "odd": [
        (1000003, 33), (100003, 100), (300007, 257), (65537, 1023), (40009, 2047), (20011, 3001), (16411, 4097),
        (10007, 6007), (5003, 12007), (3001, 24001), (4001, 40000), (4001, 50257), (1801, 75000), (777, 131071),
        (503, 150001), (333, 250001), (251, 300000), (256, 4096), (100, 16384), (64, 65536), (7, 200000),
    ],
    # for the map of the fastest step: powers of 4 by powers of 2
    "winners": [(4**i, 2**j) for i in range(9) for j in range(3, 19) if 4**i * 2**j <= 1 << 26],
}


def softmax(x):
    return torch.softmax(x, -1)


def make_case(shape, compiled):
    m, n = shape
    x = torch.rand(m, n, device="cuda") * 16 - 8
    y = torch.empty_like(x)
    graph = compiled(softmax) if compiled else None
    return Case(
        x, y, 2 * x.nbytes,
        torch_call=lambda: torch.softmax(x, -1, out=y),
        compiled=graph and (lambda: graph(x)),
        call=lambda step: step(x.data_ptr(), m, n, y.data_ptr()),
        want=softmax(x),
        # seconds per call: one thread per row, and few lanes per long row
        skips=lambda number: number == 0 and (m * n > 1 << 23 or n > 4096) or number < 7 and m * n > 1 << 26)


main("softmax", "softmax", [ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64, ctypes.c_void_p], GROUPS, make_case,
     totals=("report",), on_request=("winners",), only={"large": (8, 9, 10), "odd": (8, 9, 10)})
