// Latency of loads from global and local memory by the level that has the data, of atomics that
// return a value, and what an L1 hit costs by the lines and sectors of a request.
#include "micro.h"

enum { LINE = 128, THREADS = 1024, WARPS = THREADS / MICRO_WARP, LINES_SEEN = 1024 };

// Each line's first 8 bytes hold the address of another line: the next one in a cycle through all
// of run.bytes whose steps look random (a linear congruential generator of full period).
static __global__ void make_ring(micro_run run) {
    uint64_t lines = run.bytes / LINE, stride = (uint64_t)gridDim.x * blockDim.x;
    for (uint64_t i = blockIdx.x * (uint64_t)blockDim.x + threadIdx.x; i < lines; i += stride) {
        uint64_t next = (i * 14814805u + 1013904223u) % lines; // 14814805 = 1 + 12 x 1234567
        *(unsigned char **)(run.data + i * LINE) = run.data + next * LINE;
    }
}

// Every 8 bytes hold their own address.
static __global__ void make_self(micro_run run) {
    uint64_t stride = (uint64_t)gridDim.x * blockDim.x * 8;
    for (uint64_t i = (blockIdx.x * (uint64_t)blockDim.x + threadIdx.x) * 8; i < run.bytes;
         i += stride)
        *(unsigned char **)(run.data + i) = run.data + i;
}

#define CHASE(name, kind)                                                                          \
    static __global__ void name(micro_run run) {                                                   \
        const unsigned char *at =                                                                  \
            run.data + (uint64_t)(threadIdx.x % MICRO_WARP) * run.apart % run.bytes;               \
        for (int i = 0; i < run.lanes; i++)                                                        \
            asm volatile("ld.global." kind ".u64 %0, [%0];" : "+l"(at)::"memory");                 \
        MICRO_TIMED(asm volatile("ld.global." kind ".u64 %0, [%0];" : "+l"(at)::"memory"));        \
        MICRO_DONE((uintptr_t)at);                                                                 \
    }
CHASE(chase_l1, "ca")
CHASE(chase_l2, "cg")

static __device__ unsigned char *resume; // where the next launch of chase_once goes on

// One lap, no second one that finds what the first has left in a cache; run.lanes steps before it
// fill the TLB.
static __global__ void chase_once(micro_run run) {
    unsigned char *at = resume ? resume : run.data;
    for (int i = 0; i < run.lanes; i++)
        asm volatile("ld.global.cg.u64 %0, [%0];" : "+l"(at)::"memory");
    long long begin = clock64();
#pragma unroll 1
    for (int i = 0; i < run.rounds; i++) {
#pragma unroll
        for (int k = 0; k < MICRO_REPEATS; k++)
            asm volatile("ld.global.cg.u64 %0, [%0];" : "+l"(at)::"memory");
    }
    long long end = clock64();
    resume = at;
    MICRO_DONE((uintptr_t)at);
}

// The usual form: an index in 32 bits, whose address is computed before each load.
static __global__ void chase_index(micro_run run) {
    const uint32_t *words = (const uint32_t *)run.data;
    uint32_t at = run.seed;
    MICRO_TIMED(at = __ldca(words + at));
    MICRO_DONE(at);
}

static __global__ void chase_local(micro_run run) {
    uint32_t next[64];
    for (int i = 0; i < 64; i++) next[i] = (i * 5 + run.seed) % 64;
    uint32_t at = run.seed;
    MICRO_TIMED(at = next[at]);
    MICRO_DONE(at);
}

// Latency of each of LINES_SEEN lines alone, run.apart bytes from one to the next: near and far
// halves of the L2. The block's SM sees them all; out[line] gets tenths of a cycle.
static __global__ void each_line(micro_run run) {
    for (int line = 0; line < LINES_SEEN; line++) {
        unsigned char *at = run.data + (uint64_t)line * run.apart;
        long long begin = 0;
        for (int lap = 0; lap < 2; lap++) {
            begin = clock64();
#pragma unroll
            for (int k = 0; k < 16; k++)
                asm volatile("ld.global.cg.u64 %0, [%0];" : "+l"(at)::"memory");
            if ((uintptr_t)at == 1) return; // never: at is waited for here
        }
        run.out[line] = (uint32_t)((clock64() - begin) * 10 / 16);
    }
}

// The same for the first load of each line after others have written it: lines whose home is the
// far half of the L2 have no copy in the near one yet. Includes two readings of the clock.
static __global__ void first_touch(micro_run run) {
    for (int line = 0; line < LINES_SEEN; line++) {
        unsigned char *at = run.data + (uint64_t)line * run.apart;
        long long begin = clock64();
        asm volatile("ld.global.cg.u64 %0, [%0];" : "+l"(at)::"memory");
        if ((uintptr_t)at == 1) return;
        run.out[line] = (uint32_t)((clock64() - begin) * 10);
    }
}

#define ATOMIC_CHASE(name, text, c, type)                                                          \
    static __global__ void name(micro_run run) {                                                   \
        type x = (type)run.seed;                                                                   \
        unsigned char *at = run.data + (threadIdx.x % MICRO_WARP) / run.lanes * 4;                 \
        MICRO_TIMED(asm volatile("atom.global." text " %0, [%1], %0;" : "+" c(x) : "l"(at)));      \
        MICRO_DONE(x);                                                                             \
    }
ATOMIC_CHASE(atomic_int, "add.u32", "r", uint32_t)
ATOMIC_CHASE(atomic_float, "add.f32", "f", float)

// What an L1 hit costs: lanes run.apart bytes apart. The address grows by 0, which the compiler
// does not know, so that no load can be merged with another.
#define HITS(name, text, type, c)                                                                  \
    static __global__ void name(micro_run run) {                                                   \
        const unsigned char *at =                                                                  \
            run.data + (uint64_t)(threadIdx.x % MICRO_WARP) * run.apart % run.bytes;               \
        type sum = 0;                                                                              \
        MICRO_TIMED(at += run.zero; asm volatile(text : "+" c(sum) : "l"(at) : "memory"));         \
        MICRO_DONE(sum);                                                                           \
    }
HITS(hits_4, "{ .reg .u32 t; ld.global.ca.u32 t, [%1]; add.u32 %0, %0, t; }", uint32_t, "r")
HITS(hits_8, "{ .reg .u64 t; ld.global.ca.u64 t, [%1]; xor.b64 %0, %0, t; }", uint64_t, "l")
HITS(hits_16,
     "{ .reg .u64 t, u; ld.global.ca.v2.u64 {t, u}, [%1]; xor.b64 t, t, u; xor.b64 %0, %0, t; }",
     uint64_t, "l")
// The same past the L1: what a miss costs one SM when the L2 has the line.
HITS(misses_4, "{ .reg .u32 t; ld.global.cg.u32 t, [%1]; add.u32 %0, %0, t; }", uint32_t, "r")

static double done(void) { return (double)MICRO_ROUNDS * MICRO_REPEATS; }

static void prepare(micro_kernel *kernel, micro_run run) {
    kernel<<<4 * micro_sms, 256>>>(run);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
}

static int by_value(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

// Percentiles and mean of what the last launch left in out.
static void lines_seen(const char *name, const char *how) {
    static uint32_t seen[LINES_SEEN];
    static const int percent[] = {1, 10, 25, 40, 50, 60, 75, 90, 99};
    double sum = 0;
    CHECK(cudaMemcpy(seen, micro_default.out, sizeof seen, cudaMemcpyDeviceToHost));
    qsort(seen, LINES_SEEN, sizeof *seen, by_value);
    for (size_t i = 0; i < sizeof percent / sizeof percent[0]; i++)
        micro_row(seen[LINES_SEEN * percent[i] / 100] / 10.0, "cycles", how, "%s_p%d", name,
                  percent[i]);
    for (int i = 0; i < LINES_SEEN; i++) sum += seen[i] / 10.0;
    micro_row(sum / LINES_SEEN, "cycles", how, "%s_mean", name);
}

static void near_and_far(void) {
    micro_run run = micro_default;
    run.apart = 4096 + LINE;
    run.bytes = 8 << 20;
    CHECK(cudaMalloc(&run.data, run.bytes));
    prepare(make_self, run);
    first_touch<<<1, 1>>>(run);
    lines_seen("latency_l2_first_touch",
               "1024 lines that other SMs have written; percentile or mean; with the clock's 10");
    micro_cycles(each_line, 1, 1, run);
    lines_seen("latency_l2_line", "1024 lines of the L2 seen again by one SM; percentile or mean");
    CHECK(cudaFree(run.data));
}

static void by_footprint(void) {
    unsigned char *nowhere = NULL;
    for (int kib : {16, 64, 128, 192, 256, 384, 1 << 10, 4 << 10, 8 << 10, 16 << 10, 24 << 10,
                    32 << 10, 48 << 10, 64 << 10, 128 << 10, 256 << 10, 512 << 10, 1024 << 10}) {
        micro_run run = micro_default;
        run.bytes = (uint64_t)kib << 10;
        if (run.bytes > micro_bytes) continue;
        CHECK(cudaMalloc(&run.data, run.bytes));
        run.rounds = 512;
        run.lanes = kib <= 1024 ? 1 : 8192;
        run.apart = 0;
        prepare(make_ring, run);
        if (kib >= 64 << 10) CHECK(cudaMemset(micro_default.data, 0, micro_bytes)); // out of the L2
        CHECK(cudaMemcpyToSymbol(resume, &nowhere, sizeof nowhere));
        if (kib <= 384)
            micro_row(micro_cycles(chase_l1, 1, 1, run) / (run.rounds * (double)MICRO_REPEATS),
                      "cycles", "random ring of that many KiB, through the L1",
                      "latency_global_ca_%d_kib", kib);
        run.laps = 1;
        if (kib >= 384)
            micro_row(micro_cycles(chase_once, 1, 1, run) / (run.rounds * (double)MICRO_REPEATS),
                      "cycles", "random ring of that many KiB, past the L1",
                      "latency_global_cg_%d_kib", kib);
        CHECK(cudaFree(run.data));
    }
}

static void by_lines(void) {
    static const int apart[] = {0, 8, 16, 32, 64, 128, 256};
    micro_run first = micro_default;
    first.bytes = 8 << 20;
    prepare(make_self, first);
    for (size_t i = 0; i < sizeof apart / sizeof apart[0]; i++) {
        micro_run run = micro_default;
        run.apart = apart[i];
        run.lanes = 0;
        run.bytes = 1 << 20;
        micro_row(micro_cycles(chase_l1, 1, MICRO_WARP, run) / done(), "cycles",
                  "a warp's L1 hits, lanes that many bytes apart", "latency_l1_apart_%d", apart[i]);
        micro_row(micro_cycles(chase_l2, 1, MICRO_WARP, run) / done(), "cycles",
                  "a warp's L2 hits, lanes that many bytes apart", "latency_l2_apart_%d", apart[i]);
    }
}

static void costs(const char *name, micro_kernel *kernel, int least) {
    static const int apart[] = {0, 4, 8, 12, 16, 20, 32, 36, 64, 128, 132, 256};
    for (size_t i = 0; !micro_small && i < sizeof apart / sizeof apart[0]; i++) {
        if (apart[i] % least) continue;
        micro_run run = micro_default;
        run.apart = apart[i];
        run.bytes = 1 << 20;
        micro_row(micro_cycles(kernel, 1, THREADS, run) / (done() * WARPS), "cycles/instruction/SM",
                  "32 warps, same addresses, lanes that many bytes apart", "cost_%s_apart_%d", name,
                  apart[i]);
    }
}

// run.rounds loads of a table of 4 KiB, lanes run.apart words apart.
static __global__ void table(micro_run run) {
    const float *in = (const float *)run.data;
    const unsigned first = (blockIdx.x * blockDim.x + threadIdx.x) * run.apart;
    float sum = 0;
#pragma unroll 4
    for (int k = 0; k < run.rounds; k++) sum += in[(first + k) % 1024];
    run.out[blockIdx.x * blockDim.x + threadIdx.x] = __float_as_uint(sum);
}

static void tables(void) {
    static const int apart[] = {1, 3, 5, 7, 9, 33};
    for (size_t i = 0; i < sizeof apart / sizeof apart[0]; i++)
        for (int rounds = 256; rounds <= 1024; rounds *= 4) {
            micro_run run = micro_default;
            run.apart = apart[i];
            run.rounds = rounds;
            micro_row(micro_us(table, 8 * micro_sms, 256, run), "us",
                      "64 warps on each SM, loads of 4 KiB, lanes that many words apart",
                      "l1_table_%d_apart_%d_loads", apart[i], rounds);
        }
}

void micro_latencies(void) {
    CHECK(cudaMemset(micro_default.data, 0, 1 << 20));
    micro_row(micro_cycles(chase_index, 1, 1, micro_default) / done(), "cycles",
              "one thread, index in 32 bits, L1 hit", "latency_l1_index");
    micro_row(micro_cycles(chase_local, 1, 1, micro_default) / done(), "cycles",
              "one thread, array in local memory, L1 hit", "latency_local");
    by_footprint();
    by_lines();
    near_and_far();
    costs("l1_load_4", hits_4, 4);
    costs("l1_load_8", hits_8, 8);
    costs("l1_load_16", hits_16, 16);
    costs("l2_load_4", misses_4, 4);
    CHECK(cudaMemset(micro_default.data, 0, 1 << 20));
    if (!micro_small) tables();
    for (int lanes = 1; lanes <= MICRO_WARP; lanes *= 2) {
        micro_run run = micro_default;
        run.lanes = lanes;
        run.rounds = 8;
        const double count = (double)run.rounds * MICRO_REPEATS;
        micro_row(micro_cycles(atomic_int, 1, MICRO_WARP, run) / count, "cycles",
                  "one warp, value returned and needed, that many lanes on an address",
                  "latency_atomic_int_lanes_%d", lanes);
        micro_row(micro_cycles(atomic_float, 1, MICRO_WARP, run) / count, "cycles",
                  "one warp, value returned and needed, that many lanes on an address",
                  "latency_atomic_float_lanes_%d", lanes);
    }
}
