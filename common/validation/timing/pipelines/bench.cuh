// How pipelines.cu and fresh.cu time their kernels: CSV after a line that names the card,
//   name,us,low_us,high_us
// Names as arguments choose; `check` compares the results with sums on the host; `counts`: one
// launch each.
#pragma once

#include "../bench.h"
#include "hopper.cuh"

enum { MOST_ARGUMENTS = 8, CHECKED = 4096 };

static void *d_x, *d_y; // of the bench's bytes, a matrix each

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

static timed timed_of(const bench *b, const pipelines *all, const pipeline *p) {
    static void *arguments[MOST_ARGUMENTS];
    all->arguments(b, p, arguments);
    return {p->kernel, arguments, p->grid, dim3(p->block), p->shared};
}

// Elements are multiples of 1/8 below 1: sums of products are exact.
static __host__ __device__ inline float element(uint32_t i) {
    return (float)((i * 2654435761u) >> 29) * 0.125f;
}

static void check(const bench *b, const pipelines *all, const pipeline *p) {
    void *out = malloc(b->bytes);
    int wrong = 0;
    const timed t = timed_of(b, all, p);
    once(b, &t);
    CHECK(cudaMemcpy(out, b->out, b->bytes, cudaMemcpyDeviceToHost));
    for (uint32_t i = 0; i < CHECKED; i++) wrong += !all->right(b, p, out, i);
    printf("%s: %d of %d wrong\n", p->name, wrong, (int)CHECKED);
    free(out);
}

static int time_pipelines(const pipelines *all, size_t bytes, int argc, char **argv) {
    bool checks = argc > 1 && !strcmp(argv[1], "check");
    CHECK(cudaMalloc(&d_x, bytes));
    CHECK(cudaMalloc(&d_y, bytes));
    bench b = open_bench(bytes);
    b.single = b.simulated || (argc > 1 && !strcmp(argv[1], "counts"));
    int first = checks || (b.single && !b.simulated); // of the names
    if (!checks) printf("name,us,low_us,high_us\n");
    for (int i = 0; i < all->count; i++) {
        const pipeline *p = &all->rows[i];
        bool wanted = argc == 1 + first;
        for (int a = 1 + first; a < argc; a++) wanted = wanted || !strcmp(argv[a], p->name);
        if (!wanted) continue;
        all->fill(&b, p);
        if (checks) check(&b, all, p);
        if (checks) continue;
        const timed t = timed_of(&b, all, p);
        printf("%s,", p->name);
        print_times(&b, &t);
    }
    return 0;
}
