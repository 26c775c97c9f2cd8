// The contract of lab 07, matrix multiplication: what every step takes, gives and may use.
// For C and CUDA C. It must not contain anything that only one step needs.
#pragma once

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Returned by a step that the student has not written yet. Every cudaError_t is >= 0.
enum { GEMM_NOT_IMPLEMENTED = -1 };

// The tiles that the last step computes, which is what ragged products are rounded up to
// (reference.h): so many elements of C, 128 or 256 rows of them, and GEMM_TILE_DEPTH products of
// each at a time. Tiles of 32 or 64 rows have half as many.
enum { GEMM_TILE_AREA = 128 * 64, GEMM_TILE_LEAST = 32, GEMM_TILE_MOST = 256, GEMM_TILE_DEPTH = 8 };

// With at most so many rows (FLAT), so many columns (THIN) or a depth of at most 1 a product is
// bound by memory, and not computed in tiles (gemm.cuh).
enum { GEMM_FLAT_MOST = 16, GEMM_THIN_MOST = 4 };

// The workspace has room for a word for each of this many blocks, and for this many partial sums.
enum { GEMM_MOST_BLOCKS = 1024, GEMM_MOST_SUMS = 512 * GEMM_TILE_AREA };
enum { GEMM_WORKSPACE_EXTRA = GEMM_MOST_BLOCKS + GEMM_MOST_SUMS };

// One product C = alpha A B + beta D. Only the last step need heed alpha and beta: the others are
// called with 1 and 0. All matrices are column-major: the elements of a column are neighbours, so
// element (i, j) of a matrix with r rows lies at [j * r + i].
typedef struct gemm_task {
    int64_t m;        // rows of A and of C; 0 .. 2^17
    int64_t n;        // columns of B and of C; 0 .. 2^17
    int64_t k;        // columns of A, rows of B; 0 .. 2^17. No matrix has more than 2^31 elements
    const float *d_a; // device, [k][m]: element (i, p) at p * m + i; only read
    const float *d_b; // device, [n][k]: element (p, j) at j * k + p; only read
    float *d_c;       // device, [n][m]: element (i, j) at j * m + i; holds undefined values before
    float alpha, beta;
    const float *d_d; // device, [n][m] like C; only read; NULL when beta is 0
    // device, k * n + GEMM_WORKSPACE_EXTRA floats for the step's use, 256-byte aligned; all 0
    // before the first call, then as the call before left them
    float *d_workspace;
} gemm_task;

// Writes C = alpha A B + beta D: d_c[j * m + i] = alpha * sum + beta * d_d[j * m + i], where sum is
// that of d_a[p * m + i] * d_b[j * k + p] over p < k, for all i < m, j < n. When k is 0 the sum is
// 0, and is written; when m or n is 0 nothing may be written.
//
//   d_a, d_b     addresses are multiples of 4 bytes, NOT always of 16; NULL when the matrix is
//                empty
//   d_c          256-byte aligned; does not overlap A, B or the workspace
//
// Arithmetic is in float: every element is a sum of k products, rounded at most once per product
// and once an addition, in any order (reference.c has the bound). All work goes to the default
// stream; a step need not wait for it to finish.
//
// Returns 0, a cudaError_t, or GEMM_NOT_IMPLEMENTED. cudaErrorInvalidValue when m, n or k is
// negative.
typedef int gemm_function(const gemm_task *task);

gemm_function gemm_step0, gemm_step1, gemm_step2, gemm_step3, gemm_step4, gemm_step5, gemm_step6,
    gemm_step7, gemm_step8, gemm_step9, gemm_step10, gemm_step11;
gemm_function gemm_vendor; // the toolkit's library, for comparison

#ifdef __cplusplus
}
#endif
