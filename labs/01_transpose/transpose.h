// The contract of lab 01, matrix transposition: what every step takes, gives and may use.
// For C and CUDA C. It must not contain anything that only one step needs.
#pragma once

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Returned by a step that the student has not written yet. Every cudaError_t is >= 0.
enum { TRANSPOSE_NOT_IMPLEMENTED = -1 };

// Writes the transposed matrix: d_out[c][r] = d_in[r][c], bit by bit, for all r < rows, c < cols.
//
//   d_in   device, [rows][cols] float row-major; only read. The address is a multiple of 4 bytes,
//          NOT always of 16. NULL when the matrix is empty.
//   rows   >= 0
//   cols   >= 0; rows * cols <= 2^31
//   d_out  device, [cols][rows] float row-major, 256-byte aligned; does not overlap d_in. It holds
//          garbage before. Of an empty matrix nothing may be written.
//
// Step 0 is the one exception: it copies, d_out[r][c] = d_in[r][c], to show how fast the memory is.
// All work goes to the default stream; a step need not wait for it to finish.
//
// Returns 0, a cudaError_t, or TRANSPOSE_NOT_IMPLEMENTED. cudaErrorInvalidValue when rows or cols
// is negative.
typedef int transpose_function(const float *d_in, int64_t rows, int64_t cols, float *d_out);

transpose_function transpose_step0, transpose_step1, transpose_step2, transpose_step3,
    transpose_step4, transpose_step5, transpose_step6;
transpose_function transpose_vendor; // the toolkit's library, for comparison

#ifdef __cplusplus
}
#endif
