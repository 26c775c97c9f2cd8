// SPDX-License-Identifier: MIT
// Lab 14, step 0, given: labs 06 and 07 put together. One launch writes all scores to memory, one
// makes probabilities of them, one multiplies these with the values.
//
// Why it is slow: a row of 4,096 keys writes and reads 64 KiB of scores for 256 bytes of result;
// and each multiply-add loads its factors from shared memory.
#include "attention.cuh"

#define IMPLEMENTED 1

#define TILE          16  // queries and keys of a block's tiles
#define THREADS       256 // one for each score of a tile
#define SOFTMAX_WARPS 8   // rows of a block

// Writes TILE rows of floats to shared memory, with 0 for rows from `rows` on.
template <int width>
__device__ __forceinline__ void load_tile(float to[TILE][width + 1], const __half *from, int first,
                                          int rows) {
    for (int i = threadIdx.x; i < TILE * width; i += THREADS) {
        int row = i / width, column = i % width;
        to[row][column] =
            first + row < rows ? __half2float(from[(int64_t)(first + row) * width + column]) : 0;
    }
}

// scores: [heads of this launch][queries][keys]. Block (x, y, z): a tile of head first_head + z.
template <int width>
__global__ void __launch_bounds__(THREADS)
    multiply_keys(const attention_task task, int64_t first_head, float *scores) {
    __shared__ float q_tile[TILE][width + 1], k_tile[TILE][width + 1];
    rows_of_head h = select_head<width>(task, first_head + blockIdx.z);
    int query = blockIdx.y * TILE, key = blockIdx.x * TILE;
    load_tile<width>(q_tile, h.q, query, h.queries);
    load_tile<width>(k_tile, h.k, key, h.keys);
    __syncthreads();
    int row = threadIdx.x / TILE, column = threadIdx.x % TILE;
    float sum = 0;
    for (int c = 0; c < width; c++) sum = fmaf(q_tile[row][c], k_tile[column][c], sum);
    if (query + row < h.queries && key + column < h.keys)
        scores[((int64_t)blockIdx.z * h.queries + query + row) * h.keys + key + column] =
            sum * score_scale<width>();
}

// Makes probabilities of the scores of a row; those of keys that it does not see become 0. Block
// (x, y): SOFTMAX_WARPS rows of head first_head + y, a warp for each.
template <int width>
__global__ void __launch_bounds__(SOFTMAX_WARPS *WARP)
    softmax(const attention_task task, int64_t first_head, float *scores) {
    rows_of_head h = select_head<width>(task, first_head + blockIdx.y);
    int query = blockIdx.x * SOFTMAX_WARPS + threadIdx.x / WARP, lane = threadIdx.x % WARP;
    if (query >= h.queries) return;
    float *row = scores + ((int64_t)blockIdx.y * h.queries + query) * h.keys;
    int seen = keys_seen(h, query);
    float most = -CUDART_INF_F, sum = 0;
    for (int j = lane; j < seen; j += WARP) most = fmaxf(most, row[j]);
    most = largest_of_lanes(most);
    for (int j = lane; j < seen; j += WARP) sum += __expf(row[j] - most);
    sum = sum_of_lanes(sum);
    for (int j = lane; j < h.keys; j += WARP) row[j] = j < seen ? __expf(row[j] - most) / sum : 0;
}

// Block (x, y): TILE rows of O of head first_head + y; a thread has width / TILE columns of one.
template <int width>
__global__ void __launch_bounds__(THREADS)
    multiply_values(const attention_task task, int64_t first_head, const float *probabilities) {
    __shared__ float p_tile[TILE][TILE + 1], v_tile[TILE][width + 1];
    rows_of_head h = select_head<width>(task, first_head + blockIdx.y);
    int row = threadIdx.x / TILE, column = threadIdx.x % TILE;
    int query = blockIdx.x * TILE + row;
    const float *p = probabilities + ((int64_t)blockIdx.y * h.queries + query) * h.keys;
    float sum[width / TILE] = {};
    for (int key = 0; key < h.keys; key += TILE) {
        p_tile[row][column] = query < h.queries && key + column < h.keys ? p[key + column] : 0;
        load_tile<width>(v_tile, h.v, key, h.keys);
        __syncthreads(); // the tiles are there
        for (int j = 0; j < TILE; j++)
#pragma unroll
            for (int c = 0; c < width / TILE; c++)
                sum[c] = fmaf(p_tile[row][j], v_tile[j][column + c * TILE], sum[c]);
        __syncthreads(); // all warps are done with them
    }
    if (query >= h.queries) return;
#pragma unroll
    for (int c = 0; c < width / TILE; c++)
        h.o[(int64_t)query * width + column + c * TILE] = __float2half(sum[c]);
}

template <int width> static int attend(const attention_task *task) {
    float *scores = (float *)task->d_workspace;
    int64_t most = attention_heads_at_once(task->heads, task->queries, task->keys);
    unsigned tiles = divide_up(task->queries, TILE);
    for (int64_t head = 0; head < task->heads; head += most) {
        unsigned heads = (unsigned)(task->heads - head < most ? task->heads - head : most);
        multiply_keys<width>
            <<<dim3(divide_up(task->keys, TILE), tiles, heads), THREADS>>>(*task, head, scores);
        softmax<width>
            <<<dim3(divide_up(task->queries, SOFTMAX_WARPS), heads), SOFTMAX_WARPS * WARP>>>(
                *task, head, scores);
        multiply_values<width><<<dim3(tiles, heads), THREADS>>>(*task, head, scores);
    }
    return cudaGetLastError();
}

extern "C" int attention_step0(const attention_task *task) {
    int code;
    if (!IMPLEMENTED) return ATTENTION_NOT_IMPLEMENTED;
    if (!is_task(task, &code)) return code;
    return task->width == 64 ? attend<64>(task) : attend<128>(task);
}
