// Constant memory: latency by footprint, and cost by the number of addresses in a warp.
#include "micro.h"

enum { WORDS = 16384, THREADS = 1024 };

static __constant__ uint32_t table[WORDS];

// Lanes begin run.apart words apart; each step goes run.lanes words on, around run.bytes.
static __global__ void chase(micro_run run) {
    uint32_t at = threadIdx.x % MICRO_WARP * run.apart;
    MICRO_TIMED(at = table[at]);
    MICRO_DONE(at);
}

static __global__ void rate(micro_run run) {
    uint32_t a = threadIdx.x % run.lanes * run.apart, b = a + run.zero, c = b + run.zero;
    uint32_t d = c + run.zero;
    MICRO_TIMED(a = table[a]; b = table[b]; c = table[c]; d = table[d]);
    MICRO_DONE(a + b + c + d);
}

// An address that ptxas knows to be the same in the warp: run.lanes words, from the block's on.
static __global__ void uniform(micro_run run) {
    float sum = 0;
    long long begin = clock64();
#pragma unroll 4
    for (int i = 0; i < run.rounds * MICRO_REPEATS; i++)
        sum += __uint_as_float(table[(blockIdx.x + i) % 512]);
    long long end = clock64();
    MICRO_DONE(__float_as_uint(sum));
}

// The same with so many blocks on an SM, which go through a table of run.bytes bytes, each from
// run.apart words behind the one before on.
static __global__ void uniform_table(micro_run run) {
    const uint32_t mask = (uint32_t)run.bytes / 4 - 1;
    const uint32_t first = blockIdx.x * run.apart;
    float sum = 0;
    long long begin = 0;
    for (int lap = 0; lap < 2; lap++) {
        __syncthreads();
        begin = clock64();
#pragma unroll 4
        for (int i = 0; i < run.rounds * MICRO_REPEATS; i++)
            sum += __uint_as_float(table[(first + i) & mask]);
    }
    long long end = clock64();
    MICRO_DONE(__float_as_uint(sum));
}

static void fill(int words, int step) {
    static uint32_t next[WORDS];
    for (int i = 0; i < words; i++) next[i] = (i + step) % words;
    CHECK(cudaMemcpyToSymbol(table, next, sizeof next));
}

void micro_constants(void) {
    for (int kib : {1, 2, 4, 8, 16, 32, 48, 64}) {
        micro_run run = micro_default;
        run.apart = 0;
        fill(kib * 256, 16); // 64 bytes on: a line of the constant cache
        micro_row(micro_cycles(chase, 1, 1, run) / ((double)MICRO_ROUNDS * MICRO_REPEATS), "cycles",
                  "one thread, dependent, steps of 64 bytes around that many KiB",
                  "latency_constant_%d_kib", kib);
    }
    if (micro_small) return;
    fill(512, 0);
    micro_run once = micro_default;
    once.laps = 1;
    for (int warps = 1; warps <= MICRO_WARP; warps *= 2) {
        micro_row(micro_cycles(uniform, 1, warps * MICRO_WARP, once) /
                      ((double)MICRO_ROUNDS * MICRO_REPEATS * warps),
                  "cycles/instruction/SM", "that many warps, an address that is the same in a warp",
                  "cost_constant_uniform_%d_warps", warps);
    }
    for (int kib = 1; kib <= 16; kib *= 4)
        for (int blocks : {1, 2, 4, 5, 6, 7, 8})
            for (int apart = 0; apart <= 132; apart += 132) {
                micro_run run = micro_default;
                run.bytes = kib << 10;
                run.apart = apart;
                run.rounds = 32;
                micro_row(micro_cycles(uniform_table, blocks * micro_sms, 8 * MICRO_WARP, run) /
                              (32.0 * MICRO_REPEATS * 8 * blocks),
                          "cycles/instruction/SM",
                          "8 warps per block, an address that is the same in a warp, tables of "
                          "that many KiB, blocks that many words apart",
                          "cost_constant_table_%d_kib_%d_blocks_%d_apart", kib, blocks, apart);
            }
    for (int lanes = 1; lanes <= MICRO_WARP; lanes *= 2) {
        micro_run run = micro_default;
        run.lanes = lanes;
        run.apart = 1;
        micro_row(micro_cycles(rate, 1, THREADS, run) /
                      (4.0 * MICRO_ROUNDS * MICRO_REPEATS * THREADS / MICRO_WARP),
                  "cycles/instruction/SM", "32 warps, that many different words in a warp",
                  "cost_constant_%d_words", lanes);
        run.apart = 16;
        micro_row(micro_cycles(rate, 1, THREADS, run) /
                      (4.0 * MICRO_ROUNDS * MICRO_REPEATS * THREADS / MICRO_WARP),
                  "cycles/instruction/SM", "32 warps, that many words 64 bytes apart in a warp",
                  "cost_constant_%d_lines", lanes);
    }
}
