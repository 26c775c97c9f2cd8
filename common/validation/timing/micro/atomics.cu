// Atomics on global memory by the number of addresses, with and without a returned value, on one SM
// and on all: what an address, a sector and a request cost the L2.
#include "micro.h"

enum { THREADS = 256, MOST_ADDRESSES = 1 << 20, SPREAD = 32 };

// Where this thread's next atomic goes: one of run.lanes (a power of 2) addresses, run.apart words
// from one to the next. RANDOM 0: neighbouring lanes take neighbouring addresses; 1: any, as in a
// histogram.
template <int RANDOM> static __device__ uint32_t *target(const micro_run &run, uint32_t *hash) {
    if (RANDOM) *hash = (*hash ^ (*hash >> 15)) * 0x85EBCA6Bu + 0x7F4A7C15u;
    return (uint32_t *)run.data + ((RANDOM ? *hash >> 8 : *hash) & (run.lanes - 1)) * run.apart;
}

#define ATOMIC(name, random, returned, text, type, c)                                              \
    static __global__ void name(micro_run run) {                                                   \
        uint32_t hash = blockIdx.x * blockDim.x + threadIdx.x;                                     \
        if (random) hash *= 0x9E3779B9u;                                                           \
        type v = (type)(run.seed + threadIdx.x), sum = 0;                                          \
        long long begin = clock64();                                                               \
        _Pragma("unroll 1") for (int i = 0; i < run.rounds; i++) {                                 \
            type old = 0;                                                                          \
            uint32_t *at = target<random>(run, &hash);                                             \
            if (returned)                                                                          \
                asm volatile("atom.global." text " %0, [%1], %2;"                                  \
                             : "=" c(old)                                                          \
                             : "l"(at), c(v)                                                       \
                             : "memory");                                                          \
            else asm volatile("red.global." text " [%0], %1;" ::"l"(at), c(v) : "memory");         \
            sum += old;                                                                            \
        }                                                                                          \
        long long end = clock64();                                                                 \
        MICRO_DONE(sum);                                                                           \
    }
ATOMIC(red_int, 0, 0, "add.u32", uint32_t, "r")
ATOMIC(red_int_random, 1, 0, "add.u32", uint32_t, "r")
ATOMIC(red_float, 0, 0, "add.f32", float, "f")
ATOMIC(red_float_random, 1, 0, "add.f32", float, "f")
ATOMIC(atom_int, 0, 1, "add.u32", uint32_t, "r")
ATOMIC(atom_int_random, 1, 1, "add.u32", uint32_t, "r")
ATOMIC(atom_float_random, 1, 1, "add.f32", float, "f")
ATOMIC(atom_exch_random, 1, 1, "exch.b32", uint32_t, "r")

// One lane of each warp: a block's result added to one address.
static __global__ void one_lane(micro_run run) {
    uint32_t *at = (uint32_t *)run.data + (blockIdx.x % run.lanes) * run.apart;
    long long begin = clock64();
    if (threadIdx.x % MICRO_WARP == 0)
        for (int i = 0; i < run.rounds; i++)
            asm volatile("red.global.add.f32 [%0], %1;" ::"l"(at), "f"(1.0f) : "memory");
    long long end = clock64();
    MICRO_DONE(0);
}

// run.lanes neighbouring lanes add to one word, the next ones to the word run.apart words on; warps
// go on through run.bytes together.
static __global__ void shared_by_lanes(micro_run run) {
    uint32_t warp = (blockIdx.x * blockDim.x + threadIdx.x) / MICRO_WARP;
    uint32_t warps = gridDim.x * blockDim.x / MICRO_WARP, lane = threadIdx.x % MICRO_WARP;
    uint32_t each = MICRO_WARP / run.lanes, words = (uint32_t)(run.bytes / 4);
    long long begin = clock64();
#pragma unroll 1
    for (int i = 0; i < run.rounds; i++) {
        uint32_t at = ((warp + i * warps) * each + lane / run.lanes) * run.apart & (words - 1);
        asm volatile("red.global.add.f32 [%0], %1;" ::"l"((float *)run.data + at), "f"(1.0f)
                     : "memory");
    }
    long long end = clock64();
    MICRO_DONE(0);
}

// Warps that follow one another add to the same word, run.lanes of them: sums of sorted entries.
static __global__ void shared_by_warps(micro_run run) {
    uint32_t warp = (blockIdx.x * blockDim.x + threadIdx.x) / MICRO_WARP;
    uint32_t warps = gridDim.x * blockDim.x / MICRO_WARP;
    long long begin = clock64();
#pragma unroll 1
    for (int i = 0; i < run.rounds; i++) {
        uint32_t at = (i * warps + warp) / run.lanes * run.apart;
        asm volatile("red.global.add.f32 [%0], %1;" ::"l"((float *)run.data + at), "f"(1.0f)
                     : "memory");
    }
    long long end = clock64();
    MICRO_DONE(0);
}

// A largest value by compare-and-swap; each block has its own.
static __global__ void largest(micro_run run) {
    uint32_t value = blockIdx.x * blockDim.x + threadIdx.x, tries = 0;
    value = (value ^ (value >> 16)) * 0x7FEB352Du;
    value = (value ^ (value >> 15)) * 0x846CA68Bu;
    uint32_t *at = (uint32_t *)run.data + blockIdx.x * SPREAD, seen = *(volatile uint32_t *)at;
    for (; seen < value; tries++) {
        uint32_t old = atomicCAS(at, seen, value);
        seen = old == seen ? value : old;
    }
    run.out[blockIdx.x * blockDim.x + threadIdx.x] = tries;
}

static void clear(void) { CHECK(cudaMemsetAsync(micro_default.data, 0, 1 << 20)); }

static void largest_values(unsigned blocks) {
    const size_t count = (size_t)blocks * THREADS;
    uint32_t *tries = (uint32_t *)malloc(count * sizeof *tries);
    double sum = 0;
    micro_row(micro_us_after(clear, largest, blocks, THREADS, micro_default), "us",
              "all SMs with 64 warps, a largest value of each block", "largest_1_blocks");
    CHECK(cudaMemcpy(tries, micro_default.out, count * sizeof *tries, cudaMemcpyDeviceToHost));
    for (size_t i = 0; i < count; i++) sum += tries[i];
    micro_row(sum / count, "swaps/thread", "its compare-and-swaps", "largest_1_blocks_tries");
    free(tries);
}

static void shared_words(unsigned blocks) {
    const double requests = 16.0 * THREADS / MICRO_WARP * blocks;
    micro_run run = micro_default;
    run.rounds = 16;
    run.bytes = 16 << 20;
    for (run.apart = 1; run.apart <= 8; run.apart *= 8)
        for (run.lanes = 1; run.lanes <= MICRO_WARP; run.lanes *= 2)
            micro_row(micro_us(shared_by_lanes, blocks, THREADS, run) * 1e3 / requests,
                      "ns/request", "all SMs with 64 warps, that many lanes on each word",
                      "cost_red_float_shared_by_%d_lanes_%d_apart", run.lanes, run.apart);
    for (run.apart = 1; run.apart <= SPREAD; run.apart *= SPREAD)
        for (run.lanes = 1; run.lanes <= 4096; run.lanes *= 4)
            micro_row(micro_us(shared_by_warps, blocks, THREADS, run) * 1e3 / requests,
                      "ns/request", "all SMs with 64 warps, that many warps in turn on each word",
                      "cost_red_float_shared_by_%d_warps_%d_apart", run.lanes, run.apart);
}

static const struct {
    const char *name;
    micro_kernel *kernel;
} atomics[] = {
    {"red_int", red_int},
    {"red_int_random", red_int_random},
    {"red_float", red_float},
    {"red_float_random", red_float_random},
    {"atom_int", atom_int},
    {"atom_int_random", atom_int_random},
    {"atom_float_random", atom_float_random},
    {"atom_exch_random", atom_exch_random},
};

void micro_atomics(void) {
    static const int addresses[] = {1, 2, 4, 8, 32, 256, 4096, 65536, MOST_ADDRESSES};
    const unsigned blocks = 8 * micro_sms;
    CHECK(cudaMemset(micro_default.data, 0, 128 << 20));
    for (size_t i = 0; i < sizeof atomics / sizeof atomics[0]; i++) {
        for (size_t a = 0; a < sizeof addresses / sizeof addresses[0]; a++) {
            micro_run run = micro_default;
            run.lanes = addresses[a];
            run.apart = 1;
            run.rounds = addresses[a] < 32 ? 4 : 16;
            double count = (double)run.rounds * THREADS * blocks;
            micro_row(micro_us(atomics[i].kernel, blocks, THREADS, run) * 1e3 / count, "ns/atomic",
                      "all SMs with 64 warps; neighbouring words, events, launch included",
                      "cost_%s_%d_addresses", atomics[i].name, addresses[a]);
            if (addresses[a] > 1 && addresses[a] <= 65536) {
                run.apart = SPREAD;
                micro_row(micro_us(atomics[i].kernel, blocks, THREADS, run) * 1e3 / count,
                          "ns/atomic", "the same, a line of 128 bytes for each address",
                          "cost_%s_%d_lines", atomics[i].name, addresses[a]);
            }
            run.apart = 1;
            run.rounds = 64;
            run.laps = 1;
            micro_row(micro_cycles(atomics[i].kernel, 1, 1024, run) / (run.rounds * 32.0),
                      "cycles/instruction/SM", "one block of 32 warps alone",
                      "cost_one_sm_%s_%d_addresses", atomics[i].name, addresses[a]);
        }
    }
    for (int addressed = 1; addressed <= 32; addressed *= 32) {
        micro_run run = micro_default;
        run.lanes = addressed;
        run.apart = SPREAD;
        run.rounds = 16;
        micro_row(micro_us(one_lane, blocks, THREADS, run) * 1e3 / (run.rounds * 8.0 * blocks),
                  "ns/atomic", "all SMs with 64 warps, one lane of each warp, float, a line each",
                  "cost_red_one_lane_%d_lines", addressed);
    }
    shared_words(blocks);
    largest_values(blocks);
}
