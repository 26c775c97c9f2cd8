// SPDX-License-Identifier: MIT
// Lab 16, step 9: each rank reads the vectors of all, in one kernel.
//
// What it fixes: a part of the ring goes through copies, kernels and events, each of which costs
// microseconds. A kernel may read its peers' memory; flags say when their data are there.
#include "two_gpus.cuh"

// TODO(student): set this to 1 when you have written the code below
#define IMPLEMENTED 0

enum { THREADS = 512, MOST_BLOCKS = 132, WIDE = 4 }; // WIDE: float4s of a thread at a time

extern "C" int two_gpus_prepare9(int64_t n, two_gpus_plan *plan) {
    if (!IMPLEMENTED) return TWO_GPUS_NOT_IMPLEMENTED;
    TWO_GPUS_TRY(two_gpus_begin_sum(n, 0, plan));
    return two_gpus_reach_peers(plan);
}

// The blocks of this number of all ranks have begun the round: the kernels before have ended.
static __device__ __forceinline__ void meet(const two_gpus_pointers &flags, int rank, int ranks,
                                            unsigned round) {
    const int peer = threadIdx.x;
    if (peer < ranks && peer != rank) {
        // TODO(student): tell the peer that this block is in this round; then wait until the peer's
        // block has told so
    }
    __syncthreads();
}

// Float4 i of the sum of all ranks' `from`, in the order of the ranks.
template <int wide>
static __device__ __forceinline__ void sum_quads(const two_gpus_pointers &from, int ranks,
                                                 int64_t i, int64_t stride, int64_t end,
                                                 float4 (&sum)[wide]) {
    for (int r = 0; r < ranks; r++) {
        const float4 *d_theirs = (const float4 *)from.of[r];
        float4 v[wide];
#pragma unroll
        for (int k = 0; k < wide; k++)
            if (i + k * stride < end) v[k] = d_theirs[i + k * stride];
#pragma unroll
        for (int k = 0; k < wide; k++) {
            if (r == 0)
                sum[k] = v[k];
            else
                sum[k] = make_float4(sum[k].x + v[k].x, sum[k].y + v[k].y, sum[k].z + v[k].z,
                                     sum[k].w + v[k].w);
        }
    }
}

static __global__ void __launch_bounds__(THREADS)
    one_shot_kernel(const __grid_constant__ two_gpus_pointers from, float *d_to, int64_t n,
                    const __grid_constant__ two_gpus_pointers flags, int rank, int ranks) {
    const int64_t stride = (int64_t)gridDim.x * THREADS, quads = n / 4;
    const int64_t thread = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    const unsigned round = two_gpus_round((unsigned *)flags.of[rank]);
    meet(flags, rank, ranks, round);
    for (int64_t i = thread; i < quads; i += WIDE * stride) {
        float4 sum[WIDE];
        sum_quads(from, ranks, i, stride, quads, sum);
#pragma unroll
        for (int k = 0; k < WIDE; k++)
            if (i + k * stride < quads) ((float4 *)d_to)[i + k * stride] = sum[k];
    }
    if (thread < n % 4) { // the last elements
        float sum = 0;
        for (int r = 0; r < ranks; r++) sum += ((const float *)from.of[r])[4 * quads + thread];
        d_to[4 * quads + thread] = sum;
    }
    two_gpus_end_round((unsigned *)flags.of[rank], round);
}

extern "C" int two_gpus_step9(int64_t n, const two_gpus_plan *plan) {
    const two_gpus_pointers flags = two_gpus_all_flags(plan);
    int64_t blocks = (n / 4 + THREADS - 1) / THREADS;
    blocks = blocks < 1 ? 1 : blocks > MOST_BLOCKS ? MOST_BLOCKS : blocks;
    for (int t = 0; t < TWO_GPUS_ROUNDS; t++) {
        const two_gpus_pointers from = two_gpus_all_from(plan, t);
        for (int r = 0; r < plan->ranks; r++) {
            const two_gpus_rank *rank = &plan->rank[r];
            TWO_GPUS_TRY(cudaSetDevice(r));
            one_shot_kernel<<<(unsigned)blocks, THREADS, 0, rank->streams[0]>>>(
                from, two_gpus_to(rank, t), n, flags, r, plan->ranks);
            TWO_GPUS_TRY(cudaGetLastError());
        }
    }
    return cudaSuccess;
}
// ladder-skeleton 8654683a12e15e52 (as it was handed out; any change makes this file yours)
