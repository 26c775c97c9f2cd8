// SPDX-License-Identifier: MIT
// Given to lab 14's steps 7 and 8, in which two groups alternate: the sizes of blocks, the stages
// of K and V with their barriers, and what scores become.
#pragma once

#include "boxes.cuh"

#define KEYS      128 // of a block of keys: what is copied and multiplied at once
#define STAGES    2   // blocks of keys in shared memory
#define PART      16  // depth of a product
#define CONSUMERS 2   // groups that multiply; group 0 of the block is the producer
#define ROWS      (CONSUMERS * GROUP_ROWS) // of Q that a block has
#define THREADS   ((CONSUMERS + 1) * GROUP)
#define ARRIVALS  (CONSUMERS * (GROUP / WARP)) // that empty a stage: one of each consumer's warp

// Blocks of keys on their way: K and V each have their own barriers, as K is needed first.
template <int width> struct stages {
    tile<width, KEYS> tiles[STAGES];
    barrier full[STAGES];  // a phase: the tile has arrived
    barrier empty[STAGES]; // a phase: all consumers have multiplied it
};

// The n-th block of keys of all tiles is in this stage, whose barriers are in this phase.
__device__ __forceinline__ int stage_of(int n) {
    return n % STAGES;
}
__device__ __forceinline__ unsigned phase_of(int n) {
    return n / STAGES % 2;
}

// From scores x to probabilities p, and what that means for r.
template <int width>
__device__ __forceinline__ void to_probabilities(unsigned (&p)[KEYS / 4], float (&x)[KEYS / 2],
                                                 rows *r, shape task, int query, int n) {
    if ((n + 1) * KEYS > keys_seen(task, query)) // the first query does not see all of them
        hide<KEYS>(x, task, query + row_of_thread(), n * KEYS);
    add_scores<width, KEYS>(x, r);
    to_halves<KEYS>(p, x);
}

template <int width> __device__ __forceinline__ void init_stages(stages<width> *s) {
    for (int i = 0; i < STAGES; i++) {
        init_barrier(&s->full[i], 1);
        init_barrier(&s->empty[i], ARRIVALS);
    }
}
