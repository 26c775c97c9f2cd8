// SPDX-License-Identifier: MIT
// Lab 14, step 5: less between the products. An exponential by base 2 of one multiply-add that has
// scale and maximum in it; masks in the tiles that need one; sums of lanes added up at the end;
// sums of values rescaled only when a maximum has moved. And registers for three blocks per SM.
//
// What it fixes: instructions between the products, and too few warps to wait for each other.
// Why it is slow: lanes load fragments of K and V from shared memory, one matrix load for two
// products, and a warp computes exponentials while its tensor core waits.
#include "fragments.cuh"

#include <cuda_pipeline.h>

// SOLUTION SWITCH: set this to 1 when you have written the code below
#define IMPLEMENTED 1

#define STAGES 2 // tiles of K and of V in shared memory
#define BLOCKS 3 // of an SM at a time: so a thread gets 168 registers, and not 211 as in step 4

// The index at which column `column`, a multiple of 8, of a row of a tile lies: chunks of 16 bytes
// are exchanged so that eight rows have the same chunk in eight different groups of banks.
__device__ __forceinline__ int index_of(int row, int column) {
    return column ^ row % 8 * EACH;
}

// Starts the copies of the keys and values from `first` on; the last key stands for those that are
// not there.
template <int width>
__device__ __forceinline__ void copy_tiles(tiles<width> *to, const rows_of_head &h, int first) {
    constexpr int chunks = width / EACH; // of a row
#pragma unroll 4
    for (int i = threadIdx.x; i < TILE * chunks; i += WARPS * WARP) {
        int row = i / chunks, column = i % chunks * EACH;
        int64_t from = (int64_t)min(first + row, h.keys - 1) * width + column;
        __pipeline_memcpy_async(&to->k[row][index_of(row, column)], h.k + from, 16);
        __pipeline_memcpy_async(&to->v[row][index_of(row, column)], h.v + from, 16);
    }
}

// score[n]: of 8 keys from 8 n on, not yet scaled.
template <int width>
__device__ __forceinline__ void
multiply_keys(float score[TILE / 8][4], const unsigned q[width / 16][4], const __half (*k)[width]) {
    int lane = threadIdx.x % WARP;
#pragma unroll
    for (int n = 0; n < TILE / 8; n += 2) {
#pragma unroll
        for (int e = 0; e < 4; e++) score[n][e] = score[n + 1][e] = 0;
#pragma unroll
        for (int p = 0; p < width / 16; p++) {
            unsigned b[4]; // b[0], b[1] of 8 keys, then those of the next 8
            int row = n * 8 + lane % 8 + lane / 16 * 8, column = p * 16 + lane / 8 % 2 * EACH;
            load_matrices(b, &k[row][index_of(row, column)]);
            multiply(score[n], q[p], b[0], b[1]);
            multiply(score[n + 1], q[p], b[2], b[3]);
        }
    }
}

// Scores of keys that a row does not see become -infinity.
__device__ __forceinline__ void mask_scores(float score[TILE / 8][4], const rows_of_head &h,
                                            int query, int first) {
    int row = query + threadIdx.x % WARP / 4, column = first + threadIdx.x % 4 * 2;
    const int seen[2] = {keys_seen(h, row), keys_seen(h, row + 8)};
#pragma unroll
    for (int n = 0; n < TILE / 8; n++)
#pragma unroll
        for (int e = 0; e < 4; e++)
            if (column + n * 8 + e % 2 >= seen[e / 2]) score[n][e] = -CUDART_INF_F;
}

// 2^x; of -infinity 0.
__device__ __forceinline__ float power_of_2(float x) {
    float y;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}

// Takes the scores of a tile into account; they become exponentials.
template <int width>
__device__ __forceinline__ void move_maximum(row_state<width> *state, float score[TILE / 8][4]) {
    // exp(x / sqrt(width)) = 2^(x * scale)
    constexpr float log2_e = 1.4426950408889634f;
    const float scale = score_scale<width>() * log2_e;
    float factor[2];
#pragma unroll
    for (int half = 0; half < 2; half++) { // rows g and g + 8
        // SOLUTION BEGIN
        float most = -CUDART_INF_F, sum = 0;
#pragma unroll
        for (int n = 0; n < TILE / 8; n++)
            most = fmaxf(most, fmaxf(score[n][2 * half], score[n][2 * half + 1]));
        most = fmaxf(state->most[half], largest_of_lanes<4>(most) * scale);
        float base = most == -CUDART_INF_F ? 0 : most;
        factor[half] = power_of_2(state->most[half] - base); // 1 when it has not moved
#pragma unroll
        for (int n = 0; n < TILE / 8; n++)
#pragma unroll
            for (int e = 2 * half; e < 2 * half + 2; e++) {
                score[n][e] = power_of_2(fmaf(score[n][e], scale, -base));
                sum += score[n][e];
            }
        state->sum[half] = state->sum[half] * factor[half] + sum;
        state->most[half] = most;
        // SOLUTION TODO: as before, with power_of_2 of one fmaf; the four lanes' sums are added up
        // SOLUTION TODO: at the end
        // SOLUTION STUB: factor[half] = scale, (void)state, (void)score;
    }
    // SOLUTION BEGIN
    bool moved = __any_sync(~0u, factor[0] != 1 || factor[1] != 1);
    // SOLUTION TODO: whether any lane of the warp has something to rescale
    // SOLUTION STUB: bool moved = true;
    if (!moved) return;
#pragma unroll
    for (int n = 0; n < width / 8; n++)
#pragma unroll
        for (int e = 0; e < 4; e++) state->o[n][e] *= factor[e / 2];
}

// Adds the values of the tile, times the exponentials.
template <int width>
__device__ __forceinline__ void add_values(row_state<width> *state, const float score[TILE / 8][4],
                                           const __half (*v)[width]) {
    int lane = threadIdx.x % WARP;
#pragma unroll
    for (int j = 0; j < TILE / 16; j++) { // 16 keys: scores of two products
        unsigned p[4];
        p[0] = pack_halves(score[2 * j][0], score[2 * j][1]);
        p[1] = pack_halves(score[2 * j][2], score[2 * j][3]);
        p[2] = pack_halves(score[2 * j + 1][0], score[2 * j + 1][1]);
        p[3] = pack_halves(score[2 * j + 1][2], score[2 * j + 1][3]);
#pragma unroll
        for (int n = 0; n < width / 8; n += 2) {
            unsigned b[4]; // b[0], b[1] of 8 columns, then those of the next 8
            int row = j * 16 + lane % 16, column = n * 8 + lane / 16 * EACH;
            load_transposed(b, &v[row][index_of(row, column)]);
            multiply(state->o[n], p, b[0], b[1]);
            multiply(state->o[n + 1], p, b[2], b[3]);
        }
    }
}

// Block (x, y): WARPS * ROWS queries of head y. Shared memory: [STAGES] tiles.
template <int width>
__global__ void __launch_bounds__(WARPS *WARP, BLOCKS) base2(const attention_task task) {
    extern __shared__ __align__(16) unsigned char memory[];
    tiles<width> *stages = (tiles<width> *)memory;
    rows_of_head h = select_head<width>(task, blockIdx.y);
    int query = (blockIdx.x * WARPS + threadIdx.x / WARP) * ROWS;
    unsigned q[width / 16][4];
    load_queries<width>(q, h, query);
    row_state<width> state = {{-CUDART_INF_F, -CUDART_INF_F}};
    // what the last row of the block sees: barriers are for all warps
    int last = keys_seen(h, (blockIdx.x + 1) * WARPS * ROWS - 1);
    if (last > 0) copy_tiles<width>(&stages[0], h, 0);
    __pipeline_commit();
    for (int first = 0, now = 0; first < last; first += TILE, now = (now + 1) % STAGES) {
        float score[TILE / 8][4];
        __pipeline_wait_prior(0); // my copies of these tiles are there
        __syncthreads();          // everybody's are, and all are done with the tiles before
        if (first + TILE < last) copy_tiles<width>(&stages[(now + 1) % STAGES], h, first + TILE);
        __pipeline_commit();
        multiply_keys<width>(score, q, stages[now].k);
        // SOLUTION BEGIN
        // the first row sees least
        if (first + TILE > keys_seen(h, query)) mask_scores(score, h, query, first);
        // SOLUTION TODO: mask_scores, in tiles with a key that some row of the warp does not see
        move_maximum<width>(&state, score);
        add_values<width>(&state, score, stages[now].v);
    }
    store_rows<width, true>(&state, h, query);
}

extern "C" int attention_step5(const attention_task *task) {
    if (!IMPLEMENTED) return ATTENTION_NOT_IMPLEMENTED;
    return launch_attention(base2<64>, base2<128>, WARPS, ROWS, STAGES * (int)sizeof(tiles<1>),
                            task);
}
