// The contract of lab 05, column-major matrix times vector: what every step takes, gives and may
// use. Source of the problem and of steps 0 to 4: E. Opavsky and E. Uysaler, "Matrix-Vector
// Multiplication Using Shared and Coalesced Memory Access", 2012.
// For C and CUDA C. It must not contain anything that only one step needs.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum gemv_col_op {
    GEMV_COL_AX = 0,  // y = A x:   y[i] is row i of A times x;    x: [n], y: [m]
    GEMV_COL_ATX = 1, // y = A^T x: y[j] is column j of A times x; x: [m], y: [n]
} gemv_col_op;

// Returned by a step that the student has not written yet. Every cudaError_t is >= 0.
enum { GEMV_COL_NOT_IMPLEMENTED = -1 };

// A is column-major without gaps: element (i, j) is d_a[i + j * m]. Addresses are multiples of 4
// bytes, NOT always of 16; so are the columns of a matrix whose m is not a multiple of 4. Values
// may be infinite or NaN: each element of y gets what IEEE arithmetic makes of its own products.
typedef struct gemv_col_task {
    gemv_col_op op;         // steps 0, 1, 5: AX only; 2, 3, 4: ATX only; 6: both
    int64_t m, n;           // rows and columns of A: 1 .. 2^24; m * n <= 2^31
    const float *d_a;       // device, [n][m]; only read
    const float *d_x;       // device, only read
    float *d_y;             // device; every element is written in every call; it holds NaN before
    void *d_workspace;      // device, 256-byte aligned
    size_t workspace_bytes; // at least gemv_col_workspace_bytes(m, n)
} gemv_col_task;

// The workspace is zeroed once, before the first of many calls with different tasks. A step that
// relies on zeros must leave them behind; it may rely on them only in the first
// GEMV_COL_COUNTER_BYTES. All work goes to the default stream; a step need not wait for it to
// finish.
//
// Accuracy: any order of additions, see reference.c for the bound.
//
// Returns 0, a cudaError_t, or GEMV_COL_NOT_IMPLEMENTED. cudaErrorInvalidValue, and no kernel, for
// a task that gemv_col_is_valid refuses or whose op the step does not have.
typedef int gemv_col_function(const gemv_col_task *task);

gemv_col_function gemv_col_step0, gemv_col_step1, gemv_col_step2, gemv_col_step3, gemv_col_step4,
    gemv_col_step5, gemv_col_step6;
gemv_col_function gemv_col_vendor; // the toolkit's library, for comparison

// Steps 1, 3 and 4 with another BLOCK_WIDTH than theirs: 8, 16, 32, 64, 128 or 256, else
// cudaErrorInvalidValue. For the sweep of `ladder run gemv_col --grid`.
typedef int gemv_col_width_function(const gemv_col_task *task, int width);
gemv_col_width_function gemv_col_width1, gemv_col_width3, gemv_col_width4;

// The workspace: counters, then room for a copy of A, or for partial sums, at most one for each
// element of A, and one more for each element of y.
enum { GEMV_COL_COUNTER_BYTES = 64 << 10 };

static inline size_t gemv_col_workspace_bytes(int64_t m, int64_t n) {
    size_t floats = (size_t)m * (size_t)n + (size_t)m + (size_t)n;
    return GEMV_COL_COUNTER_BYTES + (floats * sizeof(float) + 255) / 256 * 256;
}

static inline bool gemv_col_is_valid(const gemv_col_task *t) {
    const int64_t most = INT64_C(1) << 24, most_elems = INT64_C(1) << 31;
    return t->m >= 1 && t->n >= 1 && t->m <= most && t->n <= most && t->m <= most_elems / t->n &&
           (t->op == GEMV_COL_AX || t->op == GEMV_COL_ATX) &&
           t->workspace_bytes >= gemv_col_workspace_bytes(t->m, t->n);
}

#ifdef __cplusplus
}
#endif
