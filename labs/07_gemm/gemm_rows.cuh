// SPDX-License-Identifier: MIT
// Given to lab 07's last step: products of a few rows, up to GEMM_FLAT_MOST. For one row and for
// one column see gemm.cuh.
#pragma once

#include "gemm_slim.cuh"

// ---- few rows: lanes go along k, a warp has FLAT_EACH columns ----
//
// B is what has to be read. A thread copies its elements into addresses of shared memory that are
// its own, FLAT_RING - 1 steps before it multiplies them, so that nobody else waits; A comes in
// chunks for all warps of the block.

#define FLAT_EACH    8
#define FLAT_COLUMNS (SLIM_WARPS * FLAT_EACH) // a block
#define FLAT_RUN                                                                                   \
    2 // pieces of 32 p per iteration: 256 bytes of a column, which memory likes better than 128
#define FLAT_DEEP  (32 * FLAT_RUN)
#define FLAT_RING  4   // steps that are under way or being multiplied
#define FLAT_CHUNK 512 // p of A
#define FLAT_WORDS (FLAT_RUN * FLAT_EACH * SLIM_THREADS) // words: [piece][column][thread]

template <int ROWS> struct flat_shape {
    static const int PITCH = FLAT_CHUNK + 32 / ROWS; // quads: stores of 32 lanes hit all banks
    static const int CHUNK = ROWS * PITCH;           // words: [row / 4][p] quads of rows
    static const int BYTES = 4 * (2 * CHUNK + FLAT_RING * FLAT_WORDS);
    static const int BLOCKS_AN_SM = ROWS > 8 ? 1 : 2;
};

// Starts the copy of one element, or of a zero.
__device__ __forceinline__ void copy_or_zero(unsigned to, const float *from, bool is_there) {
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(to), "l"(from),
                 "r"(is_there ? 4 : 0)
                 : "memory");
}

// Starts the copies of A's columns p0 .. p0 + FLAT_CHUNK - 1.
template <int ROWS>
__device__ __forceinline__ void copy_chunk(const gemm_part *g, unsigned to, int p0, int end) {
#pragma unroll 4
    for (int e = threadIdx.x; e < ROWS * FLAT_CHUNK; e += SLIM_THREADS) {
        int u = e % ROWS, p = e / ROWS;
        bool is_there = u < g->m && p0 + p < end;
        const float *from = g->d_a + (is_there ? (p0 + p) * g->ld + u : 0);
        copy_or_zero(to + ((u / 4 * flat_shape<ROWS>::PITCH + p) * 4 + u % 4) * 4, from, is_there);
    }
}

// Starts the copies of the thread's elements of one iteration, rows p, p + 32, .. of the columns
// from j0 on, and ends a group.
__device__ __forceinline__ void copy_step(const gemm_part *g, const float *const *b, unsigned to,
                                          int64_t j0, int p, int end) {
#pragma unroll
    for (int v = 0; v < FLAT_EACH; v++) {
#pragma unroll
        for (int r = 0; r < FLAT_RUN; r++) {
            bool is_there = j0 + v < g->n && p + 32 * r < end;
            copy_or_zero(to + (r * FLAT_EACH + v) * SLIM_THREADS * 4,
                         b[v] + (is_there ? p + 32 * r : 0), is_there);
        }
    }
    asm volatile("cp.async.commit_group;" ::: "memory");
}

// a: the lane's quads of A; b: its elements of B. sum: [column][row]
template <int ROWS>
__device__ __forceinline__ void multiply_step(const float4 *a, const float *b, float *sum) {
#pragma unroll
    for (int r = 0; r < FLAT_RUN; r++) {
        float rows[ROWS];
#pragma unroll
        for (int q = 0; q < ROWS / 4; q++) {
            *(float4 *)(rows + 4 * q) = a[q * flat_shape<ROWS>::PITCH + 32 * r];
        }
#pragma unroll
        for (int v = 0; v < FLAT_EACH; v++) {
            float column = b[(r * FLAT_EACH + v) * SLIM_THREADS];
#pragma unroll
            for (int u = 0; u < ROWS; u++) {
                sum[v * ROWS + u] = fmaf(rows[u], column, sum[v * ROWS + u]);
            }
        }
    }
}

// m <= ROWS. The chunk of a step was begun with the step FLAT_RING - 1 <= FLAT_CHUNK / FLAT_DEEP
// before it, or earlier.
template <int ROWS>
__global__ void __launch_bounds__(SLIM_THREADS, flat_shape<ROWS>::BLOCKS_AN_SM)
    few_rows(const gemm_part g) {
    typedef flat_shape<ROWS> shape;
    const int steps_per_chunk = FLAT_CHUNK / FLAT_DEEP, count = FLAT_EACH * ROWS / 32;
    extern __shared__ __align__(16) float staged[]; // two chunks, then the ring
    float *ring = staged + 2 * shape::CHUNK + threadIdx.x;
    unsigned chunks = (unsigned)__cvta_generic_to_shared(staged);
    unsigned to = (unsigned)__cvta_generic_to_shared(ring);
    int lane = threadIdx.x % 32;
    int64_t j0 = (int64_t)blockIdx.x * FLAT_COLUMNS + threadIdx.x / 32 * FLAT_EACH;
    int begin, end = slim_range(&g, &begin);
    const float *b[FLAT_EACH];
    float sum[FLAT_EACH * ROWS] = {};
#pragma unroll
    for (int v = 0; v < FLAT_EACH; v++) {
        b[v] = g.d_b + min(j0 + v, g.n - 1) * g.k;
    }
    copy_chunk<ROWS>(&g, chunks, begin, end);
#pragma unroll
    for (int step = 0; step < FLAT_RING - 1; step++) {
        copy_step(&g, b, to + step * FLAT_WORDS * 4, j0, begin + step * FLAT_DEEP + lane, end);
    }
    int steps = (end - begin + FLAT_DEEP - 1) / FLAT_DEEP, slot = 0;
#pragma unroll 1
    for (int step = 0; step < steps; step++) {
        asm volatile("cp.async.wait_group %0;" ::"n"(FLAT_RING - 2) : "memory");
        int chunk = step / steps_per_chunk, in_chunk = step % steps_per_chunk;
        if (in_chunk == 0) { // this chunk is there for all, and the one before it has been read
            __syncthreads();
            copy_chunk<ROWS>(&g, chunks + (chunk + 1) % 2 * shape::CHUNK * 4,
                             begin + (chunk + 1) * FLAT_CHUNK, end);
        }
        int last = slot == 0 ? FLAT_RING - 1 : slot - 1;
        copy_step(&g, b, to + last * FLAT_WORDS * 4, j0,
                  begin + (step + FLAT_RING - 1) * FLAT_DEEP + lane, end);
        multiply_step<ROWS>((const float4 *)(staged + chunk % 2 * shape::CHUNK) +
                                in_chunk * FLAT_DEEP + lane,
                            ring + slot * FLAT_WORDS, sum);
        slot = slot + 1 == FLAT_RING ? 0 : slot + 1;
    }
    add_lanes<count>(sum);
    slim_place mine[count];
#pragma unroll
    for (int e = 0; e < count; e++) {
        int u = (lane * count + e) % ROWS;
        int64_t j = j0 + (lane * count + e) / ROWS;
        mine[e].at = u < g.m && j < g.n ? j * g.ld + u : -1;
        mine[e].sum = sum[e];
    }
    finish_slim<count>(&g, mine);
}

template <int ROWS> static int launch_few_rows(const gemm_part *g, int sms) {
    typedef flat_shape<ROWS> shape;
    cudaError_t code = cudaFuncSetAttribute(
        few_rows<ROWS>, cudaFuncAttributeMaxDynamicSharedMemorySize, shape::BYTES);
    if (code == cudaSuccess) {
        dim3 grid = slim_grid(g, g->n, FLAT_COLUMNS, FLAT_CHUNK, shape::BLOCKS_AN_SM * sms);
        few_rows<ROWS><<<grid, SLIM_THREADS, shape::BYTES>>>(*g);
        code = cudaGetLastError();
    }
    return code;
}
