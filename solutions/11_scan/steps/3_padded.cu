// SPDX-License-Identifier: MIT
// Lab 11, step 3: the tree of step 2 in an array that leaves out one word after every 32.
// Scheme: Harris, Sengupta, Owens, "Parallel prefix sum (scan) with CUDA", GPU Gems 3, 2007.
//
// What it fixes: words whose distance is a power of two lie in different banks. What stays: 20
// barriers for each tile, and few threads that work between most of them.
#include "scan.cuh"

// SOLUTION SWITCH: set this to 1 when you have written the code below
#define IMPLEMENTED 1

#define THREADS 512
#define TILE    (2 * THREADS)

// Where element i of the tile lies.
__device__ __forceinline__ int place(int i) {
    // SOLUTION BEGIN
    return i + i / 32;
    // SOLUTION TODO: leave out one word after every 32
    // SOLUTION STUB: return i;
}

// x, y: [n]; x may be y. One block.
template <class T>
__global__ void __launch_bounds__(THREADS) padded(const T *x, T *y, int64_t n, bool exclusive) {
    __shared__ T sums[TILE + TILE / 32];
    int t = threadIdx.x;
    T carry = 0; // sum of all tiles before this one
    for (int64_t first = 0; first < n; first += TILE) {
        T own[2];
        for (int k = 0; k < 2; k++) {
            int64_t i = first + k * THREADS + t;
            own[k] = i < n ? x[i] : T(0);
            sums[place(k * THREADS + t)] = own[k];
        }
        // Up: the last element of each piece of 2 * stride gets the piece's sum.
        // SOLUTION BEGIN
        for (int stride = 1; stride < TILE; stride *= 2) {
            __syncthreads();
            int right = 2 * stride * (t + 1) - 1;
            if (right < TILE) {
                sums[place(right)] += sums[place(right - stride)];
            }
        }
        // SOLUTION TODO: thread t adds up piece t: its right half ends at 2 * stride * (t + 1) - 1,
        // SOLUTION TODO: its left half `stride` before
        __syncthreads();
        T total = sums[place(TILE - 1)];
        __syncthreads(); // all have read it
        if (t == 0) {
            sums[place(TILE - 1)] = 0;
        }
        // Down: the last element of a piece holds the sum of what lies before the piece. The left
        // half gets this sum; the right half gets it with the left half's sum added.
        // SOLUTION BEGIN
        for (int stride = TILE / 2; stride >= 1; stride /= 2) {
            __syncthreads();
            int right = 2 * stride * (t + 1) - 1;
            if (right < TILE) {
                T left = sums[place(right - stride)];
                sums[place(right - stride)] = sums[place(right)];
                sums[place(right)] += left;
            }
        }
        // SOLUTION TODO: the strides the other way round
        __syncthreads();
        for (int k = 0; k < 2; k++) {
            int64_t i = first + k * THREADS + t;
            T before = carry + sums[place(k * THREADS + t)];
            if (i < n) {
                y[i] = exclusive ? before : before + own[k];
            }
        }
        carry += total;
        __syncthreads(); // the next tile overwrites the sums
    }
}

extern "C" int scan_step3(const void *d_x, int64_t n, scan_type type, scan_kind kind, void *d_y,
                          void *d_workspace, size_t workspace_bytes) {
    if (!IMPLEMENTED) return SCAN_NOT_IMPLEMENTED;
    if (!scan_call_is_valid(n, type, kind, workspace_bytes)) return cudaErrorInvalidValue;
    return scan_in_one_block(padded<unsigned>, padded<float>, THREADS, d_x, n, type, kind, d_y);
}
