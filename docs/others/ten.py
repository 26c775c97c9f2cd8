"""The ten programs of docs/others.md for Numba's simulator: says of each what that says.

pip install numba==0.68.1 && NUMBA_ENABLE_CUDASIM=1 python3 docs/others/ten.py
"""
import os

os.environ["NUMBA_ENABLE_CUDASIM"] = "1"
import numpy as np  # noqa: E402
from numba import cuda, int32  # noqa: E402

THREADS, BLOCKS = 128, 4
COUNT = THREADS * BLOCKS


def make(count):
    return cuda.to_device(np.zeros(count, np.int32))


@cuda.jit
def add_blocks(total):
    total[0] += cuda.blockIdx.x


def global_race():
    add_blocks[2, 1](make(1))


@cuda.jit
def mirror(y):
    tile = cuda.shared.array(THREADS, int32)
    t = cuda.threadIdx.x
    tile[t] = t
    y[t] = tile[THREADS - 1 - t]


def shared_race():
    mirror[1, THREADS](make(THREADS))


@cuda.jit
def copy(x, y):
    y[cuda.threadIdx.x] = x[cuda.threadIdx.x] + 1


def global_unset():
    copy[1, THREADS](cuda.device_array(THREADS, np.int32), make(THREADS))


@cuda.jit
def all_but_one(y):
    tile = cuda.shared.array(THREADS, int32)
    t = cuda.threadIdx.x
    if t > 0:
        tile[t] = 1
    cuda.syncthreads()
    y[t] = tile[t]


def shared_unset():
    all_but_one[1, THREADS](make(THREADS))


@cuda.jit
def number(y, n):
    i = cuda.grid(1)
    if i <= n:
        y[i] = i


def off_by_one():
    number[BLOCKS, THREADS](make(COUNT - 1), COUNT - 1)


@cuda.jit
def halves(y):
    if cuda.threadIdx.x < THREADS // 2:
        y[cuda.threadIdx.x] = 1
        cuda.syncthreads()
    else:
        y[cuda.threadIdx.x] = 2
        cuda.syncthreads()


def two_barriers():
    halves[1, THREADS](make(THREADS))


@cuda.jit
def fill(y, value):
    y[cuda.grid(1)] = value


def read_before_wait():
    d_y, h_y, stream = make(COUNT), cuda.pinned_array(COUNT, np.int32), cuda.stream()
    fill[BLOCKS, THREADS, stream](d_y, 7)
    d_y.copy_to_host(h_y, stream)
    h_y[COUNT - 1] += 0  # the host reads
    stream.synchronize()


@cuda.jit
def publish(y):
    if cuda.blockIdx.x == 0:
        y[0] = 42
        cuda.threadfence_block()
        y[1] = 1
    else:
        tries = 0
        while tries < 1000 and y[1] == 0:
            tries += 1
        cuda.threadfence_block()
        y[2] = y[0]


def narrow_fence():
    publish[2, 1](make(3))


def stream_race():
    d_x, first, second = make(COUNT), cuda.stream(), cuda.stream()
    fill[BLOCKS, THREADS, first](d_x, 7)
    copy[1, THREADS, second](d_x, make(THREADS))
    cuda.synchronize()


@cuda.jit
def shuffle(y):
    value = cuda.threadIdx.x
    if cuda.threadIdx.x % 32 < 16:
        value += cuda.shfl_down_sync(0xFFFF, value, 8)
    y[cuda.threadIdx.x] = value


def absent_lane():
    shuffle[1, 32](make(32))


for program in (global_race, shared_race, global_unset, shared_unset, off_by_one, two_barriers,
                read_before_wait, narrow_fence, stream_race, absent_lane):
    said = "nothing"
    try:
        program()
    except Exception as error:  # whatever it is, it is what the simulator says
        said = f"{type(error).__name__}: {error}"
    print(f"{program.__name__}: {said}")
