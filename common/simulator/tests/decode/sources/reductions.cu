// SPDX-License-Identifier: MIT
// Reductions: shared memory, shuffles, redux, vector loads, cooperative groups.
// Input of decode/nvcc.c: what nvcc makes of it must decode; nobody runs it.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;

extern "C" __global__ void interleaved(const float *in, float *out, int n) {
    extern __shared__ float cache[];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    cache[threadIdx.x] = i < n ? in[i] : 0;
    __syncthreads();
    for (int stride = 1; stride < blockDim.x; stride *= 2) {
        if (threadIdx.x % (2 * stride) == 0) cache[threadIdx.x] += cache[threadIdx.x + stride];
        __syncthreads();
    }
    if (threadIdx.x == 0) out[blockIdx.x] = cache[0];
}

template <typename T> __device__ T warp_sum(T value) {
    for (int offset = 16; offset > 0; offset /= 2)
        value += __shfl_down_sync(0xFFFFFFFFu, value, offset);
    return value;
}

template <typename T> __global__ void shuffled(const T *in, T *out, int n) {
    __shared__ T partial[32];
    T sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        sum += in[i];
    sum = warp_sum(sum);
    if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x >= 32) return;
    sum = warp_sum(threadIdx.x < blockDim.x / 32 ? partial[threadIdx.x] : T(0));
    if (threadIdx.x == 0) atomicAdd(out, sum);
}
template __global__ void shuffled<float>(const float *, float *, int);
template __global__ void shuffled<double>(const double *, double *, int);
template __global__ void shuffled<int>(const int *, int *, int);

extern "C" __global__ void vectorised(const float4 *in, float *out, int n) {
    float4 sum = {};
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        float4 v = in[i];
        sum.x += v.x, sum.y += v.y, sum.z += v.z, sum.w += v.w;
    }
    out[threadIdx.x] = sum.x + sum.y + sum.z + sum.w;
}

extern "C" __global__ void grouped(const int *in, int *out) {
    auto block = cg::this_thread_block();
    auto tile = cg::tiled_partition<8>(block);
    int sum = cg::reduce(tile, in[block.thread_rank()], cg::plus<int>());
    block.sync();
    if (tile.thread_rank() == 0) out[block.thread_rank() / 8] = sum;
    out[0] = __reduce_max_sync(0xFFFFFFFFu, sum);
}

// The last block adds what the others left: needs a fence and a counter.
__device__ unsigned blocks_done;
extern "C" __global__ void single_pass(const float *in, volatile float *partial, float *out) {
    __shared__ bool is_last;
    float sum = warp_sum(in[blockIdx.x * 32 + threadIdx.x]);
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = sum;
        __threadfence();
        is_last = atomicInc(&blocks_done, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (!is_last) return;
    sum = 0;
    for (int i = threadIdx.x; i < gridDim.x; i += 32) sum += partial[i];
    sum = warp_sum(sum);
    if (threadIdx.x == 0) *out = sum;
}
