// Latency and rate of each instruction of pipes.def. Latency: one warp, each instruction needs the
// result of the one before. Rate: one block of 32 warps, each with two such chains.
#include "micro.h"

enum { RATE_THREADS = 1024, RATE_WARPS = RATE_THREADS / MICRO_WARP };

// All words of a value are needed, its upper half too. words: 1 or 2.
static __device__ uint32_t all_words(const void *value, int words) {
    const uint32_t *word = (const uint32_t *)value;
    return words > 1 ? word[0] ^ word[1] : word[0];
}

#define TEXT(text, type, x, y, z, c, oc) asm volatile(text : "+" c(x) : c(y), oc(z))

#define MICRO_PIPE(name, type, c, other, oc, per, text)                                            \
    static __global__ void latency_##name(micro_run run) {                                         \
        type x = (type)run.seed, y = (type)(run.seed + threadIdx.x);                               \
        other z = (other)(run.seed * 5);                                                           \
        MICRO_TIMED(TEXT(text, type, x, y, z, c, oc); TEXT(text, type, y, x, z, c, oc));           \
        const type sum = x + y;                                                                    \
        MICRO_DONE(all_words(&sum, sizeof sum / 4));                                               \
    }                                                                                              \
    static __global__ void rate_##name(micro_run run) {                                            \
        type x = (type)run.seed, y = (type)(run.seed + threadIdx.x);                               \
        type u = x + (type)run.zero, v = y + (type)(2 * run.zero);                                 \
        other z = (other)(run.seed * 5);                                                           \
        MICRO_TIMED(TEXT(text, type, x, y, z, c, oc); TEXT(text, type, u, v, z, c, oc);            \
                    TEXT(text, type, y, x, z, c, oc); TEXT(text, type, v, u, z, c, oc));           \
        const type sum = x + y + u + v;                                                            \
        MICRO_DONE(all_words(&sum, sizeof sum / 4));                                               \
    }
#include "pipes.def"
#undef MICRO_PIPE

static const struct {
    const char *name;
    micro_kernel *latency, *rate;
    double per;
} pipes[] = {
#define MICRO_PIPE(name, type, c, other, oc, per, text) {#name, latency_##name, rate_##name, per},
#include "pipes.def"
#undef MICRO_PIPE
};
enum { PIPES = sizeof pipes / sizeof pipes[0] };

// A loop of one instruction and its branch: what a taken branch costs a lone warp.
static __global__ void loop(micro_run run) {
    uint32_t x = run.seed;
    long long begin = clock64();
#pragma unroll 1
    for (int i = 0; i < run.rounds; i++) asm volatile("add.u32 %0, %0, %0;" : "+r"(x));
    long long end = clock64();
    MICRO_DONE(x);
}

// An if of which both sides are taken by part of a warp (or, with 32 lanes, one side by all).
static __global__ void diverge(micro_run run) {
    uint32_t x = run.seed, y = run.seed;
    const bool here = (int)(threadIdx.x % MICRO_WARP) < run.lanes;
    long long begin = clock64();
#pragma unroll 1
    for (int i = 0; i < run.rounds; i++) {
        if (here) {
#pragma unroll
            for (int k = 0; k < 8; k++)
                asm volatile("mad.lo.u32 %0, %0, %1, %1;" : "+r"(x) : "r"(y));
        } else {
#pragma unroll
            for (int k = 0; k < 8; k++)
                asm volatile("mad.lo.u32 %0, %0, %1, %1;" : "+r"(y) : "r"(x));
        }
    }
    long long end = clock64();
    MICRO_DONE(x + y);
}

static __global__ void sync_warp(micro_run run) {
    uint32_t x = run.seed;
    MICRO_TIMED(asm volatile("bar.warp.sync -1;" ::: "memory"));
    MICRO_DONE(x);
}

static __global__ void read_clock(micro_run run) {
    long long x = 0;
    MICRO_TIMED(x += clock64());
    MICRO_DONE(x);
}

// Straight code of COUNT multiply-adds in a loop: slower once a cache of instructions is too small.
template <int COUNT> static __global__ void straight(micro_run run) {
    float x = 1, y = 1, u = 1, v = 1, z = run.seed;
    long long begin = 0;
    for (int lap = 0; lap < 2; lap++) {
        begin = clock64();
#pragma unroll 1
        for (int i = 0; i < run.rounds; i++) {
#pragma unroll
            for (int k = 0; k < COUNT / 4; k++)
                asm volatile("fma.rn.f32 %0, %0, %4, %4; fma.rn.f32 %1, %1, %4, %4;"
                             "fma.rn.f32 %2, %2, %4, %4; fma.rn.f32 %3, %3, %4, %4;"
                             : "+f"(x), "+f"(y), "+f"(u), "+f"(v)
                             : "f"(z));
        }
    }
    long long end = clock64();
    MICRO_DONE(x + y + u + v);
}

static void code_size(int count, micro_kernel *kernel) {
    micro_run run = micro_default;
    run.rounds = 4;
    static const int warps[] = {4, 16};
    for (int i = 0; i < 2; i++)
        micro_row(count * 4.0 * warps[i] / micro_cycles(kernel, 1, warps[i] * MICRO_WARP, run),
                  "instructions/cycle/SM", "loop of that many FFMA, 4 chains; warps of one block",
                  "code_rate_%d_instructions_%d_warps", count, warps[i]);
}

void micro_pipes(void) {
    const double done = (double)MICRO_ROUNDS * MICRO_REPEATS;
    for (int i = 0; i < PIPES; i++) {
        micro_row(micro_cycles(pipes[i].latency, 1, MICRO_WARP, micro_default) / (2 * done),
                  "cycles", "one warp, dependent; whole text of pipes.def", "latency_%s",
                  pipes[i].name);
        if (micro_small) continue;
        micro_row(4 * done * RATE_WARPS * pipes[i].per /
                      micro_cycles(pipes[i].rate, 1, RATE_THREADS, micro_default),
                  "instructions/cycle/SM", "32 warps, two chains each", "rate_%s", pipes[i].name);
    }
    micro_run run = micro_default;
    run.rounds = 4096;
    run.laps = 1;
    micro_row(micro_cycles(loop, 1, MICRO_WARP, run) / run.rounds, "cycles",
              "loop of one add, one warp", "loop_iteration");
    static const int lanes[] = {32, 16, 1};
    for (int i = 0; i < 3; i++) {
        run.lanes = lanes[i];
        micro_row(micro_cycles(diverge, 1, MICRO_WARP, run) / run.rounds, "cycles",
                  "if/else of 8 dependent multiply-adds, that many lanes in the if",
                  "branch_%d_lanes", lanes[i]);
    }
    micro_row(micro_cycles(sync_warp, 1, MICRO_WARP, micro_default) / done, "cycles",
              "__syncwarp of a converged warp", "latency_syncwarp");
    micro_row(micro_cycles(read_clock, 1, MICRO_WARP, micro_default) / done, "cycles",
              "clock64 one after the other", "latency_clock64");
    if (micro_small) return;
    code_size(512, straight<512>);
    code_size(1024, straight<1024>);
    code_size(2048, straight<2048>);
    code_size(4096, straight<4096>);
    code_size(8192, straight<8192>);
    code_size(16384, straight<16384>);
}
