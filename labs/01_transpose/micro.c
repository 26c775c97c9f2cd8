// The program of lab 01's micro-ladders (`ladder run transpose --micro`): patterns of access as
// data.
#include "reference.h"

#include "program.h"

// 32 MiB of wanted bytes keep a GPU busy for longer than a launch takes; the simulator, which is
// slower, gets a quarter: counts a request do not depend on the size.
static int global_blocks(const kl_device *device) {
    return device->simulated ? 1 << 13 : 1 << 15;
}

static int shared_blocks(const kl_device *device) {
    return device->multiprocessors * (device->simulated ? 1 : 8);
}

static int call_stride(const kl_micro *m, int stride) {
    return micro_global(m->d_x, stride, 0, global_blocks(&m->device), m->d_sink);
}

static int call_offset(const kl_micro *m, int offset) {
    return micro_global(m->d_x, 1, offset, global_blocks(&m->device), m->d_sink);
}

static int call_shared(const kl_micro *m, int stride) {
    return micro_shared(stride, shared_blocks(&m->device), m->d_sink);
}

static double global_bytes(const kl_micro *m, int value) {
    (void)value;
    return 4.0 * MICRO_THREADS * global_blocks(&m->device);
}

static double shared_bytes(const kl_micro *m, int value) {
    (void)value;
    return 4.0 * MICRO_THREADS * MICRO_SHARED_LOADS * shared_blocks(&m->device);
}

static size_t input_bytes(const kl_device *device) {
    return sizeof(float) * MICRO_THREADS * (size_t)global_blocks(device) * MICRO_MOST_STRIDE;
}

#define SECTORS    "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"
#define REQUESTS   "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"
#define WAVEFRONTS "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"

static const kl_micro_sweep sweeps[] = {
    {"global_stride", "global memory: lane l reads x[l * stride]", "stride", 1, 32, NULL,
     "sectors/request", SECTORS, REQUESTS, 1, call_stride, global_bytes},
    {"global_offset", "global memory: lane l reads x[l + offset]", "offset", 0, 31, NULL,
     "sectors/request", SECTORS, REQUESTS, 1, call_offset, global_bytes},
    {"shared_stride", "shared memory: lane l reads word l * stride + k", "stride", 1, 33, NULL,
     "wavefronts/request", WAVEFRONTS, "sim__shared_ld_requests.sum", 1, call_shared, shared_bytes},
};

int main(int argc, char **argv) {
    static const kl_micro_lab lab = {"transpose", "01_transpose", sweeps,
                                     sizeof sweeps / sizeof sweeps[0], input_bytes};
    return kl_micro_main(argc, argv, &lab);
}
