// SPDX-License-Identifier: MIT
// Lab 10, step 2: which weights stay? All that are larger than the limit of step 1, and of those
// that equal it the first select[1]: somebody must count how many equal ones stand before each.
//
// A warp takes a segment of 256 weights, 32 at a time. __ballot_sync gives every lane a word with a
// bit for each lane whose weight equals the limit; __popc of the bits below its own is its rank
// among the 32, and of all bits what the warp carries on. What stands before the segment comes from
// a first kernel, which counts per segment, and from exclusive sums of these counts (pruning.cuh).
// No atomics: who comes first would be decided by the scheduler, and the network would differ from
// run to run.
#include "pruning.cuh"
#include "pruning.h"

// SOLUTION SWITCH: set this to 1 when you have written the code below
#define IMPLEMENTED 1

#define THREADS 256
#define WARPS   (THREADS / 32)

// counts: [segments], the weights of each that equal the limit. w: [count], select: [2]
__global__ void __launch_bounds__(THREADS)
    count_equal(int64_t count, const float *w, const int32_t *select, int32_t *counts) {
    // SOLUTION BEGIN
    int64_t segment = (int64_t)blockIdx.x * WARPS + threadIdx.x / 32,
            first = segment * PRUNING_SEGMENT;
    int lane = threadIdx.x % 32, equal = 0;
    if (first >= count) return; // the whole warp
    uint32_t limit = (uint32_t)select[0];
    for (int64_t i = first + lane; i < first + PRUNING_SEGMENT; i += 32) {
        uint32_t m = i < count ? pruning_magnitude(__float_as_uint(w[i])) : 0;
        equal += __popc(__ballot_sync(0xffffffffu, i < count && m == limit));
    }
    if (lane == 0) counts[segment] = equal;
    // SOLUTION TODO: a warp per segment of PRUNING_SEGMENT weights: lane l looks at first + l,
    // SOLUTION TODO: first + l + 32, .. All 32 lanes must reach each __ballot_sync, also those
    // SOLUTION TODO: after the last weight.
}

// before: [segments], the equal weights in all segments before. mask: [count]
__global__ void __launch_bounds__(THREADS)
    write_mask(int64_t count, const float *w, const int32_t *select, const int32_t *before,
               uint8_t *mask) {
    // SOLUTION BEGIN
    int64_t segment = (int64_t)blockIdx.x * WARPS + threadIdx.x / 32,
            first = segment * PRUNING_SEGMENT;
    int lane = threadIdx.x % 32;
    if (first >= count) return; // the whole warp
    uint32_t limit = (uint32_t)select[0], lower = (1u << lane) - 1;
    int stay = select[1], equal = before[segment];
    for (int64_t i = first + lane; i < first + PRUNING_SEGMENT; i += 32) {
        uint32_t m = i < count ? pruning_magnitude(__float_as_uint(w[i])) : 0;
        uint32_t all = __ballot_sync(0xffffffffu, i < count && m == limit);
        int rank = equal + __popc(all & lower);
        if (i < count) mask[i] = m > limit || (m == limit && rank < stay);
        equal += __popc(all);
    }
    // SOLUTION TODO: as above; a weight that equals the limit stays when fewer than select[1] equal
    // SOLUTION TODO: ones stand before it: those of the segments before, of this warp's iterations
    // SOLUTION TODO: before, and of the lanes below its own.
}

extern "C" int pruning_step2(const pruning_task *task) {
    if (!IMPLEMENTED) return PRUNING_NOT_IMPLEMENTED;
    if (pruning_refuses(task) || task->op != PRUNING_MASK) return cudaErrorInvalidValue;
    int64_t count = task->shape.rows * task->shape.cols;
    int segments = (int)((count + PRUNING_SEGMENT - 1) / PRUNING_SEGMENT);
    unsigned blocks = (unsigned)((segments + WARPS - 1) / WARPS);
    int32_t *counts = (int32_t *)task->d_workspace, *before = counts + segments + 1;
    count_equal<<<blocks, THREADS>>>(count, task->d_w, task->d_select_in, counts);
    pruning_sums(counts, segments, before);
    write_mask<<<blocks, THREADS>>>(count, task->d_w, task->d_select_in, before, task->d_mask);
    return cudaGetLastError();
}
