// SPDX-License-Identifier: MIT
// Given to steps 3 to 5 of lab 14: tiles, what a warp knows of its queries by fragments, their
// scores by scale and mask, and their rows of O.
#pragma once

#include "attention.cuh"

#define WARPS 4
#define ROWS  16 // queries of a warp
#define TILE  64 // keys of a tile

// A tile of K and one of V.
template <int width> struct tiles { __half k[TILE][width], v[TILE][width]; };

// What a warp knows of its rows. A lane has rows g and g + 8 (g = lane / 4): for each the largest
// score so far and the sum of the exponentials of all its keys (step 5: scaled for powers of 2, of
// this lane's keys); and its elements of sums of values, as multiply() says.
template <int width> struct row_state { float most[2], sum[2], o[width / 8][4]; };

// Scales the scores; those of keys that a row does not see become -infinity.
template <int width>
__device__ __forceinline__ void scale_scores(float score[TILE / 8][4], const rows_of_head &h,
                                             int query, int first) {
    int row = query + threadIdx.x % WARP / 4, column = first + threadIdx.x % 4 * 2;
    const int seen[2] = {keys_seen(h, row), keys_seen(h, row + 8)};
#pragma unroll
    for (int n = 0; n < TILE / 8; n++)
#pragma unroll
        for (int e = 0; e < 4; e++)
            score[n][e] = column + n * 8 + e % 2 < seen[e / 2] ? score[n][e] * score_scale<width>()
                                                               : -CUDART_INF_F;
}

// Writes the rows: sums of values divided by the sums of exponentials, or 0 where there is no key.
// each_lane: each of the four lanes of a row has the sum of its own keys.
template <int width, bool each_lane = false>
__device__ __forceinline__ void store_rows(const row_state<width> *state, const rows_of_head &h,
                                           int query) {
    int lane = threadIdx.x % WARP;
#pragma unroll
    for (int half = 0; half < 2; half++) {
        int row = query + lane / 4 + 8 * half;
        float sum = each_lane ? sum_of_lanes<4>(state->sum[half]) : state->sum[half];
        float factor = sum > 0 ? 1 / sum : 0;
        if (row >= h.queries) continue;
        __half *o = h.o + (int64_t)row * width + lane % 4 * 2;
#pragma unroll
        for (int n = 0; n < width / 8; n++)
            *(unsigned *)(o + n * 8) =
                pack_halves(state->o[n][2 * half] * factor, state->o[n][2 * half + 1] * factor);
    }
}
