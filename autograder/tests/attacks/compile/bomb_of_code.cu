// SPDX-License-Identifier: MIT
// attack: A device function that is unrolled without end.
// step: 02_reduction 1
// stopped by: COMPILER_LIMITS
// expect: BUILD_LIMIT
// gains: holds
// limit: 3
// tier: full
template <int depth> __device__ __forceinline__ float unrolled(float x) {
    return unrolled<depth - 1>(x * 1.5f + depth) + unrolled<depth - 1>(x * x - depth);
}
template <> __device__ __forceinline__ float unrolled<0>(float x) {
    return x * 0.5f + 1.0f;
}
__global__ void bomb(float *x) {
    x[threadIdx.x] = unrolled<20>(x[threadIdx.x]);
}
