"""PyTorch beside this lab's last step: the same network, data and initial weights, on one card in one run.

python3 vendor_torch.py FOLDER DATA [--epochs N] [--widths A,B,C] [--rates] [--json FILE]

FOLDER holds step_10.so (build/labs/09_cnn/solution), DATA the four files of Fashion-MNIST as Debian's
package has them (idx, .gz). Needs PyTorch with CUDA. All images lie on the device as floats. Time per
epoch is that of the training alone: PyTorch gets each epoch's images already in order, this lab's kernels
gather them. PyTorch runs eager, as a CUDA graph of the whole step, and compiled in a CUDA graph; with TF32
off and on, cudnn.benchmark on. Medians over the epochs behind the first.
"""
import argparse
import ctypes as C
import gzip
import json
import os
import statistics
import sys
import time

try:
    import torch
    import torch.nn.functional as F
except ImportError:
    sys.exit("vendor_torch.py: python3 has no torch")

P, I64, FLOAT = C.c_void_p, C.c_int64, C.c_float
CNN_TRAIN, CNN_PARTS, CLASSES, TAPS = 11, 64, 10, 25


class Training(C.Structure):
    _fields_ = ([(n, I64) for n in ("channels", "side", "filters1", "filters2", "hidden", "batch",
                                    "batches", "count")] +
                [(n, P) for n in ("images", "labels", "order")] + [("rate", FLOAT), ("momentum", FLOAT)] +
                [(n, P) for n in ("w_in", "v_in", "w", "v", "losses", "prepared", "plan")])


class Task(C.Structure):
    _fields_ = ([("op", C.c_int), ("shape", I64 * 5), ("pointers", P * 13), ("rate", FLOAT),
                 ("momentum", FLOAT), ("training", C.POINTER(Training)), ("workspace", P)])


def read_idx(path, device):
    data = gzip.open(path, "rb").read()
    dims = [int.from_bytes(data[4 + 4 * i:8 + 4 * i], "big") for i in range(data[3])]
    return torch.frombuffer(bytearray(data[4 + 4 * len(dims):]), dtype=torch.uint8).reshape(dims).to(device)


def load(folder):
    images = [read_idx(os.path.join(folder, f"{k}-images-idx3-ubyte.gz"), "cuda") for k in ("train", "t10k")]
    labels = [read_idx(os.path.join(folder, f"{k}-labels-idx1-ubyte.gz"), "cuda") for k in ("train", "t10k")]
    x = [i.float().div(255).unsqueeze(1) for i in images]
    mean, std = x[0].mean(), x[0].std()
    x = [((i - mean) / std).contiguous() for i in x]
    return x[0], labels[0].long(), x[1], labels[1].long()


def network(widths, seed):
    f1, f2, hidden = widths
    torch.manual_seed(seed)
    return torch.nn.Sequential(
        torch.nn.Conv2d(1, f1, 5), torch.nn.ReLU(), torch.nn.MaxPool2d(2),
        torch.nn.Conv2d(f1, f2, 5), torch.nn.ReLU(), torch.nn.MaxPool2d(2), torch.nn.Flatten(),
        torch.nn.Linear(16 * f2, hidden), torch.nn.ReLU(), torch.nn.Linear(hidden, CLASSES)).cuda()


def parameters_of(net):
    """In this lab's order; the weights of fully connected layers are [inputs][outputs] here."""
    return torch.cat([(p.t() if p.dim() == 2 else p).reshape(-1) for p in net.parameters()]).detach().clone()


def put_parameters(net, flat):
    at = 0
    with torch.no_grad():
        for p in net.parameters():
            part = flat[at:at + p.numel()]
            p.copy_(part.reshape(p.shape[1], p.shape[0]).t() if p.dim() == 2 else part.reshape(p.shape))
            at += p.numel()


def accuracy(net, x, y):
    with torch.no_grad():
        right = sum((net(x[i:i + 2000]).argmax(1) == y[i:i + 2000]).sum() for i in range(0, len(x), 2000))
    return float(right) / len(x)


def rate_at(rate, epoch, epochs):
    return rate * (1 - epoch / epochs)  # falls linearly


class Ours:
    def __init__(self, library, net, widths, x, y, batch):
        self.step, self.prepare = library.cnn_step10, library.cnn_prepare10
        self.w = parameters_of(net)
        self.v = torch.zeros_like(self.w)
        self.w_out, self.v_out = torch.empty_like(self.w), torch.empty_like(self.w)
        self.labels = y.int()
        batches = len(x) // batch
        self.order = torch.zeros(batches * batch, dtype=torch.int32, device="cuda")
        self.losses = torch.zeros(batches * batch, device="cuda")
        f1, f2, hidden = widths
        image = 4 * f1 * 144 + 4 * 16 * f2 + 4 * hidden + 4 * CLASSES + 64
        size = 4 * (batch * image + (CNN_PARTS + 4) * len(self.w)) + 65536
        self.memory = torch.zeros(size, dtype=torch.uint8, device="cuda")
        self.plan = C.create_string_buffer(256)
        self.t = Training(1, 28, f1, f2, hidden, batch, batches, len(x), x.data_ptr(),
                          self.labels.data_ptr(), self.order.data_ptr(), 0.0, 0.9, None, None, None, None,
                          None, self.memory.data_ptr(), C.cast(self.plan, P))
        self.x = x
        self.task = Task(op=CNN_TRAIN, training=C.pointer(self.t))
        self.check(self.prepare(C.byref(self.task)))
        t = self.t
        t.w_in, t.v_in, t.w, t.v = (a.data_ptr() for a in (self.w, self.v, self.w_out, self.v_out))
        t.losses = self.losses.data_ptr()

    @staticmethod
    def check(code):
        if code != 0:
            raise RuntimeError(f"step 10: error {code}")

    def epoch(self, order, rate):
        self.order.copy_(order[:len(self.order)])
        self.t.rate = rate
        torch.cuda.synchronize()
        begin = time.perf_counter()
        self.check(self.step(C.byref(self.task)))
        torch.cuda.synchronize()
        seconds = time.perf_counter() - begin
        self.w.copy_(self.w_out)
        self.v.copy_(self.v_out)
        return seconds


class Torch:
    def __init__(self, net, x, y, batch, mode):
        self.net, self.x, self.y, self.batch, self.mode = net, x, y, batch, mode
        # in a graph the learning rate must lie on the device; the fused optimiser reads it there
        options = {"lr": 0.0} if mode == "eager" else {"lr": torch.tensor(0.0, device="cuda"), "fused": True}
        self.optimiser = torch.optim.SGD(net.parameters(), momentum=0.9, **options)
        self.model = torch.compile(net) if mode == "compiled" else net
        self.graph = None
        if mode != "eager":
            self.static_x = x[:batch].clone()
            self.static_y = y[:batch].clone()
            before = [p.detach().clone() for p in net.parameters()]
            side = torch.cuda.Stream()
            side.wait_stream(torch.cuda.current_stream())
            with torch.cuda.stream(side):
                for _ in range(3):
                    self.one(self.static_x, self.static_y)
            torch.cuda.current_stream().wait_stream(side)
            self.graph = torch.cuda.CUDAGraph()
            self.optimiser.zero_grad(set_to_none=True)
            with torch.cuda.graph(self.graph):
                self.one(self.static_x, self.static_y)
            with torch.no_grad():
                for p, old in zip(net.parameters(), before):
                    p.copy_(old)
                    self.optimiser.state[p]["momentum_buffer"].zero_()

    def one(self, x, y):
        self.optimiser.zero_grad(set_to_none=True)
        loss = F.cross_entropy(self.model(x), y)
        loss.backward()
        self.optimiser.step()
        return loss

    def epoch(self, order, rate):
        x, y = self.x[order], self.y[order]
        for group in self.optimiser.param_groups:
            if self.mode == "eager":
                group["lr"] = rate
            else:
                group["lr"].fill_(rate)
        torch.cuda.synchronize()
        begin = time.perf_counter()
        for i in range(0, len(x) - self.batch + 1, self.batch):
            if self.graph is None:
                self.one(x[i:i + self.batch], y[i:i + self.batch])
            else:
                self.static_x.copy_(x[i:i + self.batch])
                self.static_y.copy_(y[i:i + self.batch])
                self.graph.replay()
        torch.cuda.synchronize()
        return time.perf_counter() - begin


def train(trainer, net, x, y, xt, yt, epochs, rate, each=False):
    generator = torch.Generator(device="cuda").manual_seed(1)
    seconds, curve = [], []
    for e in range(epochs):
        order = torch.randperm(len(x), generator=generator, device="cuda")
        seconds.append(trainer.epoch(order, rate_at(rate, e, epochs)))
        if isinstance(trainer, Ours) and (each or e == epochs - 1):
            put_parameters(net, trainer.w)
        if each or e == epochs - 1:
            curve.append(round(accuracy(net, xt, yt), 4))
    return {"epoch_s": round(statistics.median(seconds[1:] or seconds), 5), "total_s": round(sum(seconds), 4),
            "accuracy": curve[-1], "curve": curve}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder")
    parser.add_argument("data")
    parser.add_argument("--epochs", type=int, default=10)
    parser.add_argument("--widths", default="16,32,128")
    parser.add_argument("--timed", type=int, default=4, help="epochs of each of PyTorch's ways")
    parser.add_argument("--rates", action="store_true", help="accuracy of several widths and rates")
    parser.add_argument("--json")
    a = parser.parse_args()
    library = C.CDLL(os.path.abspath(os.path.join(a.folder, "step_10.so")))
    x, y, xt, yt = load(a.data)
    torch.backends.cudnn.benchmark = True
    report = {"schema": "cnn.torch/1", "device": torch.cuda.get_device_name(), "torch": torch.__version__,
              "widths": a.widths, "rows": []}
    widths = tuple(int(w) for w in a.widths.split(","))

    def row(**values):
        report["rows"].append(values)
        print(json.dumps(values), flush=True)

    for batch, rate in ((64, 0.02), (512, 0.1)):
        net = network(widths, 0)
        result = train(Ours(library, net, widths, x, y, batch), net, x, y, xt, yt, a.epochs, rate, True)
        row(way="this lab", tf32=False, batch=batch, rate=rate, **result)
        for tf32 in (False, True) if a.timed > 0 else ():
            torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = tf32
            for way in ("eager", "graph", "compiled"):
                net = network(widths, 0)
                epochs = a.epochs if way == "eager" and not tf32 else a.timed
                try:
                    row(way=way, tf32=tf32, batch=batch, rate=rate,
                        **train(Torch(net, x, y, batch, way), net, x, y, xt, yt, epochs, rate))
                except Exception as error:
                    row(way=way, tf32=tf32, batch=batch, failed=str(error)[:300])
    if a.rates:
        for widths in ((8, 16, 64), (16, 32, 128), (32, 64, 256)):
            for batch, rates in ((64, (0.02, 0.05, 0.1)), (512, (0.1, 0.2, 0.4))):
                for rate in rates:
                    net = network(widths, 0)
                    row(way="this lab", widths=widths, batch=batch, rate=rate,
                        **train(Ours(library, net, widths, x, y, batch), net, x, y, xt, yt, a.epochs, rate,
                                True))
    if a.json:
        lines = ",\n".join("  " + json.dumps(r) for r in report.pop("rows"))
        with open(a.json, "w") as out:
            out.write(json.dumps(report)[:-1] + ', "rows": [\n' + lines + "\n]}\n")


main()
