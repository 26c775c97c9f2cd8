// Linear algebra: matrix-vector and matrix products, sparse products, many small systems.
#include "kernels.h"

enum { COLUMNS = 4096 }; // of the matrices of matrix-vector products; n rows

TIMING(matvec_row_per_thread) {
    unsigned r = THREAD;
    if (r >= n) return;
    float sum = 0;
    for (int c = 0; c < COLUMNS; c++) sum += x[r * COLUMNS + c] * y[c];
    out[r] = sum;
}
TIMING(matvec_row_per_warp) {
    unsigned r = WARP;
    if (r >= n) return;
    float sum = 0;
    for (int c = LANE; c < COLUMNS; c += 32) sum += x[r * COLUMNS + c] * y[c];
    sum = warp_sum(sum);
    if (LANE == 0) out[r] = sum;
}
TIMING(matvec_row_per_block) {
    __shared__ float part[8];
    float sum = 0;
    for (int c = threadIdx.x; c < COLUMNS; c += 256) sum += x[blockIdx.x * COLUMNS + c] * y[c];
    sum = warp_sum(sum);
    if (LANE == 0) part[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x > 0) return;
    for (int w = 1; w < 8; w++) sum += part[w];
    out[blockIdx.x] = sum;
}
// The matrix column by column: 4096 rows, n columns.
TIMING(matvec_columns) {
    unsigned r = THREAD;
    float sum = 0;
    for (int c = 0; c < n; c++) sum += x[c * 4096 + r] * y[c];
    out[r] = sum;
}
TIMING(matvec_columns_split) {
    unsigned r = blockIdx.x * 256 + threadIdx.x, part = n / gridDim.y, first = blockIdx.y * part;
    float sum = 0;
    for (unsigned c = first; c < first + part; c++) sum += x[c * 4096 + r] * y[c];
    atomicAdd(out + r, sum);
}
TIMING(outer_product) {
    unsigned c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y;
    out[r * n + c] += x[r] * y[c];
}

// n x n products.
TIMING(product_naive) {
    unsigned c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y;
    float sum = 0;
    for (int k = 0; k < n; k++) sum += x[r * n + k] * y[k * n + c];
    out[r * n + c] = sum;
}
TIMING(product_wrong_order) {
    unsigned r = blockIdx.x * blockDim.x + threadIdx.x, c = blockIdx.y * blockDim.y + threadIdx.y;
    float sum = 0;
    for (int k = 0; k < n; k++) sum += x[r * n + k] * y[k * n + c];
    out[r * n + c] = sum;
}
template <int T>
static __device__ void product_tile(const float *x, const float *y, float *out, int n) {
    __shared__ float a[T][T], b[T][T];
    unsigned c = blockIdx.x * T + threadIdx.x, r = blockIdx.y * T + threadIdx.y;
    float sum = 0;
    for (int t = 0; t < n; t += T) {
        a[threadIdx.y][threadIdx.x] = x[r * n + t + threadIdx.x];
        b[threadIdx.y][threadIdx.x] = y[(t + threadIdx.y) * n + c];
        __syncthreads();
#pragma unroll
        for (int k = 0; k < T; k++) sum += a[threadIdx.y][k] * b[k][threadIdx.x];
        __syncthreads();
    }
    out[r * n + c] = sum;
}
TIMING(product_tile_8) { product_tile<8>(x, y, out, n); }
TIMING(product_tile_16) { product_tile<16>(x, y, out, n); }
TIMING(product_tile_32) { product_tile<32>(x, y, out, n); }
// 64 x 64 per block of 256 threads, 4 x 4 per thread.
TIMING(product_registers) {
    __shared__ float a[16][64 + 4], b[16][64];
    const unsigned t = threadIdx.x, tx = t % 16, ty = t / 16;
    const unsigned row = blockIdx.y * 64, column = blockIdx.x * 64;
    float sum[4][4] = {};
    for (int k0 = 0; k0 < n; k0 += 16) {
        for (int k = 0; k < 4; k++) {
            a[t % 16][t / 16 + 16 * k] = x[(row + t / 16 + 16 * k) * n + k0 + t % 16];
            b[t / 64 + 4 * k][t % 64] = y[(k0 + t / 64 + 4 * k) * n + column + t % 64];
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 16; k++)
#pragma unroll
            for (int i = 0; i < 4; i++)
#pragma unroll
                for (int j = 0; j < 4; j++) sum[i][j] += a[k][ty * 4 + i] * b[k][tx * 4 + j];
        __syncthreads();
    }
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++) out[(row + ty * 4 + i) * n + column + tx * 4 + j] = sum[i][j];
}
TIMING(product_transposed) {
    __shared__ float a[16][17], b[16][17];
    unsigned c = blockIdx.x * 16 + threadIdx.x, r = blockIdx.y * 16 + threadIdx.y;
    float sum = 0;
    for (int t = 0; t < n; t += 16) {
        a[threadIdx.y][threadIdx.x] = x[r * n + t + threadIdx.x];
        b[threadIdx.y][threadIdx.x] = y[(blockIdx.x * 16 + threadIdx.y) * n + t + threadIdx.x];
        __syncthreads();
        for (int k = 0; k < 16; k++) sum += a[threadIdx.y][k] * b[threadIdx.x][k];
        __syncthreads();
    }
    out[r * n + c] = sum;
}

// Sparse rows: 4 to 28 entries, their columns at random among 65536.
static __device__ unsigned row_length(const uint32_t *words, unsigned r) {
    return 4 + words[r] % 25;
}
enum { ROW_MOST = 28 };
TIMING(sparse_row_per_thread) {
    unsigned r = THREAD;
    if (r >= n) return;
    unsigned length = row_length(words, r);
    float sum = 0;
    for (unsigned k = 0; k < length; k++)
        sum += x[r * ROW_MOST + k] * y[words[r * ROW_MOST + k] % 65536];
    out[r] = sum;
}
TIMING(sparse_row_per_warp) {
    unsigned r = WARP;
    if (r >= n) return;
    unsigned length = row_length(words, r);
    float sum = LANE < length ? x[r * ROW_MOST + LANE] * y[words[r * ROW_MOST + LANE] % 65536] : 0;
    sum = warp_sum(sum);
    if (LANE == 0) out[r] = sum;
}
TIMING(sparse_by_columns) {
    unsigned r = THREAD;
    if (r >= n) return;
    unsigned length = row_length(words, r);
    float sum = 0;
    for (unsigned k = 0; k < length; k++) sum += x[k * n + r] * y[words[k * n + r] % 65536];
    out[r] = sum;
}
TIMING(sparse_entries) {
    unsigned i = THREAD;
    if (i < n) atomicAdd(out + next[i] % 65536, x[i] * y[words[i] % 65536]);
}
TIMING(sparse_band) {
    unsigned r = THREAD;
    if (r + 32 >= n) return;
    float sum = 0;
    for (unsigned k = 0; k < 9; k++) sum += x[k * n / 16 + r] * y[r + k * 4];
    out[r] = sum;
}

// Many small systems, one per thread. Interleaved: entry k of system s at [k * n + s].
TIMING(solve_four_by_four) {
    unsigned s = THREAD;
    if (s >= n) return;
    float a[4][5];
#pragma unroll
    for (int i = 0; i < 4; i++)
#pragma unroll
        for (int j = 0; j < 5; j++) a[i][j] = x[(i * 5 + j) * n + s] + (i == j ? 4.0f : 0.0f);
#pragma unroll
    for (int p = 0; p < 4; p++) {
        float inverse = 1.0f / a[p][p];
#pragma unroll
        for (int i = 0; i < 4; i++) {
            if (i == p) continue;
            float f = a[i][p] * inverse;
#pragma unroll
            for (int j = 0; j < 5; j++) a[i][j] -= f * a[p][j];
        }
    }
#pragma unroll
    for (int i = 0; i < 4; i++) out[i * n + s] = a[i][4] / a[i][i];
}
// The same with the systems one after the other: strided loads.
TIMING(solve_packed) {
    unsigned s = THREAD;
    if (s >= n) return;
    float a[4][5];
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 5; j++) a[i][j] = x[s * 20 + i * 5 + j] + (i == j ? 4.0f : 0.0f);
#pragma unroll
    for (int p = 0; p < 4; p++)
#pragma unroll
        for (int i = 0; i < 4; i++) {
            if (i == p) continue;
            float f = a[i][p] / a[p][p];
#pragma unroll
            for (int j = 0; j < 5; j++) a[i][j] -= f * a[p][j];
        }
    for (int i = 0; i < 4; i++) out[s * 4 + i] = a[i][4] / a[i][i];
}
TIMING(solve_three_diagonals) {
    unsigned s = THREAD;
    if (s >= n) return;
    float c[32], d[32];
    c[0] = 0.25f, d[0] = x[s] * 0.25f;
    for (int k = 1; k < 32; k++) {
        float f = 1.0f / (4.0f - c[k - 1]);
        c[k] = f;
        d[k] = (x[k * n + s] + d[k - 1]) * f;
    }
    float v = d[31];
    out[31 * n + s] = v;
    for (int k = 30; k >= 0; k--) out[k * n + s] = v = d[k] + c[k] * v;
}
TIMING(solve_cholesky_block) {
    __shared__ float a[32][33];
    const unsigned t = threadIdx.x;
    for (int i = 0; i < 32; i++) a[i][t] = i == t ? 40.0f : x[blockIdx.x * 32 + (i * t) % 32];
    __syncwarp();
    for (int p = 0; p < 32; p++) {
        float root = sqrtf(a[p][p]);
        __syncwarp();
        if (t >= p) a[t][p] = t == p ? root : a[t][p] / root;
        __syncwarp();
        if (t > p)
            for (int j = p + 1; j <= t; j++) a[t][j] -= a[t][p] * a[j][p];
        __syncwarp();
    }
    for (int i = 0; i < 32; i++) out[(blockIdx.x * 32 + i) * 32 + t] = a[i][t];
}
