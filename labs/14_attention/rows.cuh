// SPDX-License-Identifier: MIT
// Given to steps 1 and 2 of lab 14: what a warp knows of its queries, and their rows of O.
#pragma once

#include "attention.cuh"

#define WARPS 4
#define ROWS  8 // queries of a warp

// What a warp knows of its rows: for each the maximum of the scores so far, the sum of the
// exponentials of this lane's keys, and columns lane * width / 32 .. of the sums of values; both
// sums relative to the maximum.
template <int width> struct row_state { float most[ROWS], sum[ROWS], o[ROWS][width / WARP]; };

// Writes the rows: sums of values divided by the sums of exponentials, or 0 where there is no key.
template <int width>
__device__ __forceinline__ void store_rows(row_state<width> *state, const rows_of_head &h,
                                           int query) {
    constexpr int columns = width / WARP;
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
        float sum = sum_of_lanes(state->sum[r]), factor = sum > 0 ? 1 / sum : 0;
        if (query + r >= h.queries) break;
        __half *o = h.o + (int64_t)(query + r) * width + threadIdx.x % WARP * columns;
        unsigned pairs[columns / 2];
#pragma unroll
        for (int c = 0; c < columns; c += 2)
            pairs[c / 2] = pack_halves(state->o[r][c] * factor, state->o[r][c + 1] * factor);
        if constexpr (columns == 2)
            *(unsigned *)o = pairs[0];
        else
            *(unsigned long long *)o = (unsigned long long)pairs[columns / 2 - 1] << 32 | pairs[0];
    }
}
