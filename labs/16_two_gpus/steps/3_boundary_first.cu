// SPDX-License-Identifier: MIT
// Lab 16, step 3: the boundary first, and the interior beside the copies.
//
// What it fixes: while edges are copied, no kernel runs. Only two rows of a rank are needed
// elsewhere: they are computed first, and copied while all others are computed.
#include "two_gpus.cuh"

// TODO(student): set this to 1 when you have written the code below
#define IMPLEMENTED 0

enum { INTERIOR, BOUNDARY };                 // streams
enum { INTERIOR_DONE, BOUNDARY_DONE, SENT }; // events

extern "C" int two_gpus_prepare3(int64_t n, two_gpus_plan *plan) {
    if (!IMPLEMENTED) return TWO_GPUS_NOT_IMPLEMENTED;
    TWO_GPUS_TRY(two_gpus_begin_grid(n, TWO_GPUS_MOST, plan));
    return two_gpus_reach_peers(plan);
}

// As in step 2, in stream BOUNDARY.
static cudaError_t send(int64_t n, const two_gpus_plan *plan, int r, int t) {
    const two_gpus_rank *rank = &plan->rank[r];
    const float *d_to = two_gpus_to(rank, t);
    const size_t row_bytes = (size_t)n * sizeof(float);
    cudaStream_t stream = rank->streams[BOUNDARY];
    TWO_GPUS_TRY(cudaSetDevice(r));
    if (r > 0) {
        float *d_there = two_gpus_to(&rank[-1], t) + (rank[-1].rows + 1) * n;
        TWO_GPUS_TRY(cudaMemcpyPeerAsync(d_there, r - 1, d_to + n, r, row_bytes, stream));
    }
    if (r + 1 < plan->ranks)
        TWO_GPUS_TRY(cudaMemcpyPeerAsync(two_gpus_to(&rank[1], t), r + 1, d_to + rank->rows * n, r,
                                         row_bytes, stream));
    return cudaEventRecord(rank->events[SENT], stream);
}

// What iteration t of the rank reads, and what it overwrites: before all work of the iteration.
static cudaError_t wait_for_last(const two_gpus_plan *plan, int r) {
    const two_gpus_rank *rank = &plan->rank[r];
    cudaStream_t boundary = rank->streams[BOUNDARY];
    TWO_GPUS_TRY(cudaSetDevice(r));
    // TODO(student): stream INTERIOR waits for one event of this rank; stream BOUNDARY for one of
    // this rank and one of each neighbour
    return cudaSuccess;
}

// The boundary in its stream, and all rows between in the other one.
static cudaError_t relax_all(int64_t n, const two_gpus_rank *rank, int t) {
    const float *d_from = two_gpus_from(rank, t);
    float *d_to = two_gpus_to(rank, t);
    cudaStream_t boundary = rank->streams[BOUNDARY], interior = rank->streams[INTERIOR];
    TWO_GPUS_TRY(two_gpus_relax_edges(rank, d_from, d_to, n, boundary));
    TWO_GPUS_TRY(cudaEventRecord(rank->events[BOUNDARY_DONE], boundary));
    // TODO(student): which rows are left for stream interior?
    return cudaEventRecord(rank->events[INTERIOR_DONE], interior);
}

extern "C" int two_gpus_step3(int64_t n, const two_gpus_plan *plan) {
    for (int t = 0; t < TWO_GPUS_ITERATIONS; t++) {
        for (int r = 0; r < plan->ranks && t > 0; r++) TWO_GPUS_TRY(wait_for_last(plan, r));
        for (int r = 0; r < plan->ranks; r++) {
            TWO_GPUS_TRY(relax_all(n, &plan->rank[r], t));
            TWO_GPUS_TRY(send(n, plan, r, t));
        }
    }
    return cudaSuccess;
}
// ladder-skeleton 053a37f4a5748175 (as it was handed out; any change makes this file yours)
