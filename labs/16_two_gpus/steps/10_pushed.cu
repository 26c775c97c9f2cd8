// SPDX-License-Identifier: MIT
// Lab 16, step 10: each value brings its own flag.
//
// What it fixes: a short message crosses the link three times: a flag, a load that asks, and its
// answer. Now each rank stores its values to all others at once, and beside each value the number
// of the round, which says that it is there.
#include "two_gpus.cuh"

// TODO(student): set this to 1 when you have written the code below
#define IMPLEMENTED 0

enum { THREADS = 512, MOST_BLOCKS = 132 };

// A box: [2][ranks][pairs_of(n)] of two values and two flags each, 16 bytes. Rounds use its halves
// in turn: who is one round ahead of another rank must not overwrite what that one still reads.
static __host__ __device__ int64_t pairs_of(int64_t n) {
    return (n + 1) / 2;
}

extern "C" int two_gpus_prepare10(int64_t n, two_gpus_plan *plan) {
    if (!IMPLEMENTED) return TWO_GPUS_NOT_IMPLEMENTED;
    TWO_GPUS_TRY(two_gpus_begin_sum(n, 2 * TWO_GPUS_MOST * (size_t)pairs_of(n) * 16, plan));
    return two_gpus_reach_peers(plan);
}

// d_from, d_to: [n], of this rank. The sum is in the order of the ranks.
static __global__ void __launch_bounds__(THREADS)
    pushed_kernel(const float *d_from, float *d_to, int64_t n,
                  const __grid_constant__ two_gpus_pointers boxes, unsigned *d_flags, int rank,
                  int ranks) {
    const int64_t pairs = pairs_of(n), stride = (int64_t)gridDim.x * THREADS;
    const unsigned round = two_gpus_round(d_flags);
    const int64_t half = round % 2 * ranks * pairs;
    for (int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x; i < pairs; i += stride) {
        const bool has_two = 2 * i + 1 < n;
        const float a = d_from[2 * i], b = has_two ? d_from[2 * i + 1] : 0;
        float sum_a = 0, sum_b = 0;
        // TODO(student): put the pair into the box of each peer, at half + rank * pairs + i, with
        // the round as its flag; then get those of all peers from the own box, and
        // add in the order of the ranks
        d_to[2 * i] = sum_a;
        if (has_two) d_to[2 * i + 1] = sum_b;
    }
    two_gpus_end_round(d_flags, round);
}

extern "C" int two_gpus_step10(int64_t n, const two_gpus_plan *plan) {
    two_gpus_pointers boxes = {{0}};
    int64_t blocks = (pairs_of(n) + THREADS - 1) / THREADS;
    blocks = blocks > MOST_BLOCKS ? MOST_BLOCKS : blocks;
    for (int r = 0; r < plan->ranks; r++) boxes.of[r] = plan->rank[r].d_box;
    for (int t = 0; t < TWO_GPUS_ROUNDS; t++) {
        for (int r = 0; r < plan->ranks; r++) {
            const two_gpus_rank *rank = &plan->rank[r];
            TWO_GPUS_TRY(cudaSetDevice(r));
            pushed_kernel<<<(unsigned)blocks, THREADS, 0, rank->streams[0]>>>(
                two_gpus_from(rank, t), two_gpus_to(rank, t), n, boxes, rank->d_flags, r,
                plan->ranks);
            TWO_GPUS_TRY(cudaGetLastError());
        }
    }
    return cudaSuccess;
}
// ladder-skeleton dddebca35c21be99 (as it was handed out; any change makes this file yours)
