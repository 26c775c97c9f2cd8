// SPDX-License-Identifier: MIT
// Lab 16, step 6: one launch per device for all iterations; blocks wait for their neighbours.
//
// What it fixes: between two iterations all blocks of a device, and of its neighbours, wait for the
// slowest. A block needs only the rows of the block above and below it, on whichever device: their
// flags say how far they are.
#include "two_gpus.cuh"

// TODO(student): set this to 1 when you have written the code below
#define IMPLEMENTED 0

enum { THREADS = 1024 };

// Of each rank, in d_flags: 0: the block above its first one, 1 .. blocks: its own blocks, behind
// them the block below its last one. Each is the number of iterations that the block has done in
// all calls.
typedef struct side {
    const float *d_x;
    float *d_work, *d_y; // [rows + 2][n]
    int64_t n, rows;
    unsigned *d_flags;
    // Of the rank before and after this one: the row of d_work and d_y that is this one's first or
    // last, and the flag that tells of this one's first or last block. NULL: there is none.
    float *d_work_above, *d_y_above, *d_work_below, *d_y_below;
    unsigned *d_flag_above, *d_flag_below;
} side;

// Rows [top, end) of d_to, and of them what the neighbours need.
static __device__ __forceinline__ void relax_band(const side &s, int t, int64_t top, int64_t end) {
    const float *d_from = t == 0 ? s.d_x : t % 2 == 1 ? s.d_work : s.d_y;
    float *d_to = t % 2 == 0 ? s.d_work : s.d_y;
    float *d_above = top > 1 ? NULL : t % 2 == 0 ? s.d_work_above : s.d_y_above;
    float *d_below = end <= s.rows ? NULL : t % 2 == 0 ? s.d_work_below : s.d_y_below;
    for (int64_t row = top; row < end; row += TWO_GPUS_TALL)
        for (int64_t column = threadIdx.x; column < s.n; column += THREADS)
            two_gpus_relax_column(d_from, d_to, s.n, column, row, min(row + TWO_GPUS_TALL, end));
    for (int64_t column = threadIdx.x; column < s.n; column += THREADS) {
        if (d_above) d_above[column] = d_to[s.n + column];
        if (d_below) d_below[column] = d_to[s.rows * s.n + column];
    }
}

static __global__ void __launch_bounds__(THREADS) jacobi_kernel(const __grid_constant__ side s) {
    const unsigned block = blockIdx.x + 1;
    const int64_t top = 1 + s.rows * blockIdx.x / gridDim.x;
    const int64_t end = 1 + s.rows * (blockIdx.x + 1) / gridDim.x;
    const bool first = block == 1, last = block == gridDim.x;
    const unsigned before = s.d_flags[block];
    for (int t = 0; t < TWO_GPUS_ITERATIONS; t++) {
        // TODO(student): one thread waits until the block above has done t iterations, another one
        // the same of the block below, if there are such: near, or on another device
        // (d_flag_above, d_flag_below). When all threads know it, the band; when all
        // are done, the block's own flag, and that of a neighbour on another device.
    }
}

// Blocks of a rank: as many as run at once, but none without rows.
static cudaError_t count_blocks(int64_t rows, int *out_blocks) {
    int device = 0, multiprocessors = 0, resident = 0;
    TWO_GPUS_TRY(cudaGetDevice(&device));
    TWO_GPUS_TRY(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
    TWO_GPUS_TRY(
        cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, jacobi_kernel, THREADS, 0));
    int64_t blocks = (int64_t)multiprocessors * resident;
    *out_blocks = (int)(blocks < rows ? blocks : rows);
    return cudaSuccess;
}

extern "C" int two_gpus_prepare6(int64_t n, two_gpus_plan *plan) {
    if (!IMPLEMENTED) return TWO_GPUS_NOT_IMPLEMENTED;
    TWO_GPUS_TRY(two_gpus_begin_grid(n, TWO_GPUS_MOST, plan));
    return two_gpus_reach_peers(plan);
}

extern "C" int two_gpus_step6(int64_t n, const two_gpus_plan *plan) {
    for (int r = 0; r < plan->ranks; r++) {
        const two_gpus_rank *rank = &plan->rank[r];
        int blocks = 0, before = 0;
        TWO_GPUS_TRY(cudaSetDevice(r));
        TWO_GPUS_TRY(count_blocks(rank->rows, &blocks));
        side s = {rank->d_x, rank->d_work, rank->d_y, n, rank->rows, rank->d_flags};
        if (r > 0) {
            int64_t row = (rank[-1].rows + 1) * n;
            TWO_GPUS_TRY(count_blocks(rank[-1].rows, &before));
            s.d_work_above = rank[-1].d_work + row;
            s.d_y_above = rank[-1].d_y + row;
            s.d_flag_above = rank[-1].d_flags + before + 1;
        }
        if (r + 1 < plan->ranks) {
            s.d_work_below = rank[1].d_work;
            s.d_y_below = rank[1].d_y;
            s.d_flag_below = rank[1].d_flags;
        }
        void *arguments[] = {&s};
        TWO_GPUS_TRY(cudaLaunchCooperativeKernel((const void *)jacobi_kernel, dim3(blocks),
                                                 dim3(THREADS), arguments, 0, rank->streams[0]));
    }
    return cudaSuccess;
}
// ladder-skeleton 9253b5ca7903af2d (as it was handed out; any change makes this file yours)
