// SPDX-License-Identifier: MIT
// Given to lab 14's steps 7 and 8, in which two groups alternate: the sizes of blocks, the stages
// of K and V with their barriers, the products of step 6, and what scores become.
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

// Starts the products x = Q K^T of the group's queries and a block of keys.
template <int width>
__device__ __forceinline__ void start_scores(float (&x)[KEYS / 2], const tile<width, GROUP_ROWS> *q,
                                             const tile<width, KEYS> *k) {
    begin_products();
#pragma unroll
    for (int p = 0; p < width / PART; p++) {
        const int box = p * PART / BOX_COLUMNS, inside = p * PART % BOX_COLUMNS;
        multiply_tiles<KEYS>(x, name_rows(q->box[box]) + inside * 2 / 16,
                             name_rows(k->box[box]) + inside * 2 / 16, p > 0);
    }
    end_products();
}

// Starts the products o += P V of a block of keys.
template <int width>
__device__ __forceinline__ void start_values(float (&o)[width / 2], const unsigned (&p)[KEYS / 4],
                                             const tile<width, KEYS> *v) {
    begin_products();
#pragma unroll
    for (int i = 0; i < KEYS / PART; i++)
        multiply_words<width>(o, &p[4 * i], name_depth_rows(v) + i * PART * 128 / 16, true);
    end_products();
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
