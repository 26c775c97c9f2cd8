// SPDX-License-Identifier: MIT
// Lab 14, step 1: one launch. A warp has ROWS queries and goes through the keys, 32 at a time: it
// knows the maximum of the scores so far, and rescales its sums when the maximum moves.
//
// What it fixes: scores never go to memory, and a key that is loaded is multiplied ROWS times.
// Why it is slow: lanes load rows of K that are 256 bytes apart: 32 sectors for each request.
#include "rows.cuh"

// SOLUTION SWITCH: set this to 1 when you have written the code below
#define IMPLEMENTED 1

// Scores of the lane's key with the warp's queries. q: [ROWS][width], scaled, in shared memory.
template <int width>
__device__ __forceinline__ void multiply_key(float score[ROWS], const float (*q)[width],
                                             const __half *key) {
#pragma unroll
    for (int r = 0; r < ROWS; r++) score[r] = 0;
    for (int c = 0; c < width; c += EACH) {
        float k[EACH];
        load_halves(key + c, k);
#pragma unroll
        for (int r = 0; r < ROWS; r++)
#pragma unroll
            for (int e = 0; e < EACH; e++) score[r] = fmaf(q[r][c + e], k[e], score[r]);
    }
}

// Takes the scores of 32 keys, one per lane, into account: score[r] becomes its exponential. A key
// that the row does not see has the score -infinity.
template <int width>
__device__ __forceinline__ void move_maximum(row_state<width> *state, float score[ROWS]) {
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
        // SOLUTION BEGIN
        float most = fmaxf(state->most[r], largest_of_lanes(score[r]));
        float base = most == -CUDART_INF_F ? 0 : most; // no key so far: no difference of infinities
        float factor = __expf(state->most[r] - base);
        score[r] = __expf(score[r] - base);
        state->sum[r] = state->sum[r] * factor + score[r];
#pragma unroll
        for (int c = 0; c < width / WARP; c++) state->o[r][c] *= factor;
        state->most[r] = most;
        // SOLUTION TODO: the new maximum is that of the old one and of all lanes' scores
        // SOLUTION TODO: (largest_of_lanes). By which factor do the sums so far become sums
        // SOLUTION TODO: relative to it? What is that factor while there was no key yet
        // SOLUTION TODO: (-infinity), and when there is still none?
        // SOLUTION STUB: (void)state;
    }
}

// Adds the lane's columns of 32 values, times the exponentials that the lanes have.
template <int width>
__device__ __forceinline__ void add_values(row_state<width> *state, const float score[ROWS],
                                           const __half *value, int values) {
    constexpr int columns = width / WARP;
    for (int j = 0; j < values; j++, value += width) {
        float v[columns];
#pragma unroll
        for (int c = 0; c < columns; c += 2) {
            float2 pair = __half22float2(*(const __half2 *)(value + c));
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
__global__ void __launch_bounds__(WARPS *WARP) online(const attention_task task) {
    __shared__ __align__(16) float q_rows[WARPS][ROWS][width];
    rows_of_head h = select_head<width>(task, blockIdx.y);
    int warp = threadIdx.x / WARP, lane = threadIdx.x % WARP;
    int query = (blockIdx.x * WARPS + warp) * ROWS;
    for (int i = lane; i < ROWS * width; i += WARP)
        q_rows[warp][i / width][i % width] =
            query + i / width < h.queries
                ? __half2float(h.q[(int64_t)query * width + i]) * score_scale<width>()
                : 0;
    __syncwarp();
    row_state<width> state = {};
#pragma unroll
    for (int r = 0; r < ROWS; r++) state.most[r] = -CUDART_INF_F;
    int last = keys_seen(h, query + ROWS - 1); // the last row sees most
    for (int first = 0; first < last; first += WARP) {
        // SOLUTION BEGIN
        float score[ROWS];
        int key = first + lane;
        multiply_key<width>(score, q_rows[warp], h.k + (int64_t)min(key, h.keys - 1) * width);
#pragma unroll
        for (int r = 0; r < ROWS; r++)
            if (key >= keys_seen(h, query + r)) score[r] = -CUDART_INF_F;
        move_maximum<width>(&state, score);
        add_values<width>(&state, score, h.v + (int64_t)first * width + lane * (width / WARP),
                          min(WARP, h.keys - first));
        // SOLUTION TODO: scores of key first + lane (of a key that exists), -infinity for rows that
        // SOLUTION TODO: do not see it; then move_maximum and add_values.
        // SOLUTION STUB: (void)lane;
    }
    store_rows<width>(&state, h, query);
}

extern "C" int attention_step1(const attention_task *task) {
    if (!IMPLEMENTED) return ATTENTION_NOT_IMPLEMENTED;
    return launch_attention(online<64>, online<128>, WARPS, ROWS, 0, task);
}
