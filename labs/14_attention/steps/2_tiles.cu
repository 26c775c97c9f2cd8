// SPDX-License-Identifier: MIT
// Lab 14, step 2: tiles of K and V in shared memory, for all warps of a block.
//
// What it fixes: lanes read rows of K that are 256 bytes apart, and each warp reads all of K and V.
// Why it is slow: 32 multiply-adds per warp instruction, where a tensor core does 2,048.
#include "rows.cuh"

// TODO(student): set this to 1 when you have written the code below
#define IMPLEMENTED 0

#define TILE WARP // keys of a tile: one for each lane
#define PAD  8    // halves after a row of K: rows that eight lanes read begin in other banks

// A tile of K and one of V.
template <int width> struct tiles { __half k[TILE][width + PAD], v[TILE][width]; };

// Copies the keys and values from `first` on, 16 bytes at a time; the last key stands for those
// that are not there.
template <int width>
__device__ __forceinline__ void copy_tiles(tiles<width> *to, const rows_of_head &h, int first) {
    constexpr int chunks = width / EACH; // of a row
#pragma unroll
    for (int i = threadIdx.x; i < TILE * chunks; i += WARPS * WARP) {
        int row = i / chunks, column = i % chunks * EACH;
        int64_t from = (int64_t)min(first + row, h.keys - 1) * width + column;
        // TODO(student): one uint4 of K and one of V
        (void)from, (void)row, (void)column;
    }
}

// Scores of the lane's key with the warp's queries. q: [ROWS][width], scaled, in shared memory.
template <int width>
__device__ __forceinline__ void multiply_key(float score[ROWS], const float (*q)[width],
                                             const __half (*k)[width + PAD]) {
    int lane = threadIdx.x % WARP;
#pragma unroll
    for (int r = 0; r < ROWS; r++) score[r] = 0;
    for (int c = 0; c < width; c += EACH) {
        float key[EACH];
        load_halves(&k[lane][c], key);
#pragma unroll
        for (int r = 0; r < ROWS; r++)
#pragma unroll
            for (int e = 0; e < EACH; e++) score[r] = fmaf(q[r][c + e], key[e], score[r]);
    }
}

// Takes the scores of 32 keys, one per lane, into account: score[r] becomes its exponential.
template <int width>
__device__ __forceinline__ void move_maximum(row_state<width> *state, float score[ROWS]) {
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
        float most = fmaxf(state->most[r], largest_of_lanes(score[r]));
        float base = most == -CUDART_INF_F ? 0 : most; // no key so far: no difference of infinities
        float factor = __expf(state->most[r] - base);
        score[r] = __expf(score[r] - base);
        state->sum[r] = state->sum[r] * factor + score[r];
#pragma unroll
        for (int c = 0; c < width / WARP; c++) state->o[r][c] *= factor;
        state->most[r] = most;
    }
}

// Adds the lane's columns of 32 values, times the exponentials that the lanes have.
template <int width>
__device__ __forceinline__ void add_values(row_state<width> *state, const float score[ROWS],
                                           const __half (*value)[width]) {
    constexpr int columns = width / WARP;
    for (int j = 0; j < TILE; j++) {
        float v[columns];
#pragma unroll
        for (int c = 0; c < columns; c += 2) {
            float2 pair =
                __half22float2(*(const __half2 *)&value[j][threadIdx.x % WARP * columns + c]);
            v[c] = pair.x;
            v[c + 1] = pair.y;
        }
#pragma unroll
        for (int r = 0; r < ROWS; r++) {
            float p = __shfl_sync(~0u, score[r], j);
#pragma unroll
            for (int c = 0; c < columns; c++) state->o[r][c] = fmaf(p, v[c], state->o[r][c]);
        }
    }
}

// Block (x, y): WARPS * ROWS queries of head y.
template <int width>
__global__ void __launch_bounds__(WARPS *WARP) tiled(const attention_task task) {
    __shared__ __align__(16) float q_rows[WARPS][ROWS][width];
    __shared__ __align__(16) tiles<width> tile;
    rows_of_head h = select_head<width>(task, blockIdx.y);
    int warp = threadIdx.x / WARP, lane = threadIdx.x % WARP;
    int query = (blockIdx.x * WARPS + warp) * ROWS;
    for (int i = lane; i < ROWS * width; i += WARP)
        q_rows[warp][i / width][i % width] =
            query + i / width < h.queries
                ? __half2float(h.q[(int64_t)query * width + i]) * score_scale<width>()
                : 0;
    row_state<width> state = {};
#pragma unroll
    for (int r = 0; r < ROWS; r++) state.most[r] = -CUDART_INF_F;
    // what the last row of the block sees: barriers are for all warps
    int last = keys_seen(h, (blockIdx.x + 1) * WARPS * ROWS - 1);
    for (int first = 0; first < last; first += TILE) {
        // TODO(student): copy_tiles, scores of the lane's key, -infinity for rows that do not see
        // it, move_maximum, add_values. Where do the warps have to wait for each
        // other?
        (void)lane;
    }
    store_rows<width>(&state, h, query);
}

extern "C" int attention_step2(const attention_task *task) {
    if (!IMPLEMENTED) return ATTENTION_NOT_IMPLEMENTED;
    return launch_attention(tiled<64>, tiled<128>, WARPS, ROWS, 0, task);
}
// ladder-skeleton aa4566a68deef2a4 (as it was handed out; any change makes this file yours)
