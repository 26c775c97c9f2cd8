// SPDX-License-Identifier: MIT
// Lab 00, step 0 (given): y[i] = a x[i] by one thread of one block.
//
// Why it is slow: the thread loads an element, waits for memory, stores, and loads the next one. A
// GPU hides such waits behind other threads, and there are none. The launch starts 1 thread; one SM
// can hold 2048.
#include "first_kernel.h"

#include <cuda_runtime.h>

// x, y: [n].
__global__ void one_thread(const float *x, int64_t n, float a, float *y) {
    for (int64_t i = 0; i < n; i++) {
        y[i] = a * x[i];
    }
}

extern "C" int first_kernel_step0(const float *d_x, int64_t n, float a, float *d_y) {
    one_thread<<<1, 1>>>(d_x, n, a, d_y); // <<<blocks, threads per block>>>
    return cudaGetLastError();            // a launch returns nothing: ask for its error
}
// ladder-skeleton e734780b54168980 (as it was handed out; any change makes this file yours)
