// The contract of lab 00, first kernels: six small tasks, each for one or several steps, and
// five bug hunts. For C and CUDA C. Source: CS 677 lecture 3, sections "A Common Programming
// Strategy", "Constants", "Control Flow".
#pragma once

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Returned by a step that the student has not written yet. Every cudaError_t is >= 0.
enum { FIRST_KERNEL_NOT_IMPLEMENTED = -1 };

// In all of them: n from 0 to 2^30; d_ pointers lie on the device, are 256-byte aligned, do not
// overlap, and are NULL when they have no element; d_y holds garbage before. All work goes to the
// default stream; a step need not wait for it to finish. A step returns 0, a cudaError_t, or
// FIRST_KERNEL_NOT_IMPLEMENTED.

// Steps 0 to 3. y[i] = a x[i]. d_x, d_y: [n] float.
typedef int first_kernel_scale(const float *d_x, int64_t n, float a, float *d_y);

// Steps 4 and 5, the adjacent difference. y[0] = x[0]; y[i] = x[i] - x[i - 1]. d_x, d_y: [n] float.
typedef int first_kernel_difference(const float *d_x, int64_t n, float *d_y);

// Step 6. y[i] = coefs[0] + coefs[1] x[i] + .. + coefs[7] x[i]^7. d_x, d_y: [n] float, |x| <= 1.
// coefs: host memory; the caller may change it when the step has returned.
enum { FIRST_KERNEL_COEFS = 8 };
typedef int first_kernel_polynomial(const float *d_x, int64_t n,
                                    const float coefs[FIRST_KERNEL_COEFS], float *d_y);

// Steps 7 and 8. y[i] = table[index[i]]. d_index: [n]; d_table: [256] float; d_y: [n] float.
enum { FIRST_KERNEL_TABLE = 256 };
typedef int first_kernel_lookup(const uint8_t *d_index, int64_t n, const float *d_table,
                                float *d_y);

// Steps 9 and 10. y[i] = v after `rounds` rounds, that begin with v = x[i]: of v = v / 2 + x[i]
// where i is even, of v = sqrt(v + x[i]) where it is odd. d_x, d_y: [n] float, 1 <= x < 2; rounds:
// 0 .. 1000.
typedef int first_kernel_paths(const float *d_x, int64_t n, int rounds, float *d_y);

// Step 11, a whole program: h_y[i] = a h_x[i], on the device, in blocks of `threads` threads. h_x,
// h_y: [n] float in HOST memory. Also allocates `scratch_bytes` of device memory, which it uses for
// nothing (when 0, none). Returns the first cudaError_t that any part of it met, the kernel
// included; then h_y is left as it was. Whatever happens, it frees what it allocated, and leaves no
// error behind for the next call of the runtime. When n is 0 there is nothing to do, and it returns
// 0.
typedef int first_kernel_program(const float *h_x, int64_t n, float a, int threads,
                                 int64_t scratch_bytes, float *h_y);

// Steps 12 to 16, the bug hunts. Step 12, an election: the leader of a block is its thread 0, and
// every thread writes the leader's number. d_leader: [blocks][FIRST_KERNEL_BLOCK].
enum { FIRST_KERNEL_BLOCK = 256 };
typedef int first_kernel_elect(int64_t blocks, int32_t *d_leader);

// d_x, d_y: [n] float. Step 13: y[i] = x[i + 1] - x[i] and y[n - 1] = -x[n - 1]. Step 14: y = 2 x.
// Step 16: y = x + 2.
typedef int first_kernel_map(const float *d_x, int64_t n, float *d_y);

// Step 15: y[g][i] = the sum of x[g][k] for all k but i. d_x, d_y: [groups][FIRST_KERNEL_GROUP]
// float.
enum { FIRST_KERNEL_GROUP = 200 };
typedef int first_kernel_others(const float *d_x, int64_t groups, float *d_y);

first_kernel_scale first_kernel_step0, first_kernel_step1, first_kernel_step2, first_kernel_step3;
first_kernel_difference first_kernel_step4, first_kernel_step5;
first_kernel_polynomial first_kernel_step6;
first_kernel_lookup first_kernel_step7, first_kernel_step8;
first_kernel_paths first_kernel_step9, first_kernel_step10;
first_kernel_program first_kernel_step11;
first_kernel_elect first_kernel_step12;
first_kernel_map first_kernel_step13, first_kernel_step14, first_kernel_step16;
first_kernel_others first_kernel_step15;

// What call.c finds in ints[0] of a call.
enum first_kernel_task {
    FIRST_KERNEL_SCALE,
    FIRST_KERNEL_DIFFERENCE,
    FIRST_KERNEL_POLYNOMIAL,
    FIRST_KERNEL_LOOKUP,
    FIRST_KERNEL_PATHS,
    FIRST_KERNEL_PROGRAM,
    FIRST_KERNEL_ELECT,
    FIRST_KERNEL_FORWARD,
    FIRST_KERNEL_TWICE,
    FIRST_KERNEL_OTHERS,
    FIRST_KERNEL_PLUS_TWO
};

#ifdef __cplusplus
}
#endif
