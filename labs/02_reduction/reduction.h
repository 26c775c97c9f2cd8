// The contract of lab 02, parallel reduction: what every step takes, gives and may use.
// Source of the problem and of steps 1 and 3: CS 677 lecture 3, section "Parallel Reduction".
// For C and CUDA C. It must not contain anything that only one step needs.
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum reduction_op {
    REDUCTION_SUM = 0, // x[0] + ... + x[n-1]; of no elements: 0
    REDUCTION_MAX = 1, // the largest element; of no elements: -infinity
} reduction_op;

// Returned by a step that the student has not written yet. Every cudaError_t is >= 0.
enum { REDUCTION_NOT_IMPLEMENTED = -1 };

// Reduces d_x to one float.
//
//   d_x              device, [n] float, finite values; only read. The address is a multiple of 4
//                    bytes, NOT always of 16. NULL when n is 0.
//   n                elements, 0 <= n <= 2^31
//   op               what to compute
//   d_result         device, [1] float, written in every call; it holds undefined values (NaN)
//                    before
//   d_workspace      device, 256-byte aligned, at least reduction_workspace_bytes(n) bytes
//   workspace_bytes  its size
//
// The workspace is zeroed once, before the first of many calls with different n and op. A step that
// relies on zeros must leave them behind. Apart from that its contents may be anything.
// All work goes to the default stream; a step need not wait for it to finish.
//
// Accuracy: any order of additions is allowed in which no element takes part in more than
// reduction_longest_chain(n) of them; reference.c turns this into the error bound. A maximum is
// exact.
//
// Returns 0, a cudaError_t, or REDUCTION_NOT_IMPLEMENTED. cudaErrorInvalidValue when n is negative,
// op unknown or the workspace too small.
typedef int reduction_function(const float *d_x, int64_t n, reduction_op op, float *d_result,
                               void *d_workspace, size_t workspace_bytes);

reduction_function reduction_step0, reduction_step1, reduction_step2, reduction_step3,
    reduction_step4, reduction_step5, reduction_step6, reduction_step7, reduction_step8;
reduction_function reduction_vendor; // the toolkit's library, for comparison

// Layout that the given code uses: 256 bytes for counters, then two arrays of partial results, of
// one float for every 256 elements and of one for every 65536. At least 64 KiB in all.
enum {
    REDUCTION_COUNTER_BYTES = 256,
    REDUCTION_WORKSPACE_LEAST = 64 << 10,
};

static inline size_t reduction_workspace_bytes(int64_t n) {
    size_t first = ((size_t)n + 255) / 256; // partial results of the first round
    size_t second = (first + 255) / 256;    // and of the second, which lie behind them
    size_t bytes = REDUCTION_COUNTER_BYTES + (first + second) * sizeof(float);
    bytes = (bytes + 255) / 256 * 256;
    return bytes < REDUCTION_WORKSPACE_LEAST ? REDUCTION_WORKSPACE_LEAST : bytes;
}

// The longest allowed chain of additions, that of step 0: 256 threads add ceil(n/256) elements
// each (one addition less: the first has nothing to be added to), then 255 for their sums.
static inline int64_t reduction_longest_chain(int64_t n) {
    return (n + 255) / 256 + 254;
}

#ifdef __cplusplus
}
#endif
