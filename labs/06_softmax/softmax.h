// The contract of lab 06, softmax of the rows of a matrix: what every step takes, gives and may
// use. Source of the problem and of steps 1 to 6: He Wenhao, report on softmax kernels, August
// 2024. For C and CUDA C. It must not contain anything that only one step needs.
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Returned by a step that the student has not written yet. Every cudaError_t is >= 0.
enum { SOFTMAX_NOT_IMPLEMENTED = -1 };

#define SOFTMAX_MOST_SIDE  INT64_C(0x7FFFFFFF) // rows; columns
#define SOFTMAX_MOST_ELEMS (INT64_C(1) << 40)  // rows * columns

// Writes y[r][j] = exp(x[r][j]) / (sum of exp(x[r][k]) over the columns k) for every row r.
//
//   d_x      device, [rows][columns] float, row-major; only read. The address is a multiple of 4
//            bytes, NOT always of 16.
//   rows     1 .. 2^31 - 1
//   columns  1 .. 2^31 - 1; rows * columns is at most 2^40
//   d_y      device, [rows][columns] float, 256-byte aligned; does not overlap x; never written
//            before
//
// The largest element of a row is subtracted from its elements first, so that exp cannot overflow:
// any finite input gives a finite result. Other inputs give what the formula gives:
//
//   -infinity beside a finite element                       0 there
//   a row with +infinity, with NaN or of -infinity alone    NaN in the whole row
//
// A row never changes another row's result. All work goes to the default stream; a step need not
// wait for it to finish.
//
// Arithmetic is in float; exp may be the hardware's approximation (__expf, ex2.approx). The sum may
// be taken in any order in which no element takes part in more than `columns` additions. Results
// below 2^-126 may be 0. reference.c turns this into the error bound.
//
// Returns 0, a cudaError_t, or SOFTMAX_NOT_IMPLEMENTED. cudaErrorInvalidValue when a size is out of
// range, a pointer NULL, x not aligned to 4 bytes or y not to 16: see softmax_refuses.
typedef int softmax_function(const float *d_x, int64_t rows, int64_t columns, float *d_y);

softmax_function softmax_step0, softmax_step1, softmax_step2, softmax_step3, softmax_step4,
    softmax_step5, softmax_step6, softmax_step7, softmax_step8, softmax_step9, softmax_step10;

// Nonzero when the contract does not allow these arguments.
static inline int softmax_refuses(const float *d_x, int64_t rows, int64_t columns,
                                  const float *d_y) {
    return rows < 1 || rows > SOFTMAX_MOST_SIDE || columns < 1 || columns > SOFTMAX_MOST_SIDE ||
           rows > SOFTMAX_MOST_ELEMS / columns || !d_x || !d_y ||
           (uintptr_t)d_x % sizeof(float) != 0 || (uintptr_t)d_y % 16 != 0;
}

#ifdef __cplusplus
}
#endif
