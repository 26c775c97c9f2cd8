// How kernels are timed here: RUNS launches, each with cold caches, by events, as the labs are
// timed (common/gpu/timing.c). On the simulator one launch each, its modelled time.
#pragma once

#include "../check.h"

#include <string.h>

enum { RUNS = 21, WARM_UPS = 2, DELAY_CYCLES = 300000 };

typedef struct bench {
    bool simulated, single; // single: one launch of each kernel
    void *out, *flush;      // cleared before each launch; written then: more than an L2
    size_t bytes, flush_bytes;
    cudaEvent_t begin, end;
} bench;

static __global__ void delay(long long cycles) {
    long long begin = clock64();
    while (clock64() - begin < cycles) continue;
}

// bytes: of out. Prints a line that names the card.
static bench open_bench(size_t bytes) {
    bench b = {};
    cudaDeviceProp card;
    CHECK(cudaGetDeviceProperties(&card, 0));
    printf("# %s\n", card.name);
    b.simulated = b.single = strstr(card.name, "simulated");
    b.bytes = bytes;
    b.flush_bytes = (size_t)(b.simulated ? 64 : 256) << 20;
    CHECK(cudaMalloc(&b.out, bytes));
    CHECK(cudaMalloc(&b.flush, b.flush_bytes));
    CHECK(cudaEventCreate(&b.begin));
    CHECK(cudaEventCreate(&b.end));
    return b;
}

typedef struct timed {
    const void *kernel;
    void **arguments;
    dim3 grid, block;
    int shared; // bytes of dynamic shared memory
} timed;

// Microseconds of one launch.
static double once(const bench *b, const timed *t) {
    float ms;
    if (t->shared)
        CHECK(cudaFuncSetAttribute(t->kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                   t->shared));
    CHECK(cudaMemsetAsync(b->out, 0, b->bytes));
    CHECK(cudaMemsetAsync(b->flush, 1, b->flush_bytes));
    if (!b->simulated) delay<<<1, 1>>>(DELAY_CYCLES); // the host enqueues the rest meanwhile
    CHECK(cudaEventRecord(b->begin));
    CHECK(cudaLaunchKernel(t->kernel, t->grid, t->block, t->arguments, t->shared, 0));
    CHECK(cudaEventRecord(b->end));
    CHECK(cudaEventSynchronize(b->end));
    CHECK(cudaEventElapsedTime(&ms, b->begin, b->end));
    return ms * 1e3;
}

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

// Prints the rest of a row: us,low_us,high_us, the median and the quartiles.
static void print_times(const bench *b, const timed *t) {
    double us[RUNS];
    int runs = b->single ? 1 : RUNS;
    for (int i = b->single ? 0 : -WARM_UPS; i < runs; i++) us[i < 0 ? 0 : i] = once(b, t);
    qsort(us, runs, sizeof *us, by_value);
    printf("%.3f,%.3f,%.3f\n", us[runs / 2], us[runs / 4], us[runs - 1 - runs / 4]);
    fflush(stdout);
}
