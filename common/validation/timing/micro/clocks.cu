// The clocks that a kernel can read, what it can wait for by them, and latencies of operations that
// are whole routines in machine code: what the literature's latency benchmarks print beside those
// of pipes.def.
#include "micro.h"

enum { STEPS_SEEN = 64 };

static __global__ void clock_pair(micro_run run) {
    long long sum = 0, begin = clock64();
    for (int i = 0; i < run.rounds; i++) {
        long long first = clock64(), second = clock64();
        sum += second - first;
    }
    long long end = clock64();
    run.out[0] = (uint32_t)(sum * 100 / run.rounds);
    run.spans[0] = begin;
    run.spans[1] = end;
}

static __global__ void clock_pair_32(micro_run run) {
    long long begin = clock64();
    uint32_t sum = 0;
    for (int i = 0; i < run.rounds; i++) {
        uint32_t first = clock(), second = clock();
        sum += second - first;
    }
    long long end = clock64();
    run.out[0] = sum * 100 / run.rounds;
    run.spans[0] = begin;
    run.spans[1] = end;
}

static __device__ uint64_t timer(void) {
    uint64_t ns;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns));
    return ns;
}

// out[i]: ns of the timer's steps; its cycles and ns over all of them in spans.
static __global__ void timer_steps(micro_run run) {
    uint64_t first = timer(), before = first;
    while (before == first) before = timer();
    first = before;
    long long begin = clock64();
    for (int i = 0; i < STEPS_SEEN; i++) {
        uint64_t now = before;
        while (now == before) now = timer();
        run.out[i] = (uint32_t)(now - before);
        before = now;
    }
    run.spans[0] = clock64() - begin;
    run.spans[1] = (long long)(before - first);
}

static __global__ void sleeps(micro_run run) {
    long long begin = clock64();
    for (int i = 0; i < run.rounds; i++) __nanosleep(run.apart);
    long long end = clock64();
    MICRO_DONE(0);
}

#define FENCES(name, fence)                                                                        \
    static __global__ void name(micro_run run) {                                                   \
        volatile uint32_t *word = (volatile uint32_t *)run.data;                                   \
        MICRO_TIMED(*word = k; fence());                                                           \
        MICRO_DONE(0);                                                                             \
    }
FENCES(fence_block, __threadfence_block)
FENCES(fence_device, __threadfence)
FENCES(fence_system, __threadfence_system)

// expression computes x from x and z.
#define ROUTINE(name, type, expression)                                                            \
    static __global__ void name(micro_run run) {                                                   \
        type x = (type)(run.seed + 2), z = (type)(run.seed * 1000003);                             \
        (void)z;                                                                                   \
        MICRO_TIMED(x = expression);                                                               \
        MICRO_DONE(x);                                                                             \
    }
ROUTINE(div_u32, uint32_t, z / (x | 1))
ROUTINE(rem_u32, uint32_t, z % (x | 1))
ROUTINE(div_u64, uint64_t, z / (x | 1))
ROUTINE(mul_u64, uint64_t, z *x)
ROUTINE(div_f32, float, z / x)
ROUTINE(sqrt_f32, float, sqrtf(x))
ROUTINE(rcp_f32, float, __frcp_rn(x))
ROUTINE(div_fast_f32, float, __fdividef(z, x))
ROUTINE(exp_f32, float, __expf(x))
ROUTINE(div_f64, double, z / x)
ROUTINE(sqrt_f64, double, sqrt(x))
ROUTINE(div_u32_known, uint32_t, x / (z | 1) + run.seed * 0x9E3779B9u)

static const struct {
    const char *name;
    micro_kernel *kernel;
} routines[] = {
    {"div_u32", div_u32}, {"rem_u32", rem_u32},           {"div_u64", div_u64},
    {"mul_u64", mul_u64}, {"div_f32", div_f32},           {"sqrt_f32", sqrt_f32},
    {"rcp_f32", rcp_f32}, {"div_fast_f32", div_fast_f32}, {"exp_f32", exp_f32},
    {"div_f64", div_f64}, {"sqrt_f64", sqrt_f64},         {"div_u32_known", div_u32_known},
};

static double first_out(void) {
    uint32_t word;
    CHECK(cudaMemcpy(&word, micro_default.out, sizeof word, cudaMemcpyDeviceToHost));
    return word;
}

static int by_value(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

static void steps(void) {
    uint32_t seen[STEPS_SEEN];
    long long spans[2];
    timer_steps<<<1, 1>>>(micro_default);
    CHECK(cudaMemcpy(seen, micro_default.out, sizeof seen, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(spans, micro_default.spans, sizeof spans, cudaMemcpyDeviceToHost));
    qsort(seen, STEPS_SEEN, sizeof *seen, by_value);
    micro_row(seen[STEPS_SEEN / 2], "ns", "median step of %globaltimer", "timer_step");
    micro_row(spans[0] * 1e3 / (double)spans[1], "MHz", "clock64 by %globaltimer", "timer_clock");
}

void micro_clocks(void) {
    static const int ns[] = {0, 100, 1000, 10000};
    micro_run run = micro_default;
    run.laps = 1;
    micro_cycles(clock_pair, 1, 1, run);
    micro_row(first_out() / 100, "cycles", "second of two readings of clock64 less the first",
              "clock_pair_64");
    micro_cycles(clock_pair_32, 1, 1, run);
    micro_row(first_out() / 100, "cycles", "second of two readings of clock less the first",
              "clock_pair_32");
    steps();
    run.rounds = 32;
    for (size_t i = 0; i < sizeof ns / sizeof ns[0]; i++) {
        run.apart = ns[i];
        micro_row(micro_cycles(sleeps, 1, 1, run) / run.rounds, "cycles",
                  "__nanosleep of that many ns, one thread", "sleep_%d_ns", ns[i]);
    }
    const double done = (double)MICRO_ROUNDS * MICRO_REPEATS;
    micro_row(micro_cycles(fence_block, 1, 1, micro_default) / done, "cycles",
              "store and __threadfence_block", "fence_block");
    micro_row(micro_cycles(fence_device, 1, 1, micro_default) / done, "cycles",
              "store and __threadfence", "fence_device");
    micro_row(micro_cycles(fence_system, 1, 1, micro_default) / done, "cycles",
              "store and __threadfence_system", "fence_system");
    size_t count = sizeof routines / sizeof routines[0];
    if (micro_small) count--; // told by the lines of machine code, which the simulator's have not
    for (size_t i = 0; i < count; i++)
        micro_row(micro_cycles(routines[i].kernel, 1, MICRO_WARP, micro_default) / done, "cycles",
                  "one warp, dependent; what nvcc makes of the C expression", "latency_%s",
                  routines[i].name);
}
