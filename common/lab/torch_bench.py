"""PyTorch beside the steps of a lab, on one card in one run: what labs/*/vendor_torch.py share.

A lab's vendor_torch.py says which shapes there are and how PyTorch and a step are called on one; main() does the
rest. `ladder bench LAB` runs the file where python3 has PyTorch and a GPU. The result is a file of schema
ladder.torch/1. It must not know what a lab computes.

Times are medians of event times in microseconds. Before each call the L2 cache is flushed by writing 256 MB, and the
device waits until the host has enqueued the call: the host's time to launch is not part of them. `total_us` is the
host's time of a call with the copies of its input from, and of its output to, pageable host memory.
"""
import argparse
import ctypes
import glob
import json
import math
import os
import re
import statistics
import sys
import time

try:
    import torch
except ImportError:
    sys.exit("python3 has no torch")

NOT_IMPLEMENTED = -1
FLUSH_FLOATS = 64 << 20
DELAY_CYCLES = 1500000  # about 0.8 ms: longer than the host needs to enqueue a call after others (0.3 ms were seen)


class Case:
    """One shape. x, y: the input and the output on the device; nbytes: what must be moved at least; torch and
    compiled: calls without arguments, the latter or None; call(step): calls a step, returns its status; want: y as
    it should be; skips(number): whether a step takes too long here; ops: operations, where a rate is told in those;
    others: {name: call} of what else of PyTorch's is timed."""

    def __init__(self, x, y, nbytes, torch_call, compiled, call, want, skips=lambda number: False, ops=None, others={}):
        self.x, self.y, self.nbytes, self.torch, self.compiled = x, y, nbytes, torch_call, compiled
        self.call, self.want, self.skips, self.ops, self.others = call, want, skips, ops, others


class Timer:
    def __init__(self, repeat):
        self.repeat = repeat
        self.flush = torch.empty(FLUSH_FLOATS, device="cuda")

    def one(self, call, i):
        self.flush.fill_(float(i))
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        torch.cuda._sleep(DELAY_CYCLES)
        begin.record()
        call()
        end.record()
        end.synchronize()
        return begin.elapsed_time(end) * 1e3

    def __call__(self, calls):
        """{name: call} as {name: median}. Each repetition times all of them: a card that grows hot and slow does so for
        all alike."""
        times = {name: [] for name in calls}
        for call in calls.values():
            call()
        for i in range(self.repeat):
            for name, call in calls.items():
                times[name].append(self.one(call, i))
        return {name: round(statistics.median(each), 3) for name, each in times.items()}

    def total(self, case, call):
        host_in, host_out, times = case.x.cpu(), case.y.cpu(), []
        for _ in range(self.repeat + 1):
            torch.cuda.synchronize()
            begin = time.perf_counter()
            case.x.copy_(host_in)
            call()
            host_out.copy_(case.y)
            torch.cuda.synchronize()
            times.append((time.perf_counter() - begin) * 1e6)
        return round(statistics.median(times[1:]), 3)


def load_steps(folder, symbol, argtypes):
    """The steps in FOLDER/step_<n>.so, {number: function}, lowest first."""
    steps = {}
    for path in glob.glob(os.path.join(folder, "step_*.so")):
        number = int(re.search(r"step_(\d+)\.so$", path).group(1))
        steps[number] = ctypes.CDLL(os.path.abspath(path))[f"{symbol}_step{number}"]
        steps[number].argtypes = argtypes
    return dict(sorted(steps.items()))


def check_step(case, step, number):
    """What is known of a step before it is timed; None: it is not written."""
    case.y.fill_(float("nan"))
    status = case.call(step)
    if status == NOT_IMPLEMENTED:
        return None
    if status != 0:
        raise RuntimeError(f"step {number} returned {status}")
    error = float((case.y - case.want).abs().max())
    return {"step": number, "us": 0, "max_error": error if math.isfinite(error) else None}  # JSON has no NaN


def measure(shape, case, steps, timer, with_totals):
    row = {"shape": list(shape), "bytes": case.nbytes}
    calls = {"copy_us": lambda: case.y.copy_(case.x), "torch_us": case.torch}
    if case.compiled:
        calls["compiled_us"] = case.compiled
    for name, call in case.others.items():
        calls[f"{name}_us"] = call
    entries = [check_step(case, step, number) for number, step in steps.items() if not case.skips(number)]
    entries = [entry for entry in entries if entry]
    for entry in entries:
        calls[entry["step"]] = lambda step=steps[entry["step"]]: case.call(step)
    times = timer(calls)
    for entry in entries:
        entry["us"] = times.pop(entry["step"])
    row.update(times)
    if case.ops:
        row["ops"] = case.ops
    if with_totals:
        row["torch_total_us"] = timer.total(case, case.torch)
        for entry in entries:
            entry["total_us"] = timer.total(case, calls[entry["step"]])
    row["steps"] = entries
    return row


def report_line(row):
    """What a terminal shows of a shape: the last step beside PyTorch."""
    if not row["steps"]:
        return "{:>18}  no step is implemented".format(" x ".join(map(str, row["shape"])))
    last = row["steps"][-1]
    rate = row["ops"] / last["us"] / 1e6 if "ops" in row else row["bytes"] / last["us"] / 1e3
    text = "{:>18}  step {:<2} {:9.1f} us {:6.0f} {}  eager {:9.1f} us, {:.2f} x".format(
        " x ".join(map(str, row["shape"])), last["step"], last["us"], rate, "TFLOP/s" if "ops" in row else "GB/s",
        row["torch_us"], row["torch_us"] / last["us"])
    if "compiled_us" in row:
        text += "  compiled {:9.1f} us, {:.2f} x".format(row["compiled_us"], row["compiled_us"] / last["us"])
    return text


def write_json(file, report, groups):
    """One line per shape: readable, and small."""
    named = ",\n".join('"%s": [\n%s\n]' % (name, ",\n".join("  " + json.dumps(row) for row in rows))
                       for name, rows in groups.items())
    with open(file, "w", encoding="utf-8") as out:
        out.write(json.dumps(report)[:-1] + ', "groups": {\n' + named + "\n}}\n")


def main(lab, symbol, argtypes, groups, make_case, totals=(), on_request=(), only={}):
    """groups: {name: shapes}; totals: the groups timed with transfers, too; on_request: those that --group must name;
    only: {group: steps} of those that do without the other steps.
    make_case(shape, compiled) gives a Case; compiled is torch.compile, or None."""
    parser = argparse.ArgumentParser(description=f"PyTorch beside the steps of {lab}, in one run.")
    parser.add_argument("folder", help="of step_<n>.so, e.g. build/labs/LAB/solution")
    parser.add_argument("--group", nargs="*", choices=list(groups), help="which shapes")
    parser.add_argument("--steps", type=int, nargs="*", help="all unless said")
    parser.add_argument("--repeat", type=int, default=11)
    parser.add_argument("--compiled", action="store_true", help="torch.compile, too: a second or two per shape")
    parser.add_argument("--json", metavar="FILE")
    arguments = parser.parse_args()
    if not torch.cuda.is_available():
        sys.exit("torch finds no GPU")
    steps = load_steps(arguments.folder, symbol, argtypes)
    if arguments.steps:
        steps = {number: steps[number] for number in arguments.steps}
    if not steps:
        sys.exit(f"{arguments.folder} has no step_<n>.so")
    compiled = None
    if arguments.compiled:
        torch._dynamo.config.recompile_limit = 1 + sum(map(len, groups.values()))
        compiled = lambda function: torch.compile(function, dynamic=False)
    timer, results = Timer(arguments.repeat), {}
    for name in arguments.group or [name for name in groups if name not in on_request]:
        results[name] = []
        chosen = {number: step for number, step in steps.items() if number in only.get(name, steps)}
        for shape in groups[name]:
            results[name].append(measure(shape, make_case(shape, compiled), chosen, timer, name in totals))
            print(report_line(results[name][-1]), flush=True)
    if arguments.json:
        report = {"schema": "ladder.torch/1", "lab": lab, "kind": "gpu", "device": torch.cuda.get_device_name(),
                  "torch": torch.__version__}
        write_json(arguments.json, report, results)
