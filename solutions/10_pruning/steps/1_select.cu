// SPDX-License-Identifier: MIT
// Lab 10, step 1: how large must a weight be to stay? Exactly `keep` weights shall, those of the
// largest magnitude: wanted is the keep-th largest one. Sorting would tell, and would move every
// weight many times; radix selection only counts.
//
// Magnitudes are compared as integers (pruning_magnitude). Their upper 8 bits are counted in a
// histogram. From the largest bin down, the counts are added until they reach `keep`: that bin
// holds the wanted magnitude, whose upper 8 bits are then known. Among the weights in that bin the
// next 8 bits are counted, and so on: four passes over the weights, whatever their number.
// Where it would be slow: 2^24 weights fall into a few bins only, so atomics on one histogram in
// global memory wait for each other. Each block has its own in shared memory and adds that once.
#include "pruning.h"

#include <cuda_runtime.h>

// SOLUTION SWITCH: set this to 1 when you have written the code below
#define IMPLEMENTED 1

#define THREADS     256
#define BINS        256
#define MOST_BLOCKS 1056 // 8 per SM of a large card

// The workspace. PRUNING_STATE_INTS has room for it.
typedef struct state {
    uint32_t known; // the upper bits of the wanted magnitude, as far as they are known; else 0
    int32_t rank;   // it is the rank-th largest, from 1, of those with these upper bits
    int32_t bins[BINS];
} state;

// Of the pass that looks at the bits from `shift` on: the bits above these, and the ones it counts.
__device__ __forceinline__ uint32_t upper_bits(uint32_t magnitude, int shift) {
    return shift == 24 ? 0 : magnitude >> (shift + 8);
}

__device__ __forceinline__ uint32_t bin_of(uint32_t magnitude, int shift) {
    return magnitude >> shift & (BINS - 1);
}

__global__ void __launch_bounds__(BINS) begin(int32_t keep, state *s) {
    s->bins[threadIdx.x] = 0;
    if (threadIdx.x > 0) return;
    s->known = 0;
    s->rank = keep;
}

// Counts the weights whose upper bits are the known ones. w: [count]
__global__ void __launch_bounds__(THREADS)
    count_bins(int64_t count, const float *w, int shift, state *s) {
    // SOLUTION BEGIN
    __shared__ int bins[BINS];
    for (int b = threadIdx.x; b < BINS; b += THREADS) bins[b] = 0;
    __syncthreads();
    uint32_t known = upper_bits(s->known, shift);
    int64_t stride = (int64_t)gridDim.x * THREADS;
    for (int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x; i < count; i += stride) {
        uint32_t m = pruning_magnitude(__float_as_uint(w[i]));
        if (upper_bits(m, shift) == known) atomicAdd(&bins[bin_of(m, shift)], 1);
    }
    __syncthreads();
    for (int b = threadIdx.x; b < BINS; b += THREADS)
        if (bins[b] > 0) atomicAdd(&s->bins[b], bins[b]);
    // SOLUTION TODO: a histogram per block in shared memory: clear it, wait, let each thread count
    // SOLUTION TODO: its weights (i, i + stride, ..) with atomicAdd, wait, then add the bins that
    // SOLUTION TODO: are not 0 to s->bins. A weight counts when upper_bits(its magnitude, shift)
    // SOLUTION TODO: are those of s->known.
}

// One block, a thread per bin: finds the bin of the rank-th largest and clears the bins for the
// next pass.
__global__ void __launch_bounds__(BINS) pick(int shift, state *s, int32_t *select) {
    // SOLUTION BEGIN
    __shared__ int bins[BINS];
    int own = threadIdx.x, larger = 0, rank = s->rank;
    bins[own] = s->bins[own];
    __syncthreads(); // all have read the rank, too
    for (int b = own + 1; b < BINS; b++) larger += bins[b];
    s->bins[own] = 0;
    if (larger >= rank || larger + bins[own] < rank) return; // for one thread neither is so
    s->known |= (uint32_t)own << shift;
    s->rank = rank - larger;
    if (shift > 0) return;
    select[0] = (int32_t)s->known;
    select[1] = s->rank;
    // SOLUTION TODO: `larger` is the sum of the bins above the thread's own. The wanted one is in
    // SOLUTION TODO: the own bin when larger < rank <= larger + own bin: that thread notes the bits
    // SOLUTION TODO: in s->known and the rank within the bin; after the last pass (shift 0) they
    // SOLUTION TODO: are the answer, both numbers. Every thread clears its bin.
}

__global__ void select_none(int32_t *select) {
    select[0] = 0x7fffffff;
    select[1] = 0;
}

extern "C" int pruning_step1(const pruning_task *task) {
    if (!IMPLEMENTED) return PRUNING_NOT_IMPLEMENTED;
    if (pruning_refuses(task) || task->op != PRUNING_SELECT) return cudaErrorInvalidValue;
    int64_t count = task->shape.rows * task->shape.cols,
            blocks = (count + 4 * THREADS - 1) / (4 * THREADS);
    state *s = (state *)task->d_workspace;
    if (task->keep == 0) {
        select_none<<<1, 1>>>(task->d_select);
        return cudaGetLastError();
    }
    begin<<<1, BINS>>>((int32_t)task->keep, s);
    for (int shift = 24; shift >= 0; shift -= 8) {
        count_bins<<<(unsigned)(blocks < MOST_BLOCKS ? blocks : MOST_BLOCKS), THREADS>>>(
            count, task->d_w, shift, s);
        pick<<<1, BINS>>>(shift, s, task->d_select);
    }
    return cudaGetLastError();
}
