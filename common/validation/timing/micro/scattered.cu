// Single words at random places, behind an L2 full of what others have written: stores, atomics,
// and how long a stream takes of which each thread has one load in flight.
#include "micro.h"

enum { THREADS = 256, PER_SM = 8 };

// The place of access i of this thread: any word of run.bytes, a power of 2.
static __device__ uint32_t *place(const micro_run &run, uint32_t i) {
    uint32_t hash = (i * gridDim.x + blockIdx.x) * blockDim.x + threadIdx.x;
    hash = (hash ^ (hash >> 16)) * 0x7FEB352Du;
    hash = (hash ^ (hash >> 15)) * 0x846CA68Bu;
    return (uint32_t *)run.data + ((hash ^ (hash >> 16)) & (run.bytes / 4 - 1));
}

// run.rounds accesses per thread.
#define SCATTERED(name, access)                                                                    \
    static __global__ void name(micro_run run) {                                                   \
        uint32_t sum = 0;                                                                          \
        for (int i = 0; i < run.rounds; i++) {                                                     \
            uint32_t *at = place(run, i);                                                          \
            access;                                                                                \
        }                                                                                          \
        if (sum == 0x12345678u) *run.out = sum;                                                    \
    }
SCATTERED(stores, *at = run.seed)
SCATTERED(reds, atomicAdd(at, run.seed))
SCATTERED(atoms, sum += atomicAdd(at, run.seed) & run.seed)
SCATTERED(swaps, sum += atomicCAS(at, 0x12345u, run.seed))
SCATTERED(loads, sum += __ldcg(at))

static const struct {
    const char *name;
    micro_kernel *kernel;
} accesses[] = {
    {"stores", stores}, {"reds", reds}, {"atoms", atoms}, {"swaps", swaps}, {"loads", loads},
};

// A word per access, `rounds` of 8 blocks per SM.
static void scattered(void) {
    for (size_t a = 0; a < sizeof accesses / sizeof accesses[0]; a++) {
        for (int mib : {2, 8, 32, 128}) {
            for (int rounds = 1; rounds <= 8; rounds *= 8) {
                micro_run run = micro_default;
                run.bytes = (uint64_t)mib << 20;
                run.rounds = rounds;
                micro_row(
                    micro_us_after(micro_flush_written, accesses[a].kernel, PER_SM * micro_sms,
                                   THREADS, run),
                    "us",
                    "all SMs with 64 warps, words of that many MiB after 256 MiB of other data",
                    "first_scattered_%s_%d_mib_%d_per_thread", accesses[a].name, mib, rounds);
            }
        }
    }
}

// A word per thread in one row after another of all threads; one in flight.
static __global__ void one_by_one(micro_run run) {
    const uint32_t *in = (const uint32_t *)run.data;
    const uint64_t count = run.bytes / 4, stride = (uint64_t)gridDim.x * blockDim.x;
    uint32_t sum = run.zero;
#pragma unroll 1
    for (uint64_t at = blockIdx.x * (uint64_t)blockDim.x + threadIdx.x; at < count; at += stride) {
        sum += __ldcg(in + at + sum);
        sum &= run.zero;
    }
    if (sum) *run.out = sum;
}

static void streams(void) {
    for (int mib : {4, 16, 32, 64}) {
        for (int blocks = 2; blocks <= PER_SM; blocks *= 2) {
            micro_run run = micro_default;
            run.bytes = (uint64_t)mib << 20;
            micro_row(
                micro_us_after(micro_flush_written, one_by_one, blocks * micro_sms, THREADS, run),
                "us",
                "that many MiB, one word in flight per thread, 8 warps per block, after "
                "256 MiB of other data",
                "first_one_by_one_%d_blocks_%d_mib", blocks, mib);
            micro_row(micro_us_after(NULL, one_by_one, blocks * micro_sms, THREADS, run), "us",
                      "the same again", "again_one_by_one_%d_blocks_%d_mib", blocks, mib);
        }
    }
}

void micro_scattered(void) {
    CHECK(cudaMemset(micro_default.data, 0, micro_bytes));
    scattered();
    streams();
}
