// SPDX-License-Identifier: MIT
// Lab 00, step 5: the adjacent difference through a tile in shared memory.
//
// What step 4 wastes: warps execute two loads where one would do. A block loads its 256
// elements once, and the threads take their neighbours' from the tile. (On cards with an L1 cache
// the second load of step 4 is found there.)
#include "first_kernel.h"

#include <cuda_runtime.h>

// TODO(student): set this to 1 when you have written the code below
#define IMPLEMENTED 0

#define THREADS 256

// x, y: [n]. The tile holds the block's elements, and before them the last one of the block before:
//   tile   [ 0          | 1      2        ..  256             ]
//          x[first - 1]   x[first]  x[first + 1] ..  x[first + 255]
__global__ void tiled(const float *x, int64_t n, float *y) {
    __shared__ float tile[THREADS + 1];
    unsigned t = threadIdx.x;
    int64_t i = (int64_t)blockIdx.x * THREADS + t;
    // TODO(student): each thread loads its element into tile[t + 1], thread 0 also what belongs
    // into tile[0]; a barrier for all threads; then the difference of two words of
    // the tile. Which threads have no element?
    (void)tile, (void)i;
}

extern "C" int first_kernel_step5(const float *d_x, int64_t n, float *d_y) {
    if (!IMPLEMENTED) return FIRST_KERNEL_NOT_IMPLEMENTED;
    if (n == 0) return cudaSuccess;
    int64_t blocks = (n + THREADS - 1) / THREADS;
    tiled<<<(unsigned)blocks, THREADS>>>(d_x, n, d_y);
    return cudaGetLastError();
}
// ladder-skeleton ac154dc4e2295474 (as it was handed out; any change makes this file yours)
