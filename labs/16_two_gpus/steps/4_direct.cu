// SPDX-License-Identifier: MIT
// Lab 16, step 4: the kernel stores its edges in the neighbours' memory.
//
// What it fixes: two launches and two copies for two rows, each of which costs microseconds. A
// kernel may store to a peer's memory as to its own; then there is nothing to copy.
#include "two_gpus.cuh"

// TODO(student): set this to 1 when you have written the code below
#define IMPLEMENTED 0

enum { DONE }; // the event behind a rank's kernel

extern "C" int two_gpus_prepare4(int64_t n, two_gpus_plan *plan) {
    if (!IMPLEMENTED) return TWO_GPUS_NOT_IMPLEMENTED;
    TWO_GPUS_TRY(two_gpus_begin_grid(n, TWO_GPUS_MOST, plan));
    return two_gpus_reach_peers(plan);
}

// Rows 1 to `rows` of d_to: [rows + 2][n], of d_from. d_above: [n], the row of the rank before
// that is this one's first; d_below: likewise of the rank after it; NULL: there is none.
static __global__ void relax_kernel(const float *d_from, float *d_to, int64_t n, int64_t rows,
                                    float *d_above, float *d_below) {
    int64_t column = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
    int64_t top = 1 + blockIdx.y * (int64_t)TWO_GPUS_TALL;
    int64_t end = min(top + TWO_GPUS_TALL, rows + 1);
    if (column >= n) return;
    two_gpus_relax_column(d_from, d_to, n, column, top, end);
    // TODO(student): which threads have just computed row 1, which row `rows`? They store it once
    // more.
}

// The rank's stream waits for its neighbours' kernels of iteration t - 1.
static cudaError_t wait_for_neighbours(const two_gpus_plan *plan, int r) {
    const two_gpus_rank *rank = &plan->rank[r];
    // TODO(student): what do these read and write that the next kernel writes and reads?
    return cudaSuccess;
}

extern "C" int two_gpus_step4(int64_t n, const two_gpus_plan *plan) {
    for (int t = 0; t < TWO_GPUS_ITERATIONS; t++) {
        for (int r = 0; r < plan->ranks; r++) {
            const two_gpus_rank *rank = &plan->rank[r];
            cudaStream_t stream = rank->streams[0];
            bool has_before = r > 0, has_after = r + 1 < plan->ranks;
            float *d_above =
                has_before ? two_gpus_to(&rank[-1], t) + (rank[-1].rows + 1) * n : NULL;
            float *d_below = has_after ? two_gpus_to(&rank[1], t) : NULL;
            TWO_GPUS_TRY(cudaSetDevice(r));
            if (t > 0) TWO_GPUS_TRY(wait_for_neighbours(plan, r));
            relax_kernel<<<two_gpus_relax_blocks(n, rank->rows), TWO_GPUS_THREADS, 0, stream>>>(
                two_gpus_from(rank, t), two_gpus_to(rank, t), n, rank->rows, d_above, d_below);
            TWO_GPUS_TRY(cudaGetLastError());
        }
        for (int r = 0; r < plan->ranks; r++) {
            TWO_GPUS_TRY(cudaSetDevice(r));
            TWO_GPUS_TRY(cudaEventRecord(plan->rank[r].events[DONE], plan->rank[r].streams[0]));
        }
    }
    return cudaSuccess;
}
// ladder-skeleton ad458c12c5120156 (as it was handed out; any change makes this file yours)
