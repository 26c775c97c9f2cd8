# SPDX-License-Identifier: MIT
"""PyTorch's softmax beside this lab's steps, on one card in one run, as JSON (softmax.torch/1).

python3 vendor_torch.py FOLDER [--shapes paper|long|grid] [--repeat N]

FOLDER holds step_<n>.so (build/labs/06_softmax/solution). Needs PyTorch with CUDA. Kernel times are
medians of event times in microseconds with the L2 cache flushed before each call; `total_us` adds the
copies from and to pageable host memory. `copy_us` is torch's copy of the same matrix.
"""
import argparse
import ctypes
import glob
import json
import os
import re
import statistics
import sys
import time

try:
    import torch
except ImportError:
    sys.exit("vendor_torch.py: python3 has no torch")

PAPER = [(m, n) for m in (32, 1024, 2048) for n in (32, 1024, 2048)]
LONG = [
    (262144, 256), (131072, 512), (65536, 1024), (32768, 2048), (32768, 4096), (16384, 8192),
    (8192, 16384), (8192, 32768), (4096, 49152), (2048, 65536), (1024, 131072), (1024, 196608),
    (1024, 262144),
    # sizes that nothing was tuned for
    (1000003, 33), (100003, 100), (300007, 257), (65537, 1023), (40009, 2047), (20011, 3001),
    (16411, 4097), (10007, 6007), (5003, 12007), (3001, 24001), (4001, 40000), (4001, 50257),
    (1801, 75000), (777, 131071), (503, 150001), (333, 250001), (251, 300000), (64, 65536),
    (100, 16384), (256, 4096), (7, 200000),
]
GRID = [(4**i, 2**j) for i in range(9) for j in range(3, 19) if 4**i * 2**j <= 1 << 26]


class Timer:
    def __init__(self, repeat):
        self.repeat = repeat
        self.flush = torch.empty(64 << 20, device="cuda")

    def __call__(self, call):
        call()
        times = []
        for i in range(self.repeat):
            self.flush.fill_(float(i))
            begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
            begin.record()
            call()
            end.record()
            end.synchronize()
            times.append(begin.elapsed_time(end) * 1e3)
        return round(statistics.median(times), 3)


def load_steps(folder):
    steps = {}
    for path in glob.glob(os.path.join(folder, "step_*.so")):
        number = int(re.search(r"step_(\d+)\.so$", path).group(1))
        step = ctypes.CDLL(os.path.abspath(path))[f"softmax_step{number}"]
        step.argtypes = [ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64, ctypes.c_void_p]
        steps[number] = step
    return dict(sorted(steps.items()))


def total_us(host_in, host_out, x, y, call, repeat):
    times = []
    for _ in range(repeat + 1):
        torch.cuda.synchronize()
        begin = time.perf_counter()
        x.copy_(host_in)
        call()
        host_out.copy_(y)
        torch.cuda.synchronize()
        times.append((time.perf_counter() - begin) * 1e6)
    return round(statistics.median(times[1:]), 3)


def measure(steps, m, n, timer, with_totals, compiled):
    x = torch.rand(m, n, device="cuda") * 16 - 8
    y = torch.empty_like(x)
    want = torch.softmax(x, -1)
    row = {"rows": m, "columns": n, "copy_us": timer(lambda: y.copy_(x)),
           "torch_us": timer(lambda: torch.softmax(x, -1, out=y)), "steps": []}
    if compiled:
        row["compiled_us"] = timer(lambda: compiled(x))
    if with_totals:
        host_in, host_out = x.cpu(), y.cpu()
        row["torch_total_us"] = total_us(host_in, host_out, x, y,
                                         lambda: torch.softmax(x, -1, out=y), timer.repeat)
    for number, step in steps.items():
        if number == 0 and (m * n > 1 << 23 or n > 4096) or number < 7 and m * n > 1 << 26:
            continue  # seconds per call

        def call():
            code = step(x.data_ptr(), m, n, y.data_ptr())
            if code != 0:
                raise RuntimeError(f"step {number} on {m} x {n}: error {code}")

        y.fill_(float("nan"))
        entry = {"step": number, "us": timer(call)}
        entry["max_error"] = float((y - want).abs().max())
        if with_totals:
            entry["total_us"] = total_us(host_in, host_out, x, y, call, timer.repeat)
        row["steps"].append(entry)
    return row


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder")
    parser.add_argument("--shapes", choices=("paper", "long", "grid"), default="paper")
    parser.add_argument("--steps", type=int, nargs="*")
    parser.add_argument("--repeat", type=int, default=11)
    parser.add_argument("--compiled", action="store_true", help="torch.compile, too")
    arguments = parser.parse_args()
    shapes = {"paper": PAPER, "long": LONG, "grid": GRID}[arguments.shapes]
    steps = load_steps(arguments.folder)
    if arguments.steps:
        steps = {number: steps[number] for number in arguments.steps}
    timer = Timer(arguments.repeat)
    compiled = None
    if arguments.compiled:
        torch._dynamo.config.recompile_limit = len(shapes) + 1
        compiled = torch.compile(lambda x: torch.softmax(x, -1), dynamic=False)
    report = {"schema": "softmax.torch/1", "device": torch.cuda.get_device_name(),
              "torch": torch.__version__, "shapes": []}
    for m, n in shapes:
        report["shapes"].append(measure(steps, m, n, timer, arguments.shapes == "paper",
                                        compiled))
    # one line per shape: readable, and small
    lines = ",\n".join("  " + json.dumps(row) for row in report.pop("shapes"))
    print(json.dumps(report)[:-1] + ', "shapes": [\n' + lines + "\n]}")


main()
