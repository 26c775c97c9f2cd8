// SPDX-License-Identifier: MIT
// Lab 00: how many cycles one thread waits for a result, when every operation needs the result of
// the one before: a multiply-add, and a load from each memory space. Prints a ladder.latency/1
// file, from which the page's table is made (the document `latency` of a card in labs/measured).
// Build with `nvcc -arch=native -O3 latency.cu`; run without arguments, with nothing else on the
// GPU. The minimum of 5 runs.
#include <cuda_runtime.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define CHECK(call)                                                                                \
    do {                                                                                           \
        cudaError_t status = (call);                                                               \
        if (status == cudaSuccess) break;                                                          \
        fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorString(status)); \
        exit(1);                                                                                   \
    } while (0)

enum { RUNS = 5, STEPS = 1 << 13, UNROLLED = 64, SMALL_WORDS = 512, LINE_WORDS = 32 };

__constant__ uint32_t constant_ring[SMALL_WORDS];

// What all kinds have in common: two rounds of the same dependent operation, the second one timed.
// The loop's own instructions are hidden behind the latency of 64 unrolled operations.
#define MEASURE(operation)                                                                         \
    long long begin = 0;                                                                           \
    for (int round = 0; round < 2; round++) {                                                      \
        begin = clock64();                                                                         \
        _Pragma("unroll 1") for (int i = 0; i < STEPS / UNROLLED; i++) {                           \
            _Pragma("unroll") for (int k = 0; k < UNROLLED; k++) operation;                        \
        }                                                                                          \
    }                                                                                              \
    *out_cycles = clock64() - begin

__global__ void multiply_add(float a, float b, long long *out_cycles, float *out) {
    float v = b;
    MEASURE(v = fmaf(v, a, b));
    *out = v;
}

__global__ void shared_load(const uint32_t *ring, long long *out_cycles, uint32_t *out) {
    __shared__ uint32_t next[SMALL_WORDS];
    for (int i = 0; i < SMALL_WORDS; i++) next[i] = ring[i];
    uint32_t at = 0;
    MEASURE(at = next[at]);
    *out = at;
}

__global__ void constant_load(long long *out_cycles, uint32_t *out) {
    uint32_t at = 0;
    MEASURE(at = constant_ring[at]);
    *out = at;
}

__global__ void local_load(const uint32_t *ring, long long *out_cycles, uint32_t *out) {
    uint32_t next[SMALL_WORDS]; // indexed with what was loaded: no register can hold it
    for (int i = 0; i < SMALL_WORDS; i++) next[i] = ring[i];
    uint32_t at = 0;
    MEASURE(at = next[at]);
    *out = at;
}

__global__ void global_load(const uint32_t *next, long long *out_cycles, uint32_t *out) {
    uint32_t at = 0;
    MEASURE(at = __ldca(next + at));
    *out = at;
}

// One lap of `steps` loads over the ring, past the L1, each line once: lines that a lap of other
// lines has driven out, or that the L2 holds, as the ring's size decides.
__global__ void global_lap(const uint32_t *next, uint32_t start, int steps, long long *out_cycles,
                           uint32_t *out) {
    uint32_t at = start;
    for (int i = 0; i < 1024; i++) at = __ldcg(next + at); // fills the TLB along the way
    long long begin = clock64();
    for (int i = 0; i < steps; i++) at = __ldcg(next + at);
    *out_cycles = clock64() - begin;
    *out = at;
}

// A ring of `count` words, `apart` words from one to the next, in random order.
static uint32_t *make_ring(size_t count, size_t apart) {
    uint32_t *order = (uint32_t *)malloc(count * 4), *next = (uint32_t *)calloc(count * apart, 4);
    uint64_t random = 88172645463325252ull;
    for (size_t i = 0; i < count; i++) order[i] = (uint32_t)i;
    for (size_t i = count - 1; i > 0; i--) {
        random ^= random << 13, random ^= random >> 7, random ^= random << 17;
        size_t k = random % (i + 1);
        uint32_t swapped = order[i];
        order[i] = order[k], order[k] = swapped;
    }
    for (size_t i = 0; i < count; i++)
        next[order[i] * apart] = (uint32_t)(order[(i + 1) % count] * apart);
    free(order);
    return next;
}

static uint32_t *on_device(const uint32_t *words, size_t count) {
    uint32_t *d_words;
    CHECK(cudaMalloc(&d_words, count * 4));
    CHECK(cudaMemcpy(d_words, words, count * 4, cudaMemcpyHostToDevice));
    return d_words;
}

static long long *cycles;
static int count; // of the figures printed

template <class Launch> static void report(const char *name, double steps, Launch launch) {
    long long least = 0;
    for (int run = 0; run < RUNS; run++) {
        launch(run);
        CHECK(cudaGetLastError());
        CHECK(cudaDeviceSynchronize());
        if (run == 0 || *cycles < least) least = *cycles;
    }
    printf("%s\n    \"%s\": %.1f", count++ ? "," : "", name, (double)least / steps);
}

int main() {
    cudaDeviceProp p;
    int clock_khz;
    CHECK(cudaGetDeviceProperties(&p, 0));
    CHECK(cudaDeviceGetAttribute(&clock_khz, cudaDevAttrClockRate, 0));
    printf("{\n  \"schema\": \"ladder.latency/1\",\n  \"device\": {\"kind\": \"gpu\", \"name\": "
           "\"%s\"},\n  \"clock_mhz\": %d,\n  \"cycles\": {",
           p.name, clock_khz / 1000);
    CHECK(cudaMallocManaged(&cycles, 8));
    uint32_t *small = make_ring(SMALL_WORDS, 1), *d_small = on_device(small, SMALL_WORDS), *d_out;
    CHECK(cudaMalloc(&d_out, 4));
    CHECK(cudaMemcpyToSymbol(constant_ring, small, sizeof constant_ring));
    report("register", STEPS,
           [&](int) { multiply_add<<<1, 1>>>(0.5f, 1.0f, cycles, (float *)d_out); });
    report("shared", STEPS, [&](int) { shared_load<<<1, 1>>>(d_small, cycles, d_out); });
    report("constant", STEPS, [&](int) { constant_load<<<1, 1>>>(cycles, d_out); });
    report("local", STEPS, [&](int) { local_load<<<1, 1>>>(d_small, cycles, d_out); });
    report("l1", STEPS, [&](int) { global_load<<<1, 1>>>(d_small, cycles, d_out); });
    static const struct {
        const char *name;
        size_t mib;
    } laps[] = {{"l2", 4}, {"dram", 1024}};
    for (int i = 0; i < 2; i++) {
        size_t lines = laps[i].mib * (1 << 20) / (4 * LINE_WORDS);
        uint32_t *ring = make_ring(lines, LINE_WORDS),
                 *d_ring = on_device(ring, lines * LINE_WORDS);
        report(laps[i].name, STEPS, [&](int run) {
            global_lap<<<1, 1>>>(d_ring, (uint32_t)(run * 9973u % lines) * LINE_WORDS, STEPS,
                                 cycles, d_out);
        });
        CHECK(cudaFree(d_ring));
        free(ring);
    }
    free(small);
    puts("\n  }\n}");
    return 0;
}
