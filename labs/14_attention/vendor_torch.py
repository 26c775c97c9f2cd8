"""cuDNN's attention and PyTorch's own ("flash") beside this lab's steps; see common/lab/torch_bench.py.
The CUDA toolkit has no attention, so there is no vendor.cu: cuDNN is called through PyTorch, in one run with the steps.

python3 labs/14_attention/vendor_torch.py build/labs/14_attention/solution [--group full causal]
"""
import ctypes
import math
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../common/lab"))
sys.dont_write_bytecode = True  # the kit's folders stay as they are
from torch_bench import Case, main, torch
from torch.nn.attention import SDPBackend, sdpa_kernel

# heads, queries, keys, width, causal. 16,384 rows of 16 or 32 heads together, as one long text or many short ones.
LENGTHS = [512, 1024, 2048, 4096, 8192, 16384]
GROUPS = {
    "full": [(16 * 16384 // n, n, n, 128, 0) for n in LENGTHS],
    "causal": [(16 * 16384 // n, n, n, 128, 1) for n in LENGTHS],
    "width 64": [(32 * 16384 // n, n, n, 64, 0) for n in LENGTHS],
    "width 64, causal": [(32 * 16384 // n, n, n, 64, 1) for n in LENGTHS],
    # nothing was tuned for these
    "odd": [(96, 1023, 1023, 128, 0), (96, 1025, 1025, 128, 1), (40, 3001, 3001, 128, 0), (40, 3001, 3001, 64, 1),
            (33, 777, 5003, 128, 0), (256, 1, 16384, 128, 0), (16, 1, 16384, 128, 0), (16, 100, 100, 64, 0),
            (4, 4096, 4096, 128, 1)],
    # the 8 queries of each head are one query of 8 heads that share their keys: so the library takes them, too
    "grouped": [(8, 8, 16384, 128, 0), (64, 8, 16384, 128, 0), (64, 8, 4001, 128, 0), (64, 8, 4001, 64, 0)],
}


class Boxes(ctypes.Structure):  # attention_boxes of attention.h
    _fields_ = [("d_first", ctypes.c_void_p), ("heads", ctypes.c_int64), ("rows", ctypes.c_int64),
                ("width", ctypes.c_int), ("box_rows", ctypes.c_int)]


DESCRIBE = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(Boxes), ctypes.c_void_p)


class Task(ctypes.Structure):  # attention_task
    _fields_ = [("heads", ctypes.c_int64), ("queries", ctypes.c_int64), ("keys", ctypes.c_int64),
                ("width", ctypes.c_int), ("causal", ctypes.c_int), ("d_q", ctypes.c_void_p), ("d_k", ctypes.c_void_p),
                ("d_v", ctypes.c_void_p), ("d_o", ctypes.c_void_p), ("describe", DESCRIBE),
                ("d_workspace", ctypes.c_void_p)]


DRIVER = ctypes.CDLL("libcuda.so.1")


def encode(boxes, out_map):
    """As describe() of call.c: half, three dimensions, boxes of 64 columns, swizzled by 128 bytes."""
    b = boxes.contents
    sides = (ctypes.c_uint64 * 3)(b.width, b.rows, b.heads)
    pitches = (ctypes.c_uint64 * 2)(b.width * 2, b.width * b.rows * 2)
    box, every = (ctypes.c_uint32 * 3)(64, b.box_rows, 1), (ctypes.c_uint32 * 3)(1, 1, 1)
    half, none, swizzle, promotion = 6, 0, 3, 3  # of cuda.h
    failed = DRIVER.cuTensorMapEncodeTiled(
        ctypes.c_void_p(out_map), half, 3, ctypes.c_void_p(b.d_first), sides, pitches, box, every, none, swizzle,
        promotion, none)
    return 1 if failed else 0


def make_case(shape, compiled):
    heads, queries, keys, width, causal = shape
    inner = math.gcd(heads, 16)  # heads of a text: the library wants them apart from texts

    def random(rows):
        return torch.randn(heads // inner, inner, rows, width, device="cuda", dtype=torch.half)

    q, k, v = random(queries), random(keys), random(keys)
    o = torch.empty_like(q)
    scores = min(heads, max(1, 2**28 // (queries * keys))) * queries * keys
    workspace = torch.empty(max(scores, 64), device="cuda")
    task = Task(heads, queries, keys, width, causal, q.data_ptr(), k.data_ptr(), v.data_ptr(), o.data_ptr(),
                DESCRIBE(encode), workspace.data_ptr())
    seen = queries * (queries + 1) // 2 if causal else queries * keys  # pairs; causal here: queries == keys

    shared_by = 8 if queries == 8 else 1
    rows = q.view(heads // inner, inner * shared_by, queries // shared_by, width)

    def library(backend):
        def call():
            with sdpa_kernel(backend):
                return torch.nn.functional.scaled_dot_product_attention(
                    rows, k, v, is_causal=bool(causal), enable_gqa=shared_by > 1)
        return call

    cudnn = library(SDPBackend.CUDNN_ATTENTION)
    return Case(
        q, o, 2 * (q.nbytes + k.nbytes), cudnn, None,
        call=lambda step: step(ctypes.byref(task)),
        want=cudnn().view_as(q),
        # seconds per call: no tensor cores
        skips=lambda number: number < 3 and heads * seen > 1 << 28,
        ops=4 * heads * seen * width, others={"flash": library(SDPBackend.FLASH_ATTENTION)})


main("attention", "attention", [ctypes.c_void_p], GROUPS, make_case)
