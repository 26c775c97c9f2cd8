// SPDX-License-Identifier: MIT
// Lab 02, step 5: a warp reduces its 32 values in registers; shared memory holds one value per
// warp. Kernels of the lecture's time left out the barriers of the last warp and relied on lock
// step; since Volta that is a race. A shuffle names the lanes that take part and waits for them.
//
// What it fixes: barriers and shared memory: the lanes of a warp exchange values between their
// registers.
#include "reduction.cuh"

// TODO(student): set this to 1 when you have written the code below
#define IMPLEMENTED 0

#define THREADS   256
#define ELEMENTS  (2 * THREADS) // of a block
#define WARP      32
#define ALL_LANES 0xffffffffu

// The warp's 32 values combined; valid in lane 0. All 32 lanes must call it.
template <int op> __device__ __forceinline__ float reduce_warp(float value) {
    // TODO(student): five rounds, distance 16, 8, 4, 2, 1: combine with the value `distance`
    // lanes up (__shfl_down_sync with all lanes in the mask).
    return value;
}

// x: [n]; to: [gridDim.x]. Block b reduces elements b*ELEMENTS .. b*ELEMENTS+ELEMENTS-1.
template <int op> __global__ void shuffle(const float *x, int64_t n, float *to) {
    // TODO(student): load two elements as in step 4, reduce each warp, let lane 0 of each put its
    // value into shared memory, and let the first warp reduce those values and
    // write to[blockIdx.x]. How many barriers?
}

extern "C" int reduction_step5(const float *d_x, int64_t n, reduction_op op, float *d_result,
                               void *d_workspace, size_t workspace_bytes) {
    if (!IMPLEMENTED) return REDUCTION_NOT_IMPLEMENTED;
    if (!reduction_call_is_valid(n, op, workspace_bytes)) return cudaErrorInvalidValue;
    return reduce_in_rounds(shuffle<REDUCTION_SUM>, shuffle<REDUCTION_MAX>, THREADS, ELEMENTS, d_x,
                            n, op, d_result, d_workspace);
}
// ladder-skeleton c9599fdfcf1fb8c2 (as it was handed out; any change makes this file yours)
