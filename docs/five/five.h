// What the five programs have in common: device memory, an end at the first failed call, the
// comparison of a result.
#pragma once

#include <cuda_runtime.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static void five_check(cudaError_t error, const char *call) {
    if (error == cudaSuccess) return;
    fprintf(stderr, "%s: %s\n", call, cudaGetErrorString(error));
    exit(1);
}
#define FIVE_CHECK(call) five_check(call, #call)

// `bytes` of device memory with a copy of `from`; NULL: zeroes.
static void *five_upload(const void *from, size_t bytes) {
    void *to = NULL;
    FIVE_CHECK(cudaMalloc(&to, bytes));
    if (from != NULL) FIVE_CHECK(cudaMemcpy(to, from, bytes, cudaMemcpyHostToDevice));
    else FIVE_CHECK(cudaMemset(to, 0, bytes));
    return to;
}

static void five_free(void *memory) { FIVE_CHECK(cudaFree(memory)); }

// After the launches. The program's exit status.
static int five_end(const char *name, double got, double expected, double tolerance) {
    bool right = fabs(got - expected) <= tolerance * fabs(expected);
    printf("%s: %s (%.9g, expected %.9g)\n", name, right ? "right" : "WRONG", got, expected);
    return right ? 0 : 1;
}
