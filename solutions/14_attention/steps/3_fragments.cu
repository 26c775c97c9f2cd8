// SPDX-License-Identifier: MIT
// Lab 14, step 3: both products on tensor cores. The lanes that hold scores of a product hold the
// same elements of the next one's factor: probabilities never leave registers.
//
// What it fixes: multiply-adds of floats: a warp instruction does 2,048 now.
// Why it is slow: eight rows of K that are read at a time begin in the same bank, and an element of
// V is read alone, because its neighbour in a fragment is in the next row.
#include "fragments.cuh"

// SOLUTION SWITCH: set this to 1 when you have written the code below
#define IMPLEMENTED 1

// Copies the keys and values from `first` on; the last key stands for those that are not there.
template <int width>
__device__ __forceinline__ void copy_tiles(tiles<width> *to, const rows_of_head &h, int first) {
    constexpr int chunks = width / EACH; // of a row
#pragma unroll 4
    for (int i = threadIdx.x; i < TILE * chunks; i += WARPS * WARP) {
        int row = i / chunks, column = i % chunks * EACH;
        int64_t from = (int64_t)min(first + row, h.keys - 1) * width + column;
        *(uint4 *)&to->k[row][column] = *(const uint4 *)(h.k + from);
        *(uint4 *)&to->v[row][column] = *(const uint4 *)(h.v + from);
    }
}

// score[n]: of 8 keys from 8 n on, not yet scaled.
template <int width>
__device__ __forceinline__ void
multiply_keys(float score[TILE / 8][4], const unsigned q[width / 16][4], const __half (*k)[width]) {
    int row = threadIdx.x % WARP / 4, column = threadIdx.x % 4 * 2;
#pragma unroll
    for (int n = 0; n < TILE / 8; n++) {
#pragma unroll
        for (int e = 0; e < 4; e++) score[n][e] = 0;
#pragma unroll
        for (int p = 0; p < width / 16; p++) {
            // SOLUTION BEGIN
            const __half *at = &k[n * 8 + row][p * 16 + column];
            multiply(score[n], q[p], *(const unsigned *)at, *(const unsigned *)(at + 8));
            // SOLUTION TODO: b[0] and b[1] of multiply(): two neighbours of a key each
            // SOLUTION STUB: (void)row, (void)column, (void)q, (void)k;
        }
    }
}

// Takes the scores of a tile into account; they become exponentials.
template <int width>
__device__ __forceinline__ void move_maximum(row_state<width> *state, float score[TILE / 8][4]) {
#pragma unroll
    for (int half = 0; half < 2; half++) { // rows g and g + 8
        // SOLUTION BEGIN
        float most = state->most[half], sum = 0;
#pragma unroll
        for (int n = 0; n < TILE / 8; n++)
            most = fmaxf(most, fmaxf(score[n][2 * half], score[n][2 * half + 1]));
        most = largest_of_lanes<4>(most); // the four lanes of a row
        float base = most == -CUDART_INF_F ? 0 : most;
        float factor = __expf(state->most[half] - base);
#pragma unroll
        for (int n = 0; n < TILE / 8; n++)
#pragma unroll
            for (int e = 2 * half; e < 2 * half + 2; e++) {
                score[n][e] = __expf(score[n][e] - base);
                sum += score[n][e];
            }
        state->sum[half] = state->sum[half] * factor + sum_of_lanes<4>(sum);
        state->most[half] = most;
#pragma unroll
        for (int n = 0; n < width / 8; n++) {
            state->o[n][2 * half] *= factor;
            state->o[n][2 * half + 1] *= factor;
        }
        // SOLUTION TODO: as in step 2, for the row whose scores are elements 2 half and 2 half + 1
        // SOLUTION TODO: of each score[n]: which lanes have the others of its 64?
        // SOLUTION STUB: (void)state, (void)score;
    }
}

// Adds the values of the tile, times the exponentials.
template <int width>
__device__ __forceinline__ void add_values(row_state<width> *state, const float score[TILE / 8][4],
                                           const __half (*v)[width]) {
    int row = threadIdx.x % 4 * 2, column = threadIdx.x % WARP / 4;
#pragma unroll
    for (int j = 0; j < TILE / 16; j++) { // 16 keys: scores of two products
        unsigned p[4];
        // SOLUTION BEGIN
        p[0] = pack_halves(score[2 * j][0], score[2 * j][1]);
        p[1] = pack_halves(score[2 * j][2], score[2 * j][3]);
        p[2] = pack_halves(score[2 * j + 1][0], score[2 * j + 1][1]);
        p[3] = pack_halves(score[2 * j + 1][2], score[2 * j + 1][3]);
        // SOLUTION TODO: p[0] .. p[3], the first factor, are a[0] .. a[3] of multiply(): which
        // SOLUTION TODO: elements of score[2 * j] and score[2 * j + 1] has this lane?
        // SOLUTION STUB: p[0] = p[1] = p[2] = p[3] = 0;
#pragma unroll
        for (int n = 0; n < width / 8; n++) {
            __half2 b[2];
#pragma unroll
            for (int i = 0; i < 2; i++) {
                // SOLUTION BEGIN
                int key = j * 16 + i * 8 + row;
                b[i] = __halves2half2(v[key][n * 8 + column], v[key + 1][n * 8 + column]);
                // SOLUTION TODO: b[i] of multiply(): of two keys the same column
                // SOLUTION STUB: b[i] = __float2half2_rn(0), (void)row, (void)column;
            }
            multiply(state->o[n], p, *(unsigned *)&b[0], *(unsigned *)&b[1]);
        }
    }
}

// Block (x, y): WARPS * ROWS queries of head y.
template <int width>
__global__ void __launch_bounds__(WARPS *WARP) by_fragments(const attention_task task) {
    __shared__ __align__(16) tiles<width> tile;
    rows_of_head h = select_head<width>(task, blockIdx.y);
    int query = (blockIdx.x * WARPS + threadIdx.x / WARP) * ROWS;
    unsigned q[width / 16][4];
    load_queries<width>(q, h, query);
    row_state<width> state = {{-CUDART_INF_F, -CUDART_INF_F}};
    // what the last row of the block sees: barriers are for all warps
    int last = keys_seen(h, (blockIdx.x + 1) * WARPS * ROWS - 1);
    for (int first = 0; first < last; first += TILE) {
        float score[TILE / 8][4];
        copy_tiles<width>(&tile, h, first);
        __syncthreads(); // the tiles are there
        multiply_keys<width>(score, q, tile.k);
        scale_scores<width>(score, h, query, first);
        move_maximum<width>(&state, score);
        add_values<width>(&state, score, tile.v);
        __syncthreads(); // all warps are done with them
    }
    store_rows<width>(&state, h, query);
}

extern "C" int attention_step3(const attention_task *task) {
    if (!IMPLEMENTED) return ATTENTION_NOT_IMPLEMENTED;
    return launch_attention(by_fragments<64>, by_fragments<128>, WARPS, ROWS, 0, task);
}
