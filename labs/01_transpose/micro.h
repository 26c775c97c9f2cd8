// SPDX-License-Identifier: MIT
// The micro-ladders of lab 01: kernels that read by one pattern each (micro.cu). Given, for looking
// at.
#ifndef TRANSPOSE_MICRO_H
#define TRANSPOSE_MICRO_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
    MICRO_THREADS = 256,
    MICRO_MOST_STRIDE = 33,
    MICRO_SHARED_LOADS = 256 // a thread
};

// Thread i of blocks * MICRO_THREADS loads x[i * stride + offset], once.
// x: [blocks * MICRO_THREADS * stride + offset] float, finite. sink: [1], never written.
int micro_global(const float *d_x, int stride, int offset, int blocks, float *d_sink);

// Lane l loads words l * stride + k of shared memory, k = 0, 1, .., MICRO_SHARED_LOADS of them.
int micro_shared(int stride, int blocks, float *d_sink);

#ifdef __cplusplus
}
#endif
#endif
