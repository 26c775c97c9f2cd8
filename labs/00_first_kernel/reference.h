// Reference answers of lab 00 (reference.c) for its problem and its tests.
#pragma once

#include "first_kernel.h"
#include "problem.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- reference.c --------------------------------------------------------------------------------

// Each fills out_value and out_bound, [n] doubles: the answer and the error that is allowed.
void first_kernel_reference_scale(const float *x, int64_t n, float a, double *out_value,
                                  double *out_bound);
void first_kernel_reference_difference(const float *x, int64_t n, double *out_value,
                                       double *out_bound);
void first_kernel_reference_polynomial(const float *x, int64_t n, const double *coefs,
                                       double *out_value, double *out_bound);
void first_kernel_reference_lookup(const uint8_t *index, int64_t n, const float *table,
                                   double *out_value, double *out_bound);
void first_kernel_reference_paths(const float *x, int64_t n, int rounds, double *out_value,
                                  double *out_bound);

// The bug hunts of steps 13 to 16; task: of first_kernel.h. n elements, of which no result has an
// error: sums and x + 2 are of whole numbers.
void first_kernel_reference_map(int task, const float *x, int64_t n, double *out_value,
                                double *out_bound);

extern const kl_problem first_kernel_problem;

// ---- micro.c ------------------------------------------------------------------------------------
// The micro-ladders of lab 00: kernels that vary one thing each (micro.cu). Given, for looking at.

enum {
    MICRO_THREADS = 256,
    MICRO_READS = 224,             // of a table of 256 words, per thread
    MICRO_CARVE_THREADS = 1024,    // one block per SM
    MICRO_CARVE_BYTES = 96 * 1024, // that each block reads ..
    MICRO_CARVE_ROUNDS = 16        // .. so often
};

// Every thread walks one of up to 32 paths. granularity > 0: path (t / granularity > 2), as in the
// lecture; else path t % paths. Returns a cudaError_t, as do all.
int micro_paths(int granularity, int paths, int blocks, float *d_sink);

// Lane l reads words l % addresses, l % addresses + 1, .. of a table, in constant or in shared
// memory.
int micro_constant(int addresses, int blocks, float *d_sink);
int micro_shared(int addresses, int blocks, float *d_sink);

// Block b reads the floats b * MICRO_CARVE_BYTES / 4 .. of x, MICRO_CARVE_ROUNDS times, with
// `percent` of the piece that L1 and shared memory are made of preferred for shared memory. x:
// [blocks * MICRO_CARVE_BYTES / 4] float, finite.
int micro_carve(const float *d_x, int percent, int blocks, float *d_sink);

#ifdef __cplusplus
}
#endif
