// SPDX-License-Identifier: MIT
// Lab 11, step 1: one block, which walks along the array; in each tile every thread adds what lies
// 1, 2, 4, .. places before it (Hillis and Steele, "Data parallel algorithms", CACM 29, 1986).
//
// Why it is slow: 10 iterations with a barrier each, in which 1,024 threads do nearly 10 * 1,024
// additions where 1,023 are needed. One SM works.
#include "scan.cuh"

// SOLUTION SWITCH: set this to 1 when you have written the code below
#define IMPLEMENTED 1

#define THREADS 1024 // a tile: one element per thread

// x, y: [n]; x may be y. One block.
template <class T>
__global__ void __launch_bounds__(THREADS) doubling(const T *x, T *y, int64_t n, bool exclusive) {
    __shared__ T sums[2][THREADS];
    int t = threadIdx.x;
    T carry = 0; // sum of all tiles before this one, the same in every thread
    for (int64_t first = 0; first < n; first += THREADS) {
        int64_t i = first + t;
        int from = 0; // which copy of the sums is complete
        sums[from][t] = i < n ? x[i] : T(0);
        // After the iteration of `stride` element t has the sum of the last 2 * stride elements.
        // SOLUTION BEGIN
        for (int stride = 1; stride < THREADS; stride *= 2) {
            __syncthreads(); // the copy that is read is complete, the other one no longer read
            T sum = sums[from][t];
            if (t >= stride) {
                sum += sums[from][t - stride];
            }
            from = 1 - from;
            sums[from][t] = sum;
        }
        // SOLUTION TODO: the loop over stride = 1, 2, 4, .. below THREADS: read one copy of the
        // SOLUTION TODO: sums, write the other. Where must the barrier stand?
        __syncthreads();
        T before = t > 0 ? sums[from][t - 1] : T(0);
        if (i < n) {
            y[i] = carry + (exclusive ? before : sums[from][t]);
        }
        carry += sums[from][THREADS - 1];
        __syncthreads(); // the next tile overwrites the sums
    }
}

extern "C" int scan_step1(const void *d_x, int64_t n, scan_type type, scan_kind kind, void *d_y,
                          void *d_workspace, size_t workspace_bytes) {
    if (!IMPLEMENTED) return SCAN_NOT_IMPLEMENTED;
    if (!scan_call_is_valid(n, type, kind, workspace_bytes)) return cudaErrorInvalidValue;
    return scan_in_one_block(doubling<unsigned>, doubling<float>, THREADS, d_x, n, type, kind, d_y);
}
