// The contract of lab 04, y = A x with a row-major matrix: what every step takes, gives and may
// use. Source: N. Fujimoto, "Faster Matrix-Vector Multiplication on GeForce 8800GTX", IPDPS 2008.
// For C and CUDA C. It must not contain anything that only one step needs.
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Returned by a step that the student has not written yet. Every cudaError_t is >= 0.
enum { GEMV_ROW_NOT_IMPLEMENTED = -1 };

// A matrix and memory that belongs to it: what the step's preparation puts there, each of the
// step's calls with this matrix finds.
typedef struct gemv_row_matrix {
    const float *a;        // device (step 0: host), [m][n] row-major, only read. The address is a
                           // multiple of 4 bytes, NOT always of 16, and neither is that of a row
    int64_t m, n;          // rows and columns, 1 .. 2^30 each, m * n <= 2^31
    void *d_prepared;      // device, 256-byte aligned; anything before the preparation
    size_t prepared_bytes; // at least gemv_row_prepared_bytes(m, n)
    void *h_plan; // host, GEMV_ROW_PLAN_BYTES, 16-byte aligned; zero before the preparation
} gemv_row_matrix;

enum { GEMV_ROW_PLAN_BYTES = 256 };

// y = A x.
//
//   matrix           as above
//   d_x              device (step 0: host), [n] float, only read; a multiple of 4 bytes
//   d_y              device (step 0: host), [m] float, every element is written in every call; it
//                    holds NaN before
//   d_workspace      device, 256-byte aligned, zeroed once, before the first of many calls with
//                    different matrices. A step that relies on zeros must leave them behind
//   workspace_bytes  at least GEMV_ROW_WORKSPACE_BYTES (step 0 gets no workspace)
//
// All work goes to the default stream; a step need not wait for it to finish.
//
// Accuracy: the products of a row in any order of additions, with or without fused multiply-add;
// reference.c gives the bound. Infinities and NaN in a row or in x make y[row] what IEEE arithmetic
// makes of them; other rows are not touched by them.
//
// Returns 0, a cudaError_t, or GEMV_ROW_NOT_IMPLEMENTED. cudaErrorInvalidValue, and nothing is
// written, when gemv_row_valid says no.
typedef int gemv_row_function(const gemv_row_matrix *matrix, const float *d_x, float *d_y,
                              void *d_workspace, size_t workspace_bytes);

// What a step may do once for a matrix, before any vector is known. Its time is shown apart.
// Returns 0 or a cudaError_t.
typedef int gemv_row_prepare_function(const gemv_row_matrix *matrix);

gemv_row_function gemv_row_step0, gemv_row_step1, gemv_row_step2, gemv_row_step3, gemv_row_step4,
    gemv_row_step5, gemv_row_step6, gemv_row_step7;
gemv_row_prepare_function gemv_row_prepare5;
gemv_row_function gemv_row_vendor; // the toolkit's library, for comparison

// 64 KiB for counters and partial sums.
enum { GEMV_ROW_WORKSPACE_BYTES = 64 << 10 };

static inline int gemv_row_valid(int64_t m, int64_t n, size_t workspace_bytes) {
    const int64_t most = INT64_C(1) << 30;
    return m >= 1 && n >= 1 && m <= most && n <= most && m <= 2 * most / n &&
           workspace_bytes >= GEMV_ROW_WORKSPACE_BYTES;
}

// Limits of a 2-D texture over linear memory (CUDA C++ Programming Guide, table of technical
// specifications, compute capability 5.0 and above): 131072 texels of 16 bytes wide, 65000 high,
// rows at most 2097120 bytes apart, at multiples of 32.
enum {
    GEMV_ROW_TEXTURE_HIGH = 65000,
    GEMV_ROW_TEXTURE_PITCH = 2097120,
    GEMV_ROW_TEXTURE_ALIGN = 32,
};

// Bytes from a row of the padded copy to the next one.
static inline size_t gemv_row_pitch(int64_t n) {
    return ((size_t)n * sizeof(float) + GEMV_ROW_TEXTURE_ALIGN - 1) / GEMV_ROW_TEXTURE_ALIGN *
           GEMV_ROW_TEXTURE_ALIGN;
}

static inline int gemv_row_fits_texture(int64_t m, int64_t n) {
    return m <= GEMV_ROW_TEXTURE_HIGH && gemv_row_pitch(n) <= GEMV_ROW_TEXTURE_PITCH;
}

// Room for a copy of A with padded rows, where a texture can hold it, and to align it.
static inline size_t gemv_row_prepared_bytes(int64_t m, int64_t n) {
    return gemv_row_fits_texture(m, n) ? (size_t)m * gemv_row_pitch(n) + 512 : 512;
}

#ifdef __cplusplus
}
#endif
