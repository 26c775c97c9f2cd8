// SPDX-License-Identifier: MIT
// Lab 02, step 8: one launch and a fixed order of additions: each block stores its partial result
// and takes a ticket; the block with the last ticket knows that all are there, and reduces them.
// Scheme: CUDA C++ Programming Guide, "Memory Fence Functions".
//
// What it fixes: the second launch, leaving nothing to chance and without setting the result first.
// The ticket must be 0 again at the end, or the next call fails.
#include "reduction.cuh"

// SOLUTION SWITCH: set this to 1 when you have written the code below
#define IMPLEMENTED 1

#define THREADS       256
#define WARP          32
#define ALL_LANES     0xffffffffu
#define WIDE          8                  // 16-byte loads in flight per thread: 32 elements
#define BLOCKS_PER_SM 4                  // 4 x 256 threads x 128 bytes: 128 KiB in flight on an SM
#define TILE          (THREADS * WIDE)   // vectors that a block reads in one iteration: 32 KiB
#define LONG_ARRAY    ((int64_t)1 << 25) // elements from which twice the blocks even out the end

// The block's values combined; valid in thread 0. All threads must call it; `partial` is free after
// the next barrier.
template <int op> __device__ __forceinline__ float reduce_block(float value, float *partial) {
    // SOLUTION BEGIN
    unsigned t = threadIdx.x;
    for (int distance = WARP / 2; distance >= 1; distance /= 2) {
        value = combine<op>(value, __shfl_down_sync(ALL_LANES, value, distance));
    }
    if (t % WARP == 0) {
        partial[t / WARP] = value;
    }
    __syncthreads();
    if (t < WARP) {
        value = t < THREADS / WARP ? partial[t] : identity<op>();
        for (int distance = THREADS / WARP / 2; distance >= 1; distance /= 2) {
            value = combine<op>(value, __shfl_down_sync(ALL_LANES, value, distance));
        }
    }
    // SOLUTION TODO: as in step 5: each warp, then the first warp
    return value;
}

// This thread's share of x: [n].
template <int op> __device__ __forceinline__ float reduce_share(const float *x, int64_t n) {
    float value = identity<op>();
    // SOLUTION BEGIN
    int64_t head = head_of(x, n);
    int64_t count4 = (n - head) / 4; // whole vectors
    const float4 *x4 = (const float4 *)(x + head);

    // Whole tiles: a block's WIDE loads per thread cover one contiguous piece of 32 KiB.
    int64_t tiles = count4 / TILE;
    for (int64_t tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        const float4 *from = x4 + tile * TILE + threadIdx.x;
        float4 v[WIDE];
#pragma unroll
        for (int k = 0; k < WIDE; k++) {
            v[k] = from[k * THREADS];
        }
#pragma unroll
        for (int k = 0; k < WIDE; k++) {
            value = combine<op>(value, combine4<op>(v[k]));
        }
    }
    // Less than a tile is left: one vector per thread, over all blocks.
    int64_t stride = (int64_t)gridDim.x * THREADS;
    int64_t i = tiles * TILE + (int64_t)blockIdx.x * THREADS + threadIdx.x;
    for (; i < count4; i += stride) {
        value = combine<op>(value, combine4<op>(x4[i]));
    }

    // At most 3 elements before the vectors and 3 behind them.
    if (blockIdx.x == 0) {
        int64_t tail = head + 4 * count4 + threadIdx.x;
        if (threadIdx.x < head) {
            value = combine<op>(value, x[threadIdx.x]);
        }
        if (tail < n) {
            value = combine<op>(value, x[tail]);
        }
    }
    // SOLUTION TODO: as in step 6. Then try: more loads in flight, also in the last iteration;
    // SOLUTION TODO: blocks that read pieces of memory without gaps.
    return value;
}

// x: [n]; result: [1]; partial: [gridDim.x]; *ticket: 0 before and after.
template <int op>
__global__ void __launch_bounds__(THREADS, BLOCKS_PER_SM)
    last_block(const float *x, int64_t n, float *result, float *partial, unsigned *ticket) {
    __shared__ float of_warp[THREADS / WARP];
    unsigned t = threadIdx.x;

    float value = reduce_block<op>(reduce_share<op>(x, n), of_warp);
    if (gridDim.x == 1) {
        if (t == 0) {
            *result = value;
        }
        return;
    }
    // SOLUTION BEGIN
    __shared__ bool is_last;
    if (t == 0) {
        partial[blockIdx.x] = value;
        __threadfence(); // a block that sees our ticket also sees our partial result
        // atomicInc wraps to 0 after gridDim.x - 1, so the last block leaves the ticket as it was.
        bool last = atomicInc(ticket, gridDim.x - 1) == gridDim.x - 1;
        if (last) {
            __threadfence(); // no partial result may be read before the ticket was
        }
        is_last = last;
    }
    __syncthreads(); // carries thread 0's fence over to the other threads
    if (!is_last) return;
    value = identity<op>();
    for (unsigned i = t; i < gridDim.x; i += THREADS) {
        value = combine<op>(value, __ldcg(&partial[i])); // from L2: other SMs wrote them
    }
    value = reduce_block<op>(value, of_warp);
    if (t == 0) {
        *result = value;
    }
    // SOLUTION TODO: thread 0 stores the block's value in partial[blockIdx.x] and takes a
    // SOLUTION TODO: ticket with atomicInc. What must lie between the two? The block that
    // SOLUTION TODO: gets the last ticket, and only it, reduces partial[0 .. gridDim.x-1]
    // SOLUTION TODO: with all its threads, in an order that does not depend on time, and
    // SOLUTION TODO: writes *result. Choose the limit of atomicInc so that the ticket is 0
    // SOLUTION TODO: again at the end.
}

extern "C" int reduction_step8(const float *d_x, int64_t n, reduction_op op, float *d_result,
                               void *d_workspace, size_t workspace_bytes) {
    if (!IMPLEMENTED) return REDUCTION_NOT_IMPLEMENTED;
    if (!reduction_call_is_valid(n, op, workspace_bytes)) return cudaErrorInvalidValue;
    unsigned *d_ticket = (unsigned *)d_workspace;
    float *d_partial = (float *)((char *)d_workspace + REDUCTION_COUNTER_BYTES);
    int blocks = 0;
    int per_sm = BLOCKS_PER_SM * (n > LONG_ARRAY ? 2 : 1);
    int code = choose_blocks(n, 8 * THREADS, per_sm, &blocks); // from two vectors per thread on
    if (code != cudaSuccess) return code;
    auto *kernel = op == REDUCTION_SUM ? last_block<REDUCTION_SUM> : last_block<REDUCTION_MAX>;
    kernel<<<blocks, THREADS>>>(d_x, n, d_result, d_partial, d_ticket);
    return cudaGetLastError();
}
