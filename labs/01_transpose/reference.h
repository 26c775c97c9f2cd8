// Comparison of a transposed matrix with its input (reference.c), and the cases' kinds (problem.c).
#pragma once

#include "problem.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- reference.c --------------------------------------------------------------------------------

// What became of a matrix: in[rows][cols] and what should be its transposed or copied form.
typedef struct transpose_check {
    const uint32_t *in;  // [rows][cols]
    const uint32_t *out; // [cols][rows], of a copy [rows][cols]
    int64_t rows, cols;
    bool is_copy;
} transpose_check;

// Compares every element, bit by bit: nothing is computed, so nothing may differ.
void transpose_compare(const transpose_check *check, kl_verdict *out_verdict);

extern const kl_problem transpose_problem;

// ---- micro.c ------------------------------------------------------------------------------------
// The micro-ladders of lab 01: kernels that read by one pattern each (micro.cu). Given, for looking
// at.

enum {
    MICRO_THREADS = 256,
    MICRO_MOST_STRIDE = 33,
    MICRO_SHARED_LOADS = 256 // a thread
};

// Thread i of blocks * MICRO_THREADS loads x[i * stride + offset], once.
// x: [blocks * MICRO_THREADS * stride + offset] float, finite. sink: [1], never written.
int micro_global(const float *d_x, int stride, int offset, int blocks, float *d_sink);

// Lane l loads words l * stride + k of shared memory, k = 0, 1, .., MICRO_SHARED_LOADS of them.
int micro_shared(int stride, int blocks, float *d_sink);

#ifdef __cplusplus
}
#endif
