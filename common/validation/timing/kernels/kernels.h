// What the kernels of kernels.def share: one signature and the sizes of their arrays.
#pragma once

#include <stdint.h>

enum { TIMING_ELEMS = 8 << 20, TIMING_TAPS = 1024 }; // 32 MiB an array

// x, y:  [TIMING_ELEMS] floats in 0.5 .. 1.5
// out:   [TIMING_ELEMS] zeros before each launch; used as words or doubles too
// words: [TIMING_ELEMS] random 32-bit words
// next:  [TIMING_ELEMS] next[i] = (i * 1664525 + 1013904223) % TIMING_ELEMS; taken modulo any power
//        of 2, one cycle through all indices below it
// n:     the size of the row of kernels.def; what it counts, the kernel says
#define TIMING_ARGUMENTS                                                                           \
    const float *x, const float *y, float *out, const uint32_t *words, const uint32_t *next, int n

#define TIMING(name) extern "C" __global__ void name(TIMING_ARGUMENTS)

// Fills the constant memory of grids.cu with taps [TIMING_TAPS]; a CUDA error code.
int timing_set_taps(const float *taps);

#ifdef __CUDACC__
#define THREAD  (blockIdx.x * blockDim.x + threadIdx.x)
#define THREADS (gridDim.x * blockDim.x)
#define LANE    (threadIdx.x % 32)
#define WARP    (THREAD / 32)
#define FULL    0xffffffffu

static __device__ inline float warp_sum(float v) {
    for (int d = 16; d > 0; d /= 2) v += __shfl_xor_sync(FULL, v, d);
    return v;
}

static __device__ inline uint32_t mix(uint32_t h) {
    h = (h ^ (h >> 16)) * 0x7feb352du;
    h = (h ^ (h >> 15)) * 0x846ca68bu;
    return h ^ (h >> 16);
}
#endif
