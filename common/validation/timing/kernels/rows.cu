// Softmax and normalisations of rows, searches.
#include "kernels.h"

static __device__ float warp_largest(float v) {
    for (int d = 16; d > 0; d /= 2) v = fmaxf(v, __shfl_xor_sync(FULL, v, d));
    return v;
}

// One result for all threads of the block.
template <int LARGEST> static __device__ float of_block(float v) {
    __shared__ float part[32];
    v = LARGEST ? warp_largest(v) : warp_sum(v);
    __syncthreads();
    if (LANE == 0) part[threadIdx.x / 32] = v;
    __syncthreads();
    v = LANE < blockDim.x / 32 ? part[LANE] : (LARGEST ? -1e30f : 0.0f);
    return LARGEST ? warp_largest(v) : warp_sum(v);
}

// n columns.
TIMING(softmax_row_per_block) {
    const float *row = x + blockIdx.x * n;
    float most = -1e30f, sum = 0;
    for (int c = threadIdx.x; c < n; c += blockDim.x) most = fmaxf(most, row[c]);
    most = of_block<1>(most);
    for (int c = threadIdx.x; c < n; c += blockDim.x) sum += expf(row[c] - most);
    sum = of_block<0>(sum);
    for (int c = threadIdx.x; c < n; c += blockDim.x)
        out[blockIdx.x * n + c] = expf(row[c] - most) / sum;
}
TIMING(softmax_row_per_warp) {
    const float *row = x + WARP * n;
    float v[8], most = -1e30f, sum = 0;
#pragma unroll
    for (int k = 0; k < 8; k++) most = fmaxf(most, v[k] = row[k * 32 + LANE]);
    most = warp_largest(most);
#pragma unroll
    for (int k = 0; k < 8; k++) sum += v[k] = __expf(v[k] - most);
    sum = warp_sum(sum);
#pragma unroll
    for (int k = 0; k < 8; k++) out[WARP * n + k * 32 + LANE] = v[k] / sum;
}
TIMING(softmax_row_per_thread) {
    const float *row = x + THREAD * n;
    float most = -1e30f, sum = 0;
    for (int c = 0; c < n; c++) most = fmaxf(most, row[c]);
    for (int c = 0; c < n; c++) sum += expf(row[c] - most);
    for (int c = 0; c < n; c++) out[THREAD * n + c] = expf(row[c] - most) / sum;
}
TIMING(softmax_online) {
    const float *row = x + WARP * n;
    float most = -1e30f, sum = 0;
    for (int c = LANE; c < n; c += 32) {
        float v = row[c], now = fmaxf(most, v);
        sum = sum * __expf(most - now) + __expf(v - now);
        most = now;
    }
    float all = warp_largest(most);
    sum = warp_sum(sum * __expf(most - all));
    for (int c = LANE; c < n; c += 32) out[WARP * n + c] = __expf(row[c] - all) / sum;
}

TIMING(norm_row_per_thread) {
    const float *row = x + THREAD * n;
    float sum = 0, squares = 0;
    for (int c = 0; c < n; c++) sum += row[c], squares += row[c] * row[c];
    float mean = sum / n, scale = rsqrtf(squares / n - mean * mean + 1e-5f);
    for (int c = 0; c < n; c++) out[THREAD * n + c] = (row[c] - mean) * scale;
}
TIMING(norm_row_per_warp) {
    const float *row = x + WARP * n;
    float sum = 0, squares = 0;
    for (int c = LANE; c < n; c += 32) sum += row[c], squares += row[c] * row[c];
    sum = warp_sum(sum), squares = warp_sum(squares);
    float mean = sum / n, scale = rsqrtf(squares / n - mean * mean + 1e-5f);
    for (int c = LANE; c < n; c += 32) out[WARP * n + c] = (row[c] - mean) * scale * y[c];
}
TIMING(norm_row_per_block) {
    const float *row = x + blockIdx.x * n;
    float squares = 0;
    for (int c = threadIdx.x; c < n; c += blockDim.x) squares += row[c] * row[c];
    float scale = rsqrtf(of_block<0>(squares) / n + 1e-5f);
    for (int c = threadIdx.x; c < n; c += blockDim.x)
        out[blockIdx.x * n + c] = row[c] * scale * y[c];
}
// Statistics of columns: 4096 columns, n rows in each block's share.
TIMING(norm_columns) {
    unsigned c = blockIdx.x * blockDim.x + threadIdx.x, first = blockIdx.y * n;
    float sum = 0, squares = 0;
    for (int r = 0; r < n; r++) {
        float v = x[(first + r) * 4096 + c];
        sum += v, squares += v * v;
    }
    atomicAdd(out + c, sum);
    atomicAdd(out + 4096 + c, squares);
}

// The loads of a binary search among n numbers; that they are not sorted changes its result only.
TIMING(search_binary) {
    uint32_t key = words[THREAD], low = 0, high = n;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (next[middle] < key >> 9) low = middle + 1;
        else high = middle;
    }
    out[THREAD] = low;
}
TIMING(search_binary_shared) {
    __shared__ uint32_t sorted[1024];
    for (unsigned i = threadIdx.x; i < 1024; i += blockDim.x) sorted[i] = i << 22;
    __syncthreads();
    uint32_t total = 0;
    for (int k = 0; k < n; k++) {
        uint32_t key = words[THREAD + k * THREADS], low = 0;
#pragma unroll
        for (uint32_t step = 512; step > 0; step /= 2)
            if (sorted[low + step - 1] < key) low += step;
        total += low;
    }
    out[THREAD] = total;
}
// How often four bytes occur at any place of n bytes.
TIMING(search_text) {
    const unsigned char *text = (const unsigned char *)words;
    unsigned i = THREAD;
    if (i + 4 > n) return;
    if (text[i] == 'l' && text[i + 1] == 'a' && text[i + 2] % 4 == 1 && text[i + 3] % 4 == 2)
        atomicAdd((uint32_t *)out, 1u);
}
TIMING(search_text_by_words) {
    unsigned i = THREAD, found = 0;
    if (i + 1 >= n) return;
    uint64_t both = words[i] | (uint64_t)words[i + 1] << 32;
    for (int k = 0; k < 4; k++) found += ((both >> 8 * k) & 0xffffff) == 0x64616c;
    if (found) atomicAdd((uint32_t *)out, found);
}
TIMING(search_first) {
    for (unsigned i = WARP; i < n / 32; i += THREADS / 32) {
        uint32_t votes = __ballot_sync(FULL, words[i * 32 + LANE] < 64);
        if (votes && LANE == 0) atomicMin((uint32_t *)out + 1, i * 32 + __ffs(votes) - 1);
    }
}
TIMING(search_nearest) {
    __shared__ float2 points[256];
    float2 me = ((const float2 *)x)[THREAD];
    float best = 1e30f;
    int where = 0;
    for (int t = 0; t < n; t += 256) {
        points[threadIdx.x] = ((const float2 *)y)[t + threadIdx.x];
        __syncthreads();
        for (int k = 0; k < 256; k++) {
            float dx = points[k].x - me.x, dy = points[k].y - me.y, d = dx * dx + dy * dy;
            if (d < best) best = d, where = t + k;
        }
        __syncthreads();
    }
    out[THREAD] = where;
}
