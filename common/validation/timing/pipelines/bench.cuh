// How pipelines.cu and fresh.cu time their kernels: CSV after a line that names the card,
//   name,us,low_us,high_us
// the median and the quartiles of RUNS launches, each with a cold L2, by events. On the simulator
// one launch each, its modelled time. Names as arguments choose; `check` compares the results with
// sums on the host; `counts`: one launch each.
#pragma once

#include "hopper.cuh"

#include <string.h>

enum { RUNS = 21, WARM_UPS = 2, DELAY_CYCLES = 300000, MOST_ARGUMENTS = 8, CHECKED = 4096 };

typedef struct bench {
    bool simulated, single; // single: one launch of each kernel
    size_t bytes;           // of each matrix
    void *x, *y, *out, *flush;
    size_t flush_bytes;
    cudaEvent_t begin, end;
} bench;

typedef struct pipeline {
    const char *name;
    const void *kernel;
    const void *matrices; // what the file's own functions below know of them
    dim3 grid;
    int block, shared;
} pipeline;

// Those of a file.
typedef struct pipelines {
    const pipeline *rows;
    int count;
    void (*fill)(const bench *b, const pipeline *p); // x and y, before a kernel's first launch
    void (*arguments)(const bench *b, const pipeline *p, void **to); // until the next call
    // Whether out[CHECKED of them, this one] is what the host computes.
    bool (*right)(const bench *b, const pipeline *p, const void *out, uint32_t number);
} pipelines;

static __global__ void delay(long long cycles) {
    long long begin = clock64();
    while (clock64() - begin < cycles) continue;
}

static double once(const bench *b, const pipelines *all, const pipeline *p) {
    void *arguments[MOST_ARGUMENTS];
    float ms;
    all->arguments(b, p, arguments);
    CHECK(cudaFuncSetAttribute(p->kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, p->shared));
    CHECK(cudaMemsetAsync(b->out, 0, b->bytes));
    CHECK(cudaMemsetAsync(b->flush, 1, b->flush_bytes));
    if (!b->simulated) delay<<<1, 1>>>(DELAY_CYCLES); // the host enqueues the rest meanwhile
    CHECK(cudaEventRecord(b->begin));
    CHECK(cudaLaunchKernel(p->kernel, p->grid, p->block, arguments, p->shared, 0));
    CHECK(cudaEventRecord(b->end));
    CHECK(cudaEventSynchronize(b->end));
    CHECK(cudaEventElapsedTime(&ms, b->begin, b->end));
    return ms * 1e3;
}

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static void measure(const bench *b, const pipelines *all, const pipeline *p) {
    double us[RUNS];
    int runs = b->single ? 1 : RUNS;
    for (int i = b->single ? 0 : -WARM_UPS; i < runs; i++) us[i < 0 ? 0 : i] = once(b, all, p);
    qsort(us, runs, sizeof *us, by_value);
    printf("%s,%.3f,%.3f,%.3f\n", p->name, us[runs / 2], us[runs / 4], us[runs - 1 - runs / 4]);
    fflush(stdout);
}

// Elements are multiples of 1/8 below 1: sums of products are exact.
static __host__ __device__ inline float element(uint32_t i) {
    return (float)((i * 2654435761u) >> 29) * 0.125f;
}

static void check(const bench *b, const pipelines *all, const pipeline *p) {
    void *out = malloc(b->bytes);
    int wrong = 0;
    once(b, all, p);
    CHECK(cudaMemcpy(out, b->out, b->bytes, cudaMemcpyDeviceToHost));
    for (uint32_t i = 0; i < CHECKED; i++) wrong += !all->right(b, p, out, i);
    printf("%s: %d of %d wrong\n", p->name, wrong, (int)CHECKED);
    free(out);
}

static int time_pipelines(const pipelines *all, size_t bytes, int argc, char **argv) {
    cudaDeviceProp card;
    bench b = {};
    bool checks = argc > 1 && !strcmp(argv[1], "check");
    CHECK(cudaGetDeviceProperties(&card, 0));
    printf("# %s\n", card.name);
    b.bytes = bytes;
    b.simulated = strstr(card.name, "simulated");
    b.single = b.simulated || (argc > 1 && !strcmp(argv[1], "counts"));
    b.flush_bytes = (size_t)(b.simulated ? 64 : 256) << 20;
    CHECK(cudaMalloc(&b.x, bytes));
    CHECK(cudaMalloc(&b.y, bytes));
    CHECK(cudaMalloc(&b.out, bytes));
    CHECK(cudaMalloc(&b.flush, b.flush_bytes));
    CHECK(cudaEventCreate(&b.begin));
    CHECK(cudaEventCreate(&b.end));
    int first = checks || (b.single && !b.simulated); // of the names
    if (!checks) printf("name,us,low_us,high_us\n");
    for (int i = 0; i < all->count; i++) {
        const pipeline *p = &all->rows[i];
        bool wanted = argc == 1 + first;
        for (int a = 1 + first; a < argc; a++) wanted = wanted || !strcmp(argv[a], p->name);
        if (!wanted) continue;
        all->fill(&b, p);
        if (checks) check(&b, all, p);
        else measure(&b, all, p);
    }
    return 0;
}
