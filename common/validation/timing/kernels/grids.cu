// Stencils, convolutions, games on a grid: n columns (and n rows, or layers of 64 rows).
#include "kernels.h"

static __constant__ float timing_taps[TIMING_TAPS];

int timing_set_taps(const float *taps) {
    return cudaMemcpyToSymbol(timing_taps, taps, sizeof timing_taps);
}

#define COLUMN (blockIdx.x * blockDim.x + threadIdx.x)
#define ROW    (blockIdx.y * blockDim.y + threadIdx.y)

TIMING(stencil_line) {
    unsigned i = THREAD;
    if (i < 4 || i + 4 >= n) return;
    float sum = 0;
    for (int d = -4; d <= 4; d++) sum += x[i + d];
    out[i] = sum;
}
TIMING(stencil_line_shared) {
    __shared__ float a[256 + 16];
    unsigned i = THREAD, t = threadIdx.x + 8;
    a[t] = x[i];
    if (threadIdx.x < 8) {
        a[t - 8] = i >= 8 ? x[i - 8] : 0;
        a[t + 256] = i + 256 < n ? x[i + 256] : 0;
    }
    __syncthreads();
    float sum = 0;
    for (int d = -8; d <= 8; d++) sum += a[t + d];
    out[i] = sum;
}
TIMING(stencil_five) {
    unsigned c = COLUMN, r = ROW;
    if (c < 1 || r < 1 || c + 1 >= n || r + 1 >= n) return;
    const float *p = x + r * n + c;
    out[r * n + c] = 0.2f * (p[0] + p[1] + p[-1] + p[n] + p[-n]);
}
TIMING(stencil_nine_shared) {
    __shared__ float a[18][34];
    unsigned c = COLUMN, r = ROW;
    for (unsigned k = threadIdx.y * 32 + threadIdx.x; k < 18 * 34; k += 512) {
        unsigned rr = (blockIdx.y * 16 + k / 34 + n - 1) % n;
        unsigned cc = (blockIdx.x * 32 + k % 34 + n - 1) % n;
        a[k / 34][k % 34] = x[rr * n + cc];
    }
    __syncthreads();
    float sum = 0;
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) sum += a[threadIdx.y + i][threadIdx.x + k];
    out[r * n + c] = sum;
}
TIMING(stencil_seven_3d) {
    const unsigned c = COLUMN, r = ROW;
    const int plane = n * n;
    if (c < 1 || r < 1 || c + 1 >= n || r + 1 >= n) return;
    for (int z = 1; z + 1 < 32; z++) {
        const float *p = x + z * plane + r * n + c;
        out[z * plane + r * n + c] = p[0] + p[1] + p[-1] + p[n] + p[-n] + p[plane] + p[-plane];
    }
}
TIMING(stencil_27_3d) {
    unsigned c = COLUMN, r = ROW, z = blockIdx.z + 1, plane = n * n;
    if (c < 1 || r < 1 || c + 1 >= n || r + 1 >= n) return;
    float sum = 0;
    for (int i = -1; i <= 1; i++)
        for (int j = -1; j <= 1; j++)
            for (int k = -1; k <= 1; k++) sum += x[(z + i) * plane + (r + j) * n + c + k];
    out[z * plane + r * n + c] = sum;
}
// 16 steps of heat in a tile that stays in shared memory.
TIMING(heat_in_tile) {
    __shared__ float a[2][34][34];
    unsigned cx = threadIdx.x + 1, cy = threadIdx.y + 1;
    a[0][cy][cx] = a[1][cy][cx] = x[ROW * n + COLUMN];
    if (threadIdx.y == 0)
        for (int k = 0; k < 2; k++) a[k][0][cx] = a[k][33][cx] = a[k][cx][0] = a[k][cx][33] = 0;
    __syncthreads();
    for (int s = 0; s < 16; s++) {
        float(*from)[34] = a[s % 2];
        a[1 - s % 2][cy][cx] =
            0.25f * (from[cy - 1][cx] + from[cy + 1][cx] + from[cy][cx - 1] + from[cy][cx + 1]);
        __syncthreads();
    }
    out[ROW * n + COLUMN] = a[0][cy][cx];
}
TIMING(game_of_life) {
    unsigned c = COLUMN, r = ROW, alive = 0;
    if (c < 1 || r < 1 || c + 1 >= n || r + 1 >= n) return;
    for (int i = -1; i <= 1; i++)
        for (int k = -1; k <= 1; k++)
            if (i || k) alive += words[(r + i) * n + c + k] & 1;
    ((uint32_t *)out)[r * n + c] = alive == 3 || (alive == 2 && (words[r * n + c] & 1));
}

template <int R> static __device__ void convolve(const float *x, float *out, int n) {
    int c = COLUMN, r = ROW;
    if (c >= n || r >= n) return;
    float sum = 0;
    for (int i = -R; i <= R; i++)
        for (int k = -R; k <= R; k++)
            if (r + i >= 0 && r + i < n && c + k >= 0 && c + k < n)
                sum += timing_taps[(i + R) * (2 * R + 1) + k + R] * x[(r + i) * n + c + k];
    out[r * n + c] = sum;
}
TIMING(convolve_3) { convolve<1>(x, out, n); }
TIMING(convolve_7) { convolve<3>(x, out, n); }
// The taps in global memory.
TIMING(convolve_5_global) {
    int c = COLUMN, r = ROW;
    if (c < 2 || r < 2 || c + 2 >= n || r + 2 >= n) return;
    float sum = 0;
    for (int i = 0; i < 5; i++)
        for (int k = 0; k < 5; k++) sum += y[i * 5 + k] * x[(r + i - 2) * n + c + k - 2];
    out[r * n + c] = sum;
}
TIMING(convolve_5_shared) {
    __shared__ float a[20][36];
    for (unsigned k = threadIdx.y * 32 + threadIdx.x; k < 20 * 36; k += 512) {
        unsigned rr = (blockIdx.y * 16 + k / 36 + n - 2) % n;
        unsigned cc = (blockIdx.x * 32 + k % 36 + n - 2) % n;
        a[k / 36][k % 36] = x[rr * n + cc];
    }
    __syncthreads();
    float sum = 0;
#pragma unroll
    for (int i = 0; i < 5; i++)
#pragma unroll
        for (int k = 0; k < 5; k++)
            sum += timing_taps[i * 5 + k] * a[threadIdx.y + i][threadIdx.x + k];
    out[ROW * n + COLUMN] = sum;
}
TIMING(convolve_rows) {
    int c = COLUMN, r = ROW;
    float sum = 0;
    for (int k = -8; k <= 8; k++) sum += timing_taps[k + 8] * x[r * n + min(max(c + k, 0), n - 1)];
    out[r * n + c] = sum;
}
TIMING(convolve_columns) {
    int c = COLUMN, r = ROW;
    float sum = 0;
    for (int k = -8; k <= 8; k++) sum += timing_taps[k + 8] * x[min(max(r + k, 0), n - 1) * n + c];
    out[r * n + c] = sum;
}

// Constant memory read by index: the same word in all lanes, or 32 different ones.
TIMING(table_uniform) {
    float sum = 0;
    for (int k = 0; k < n; k++) sum += timing_taps[(blockIdx.x + k) % TIMING_TAPS];
    out[THREAD] = sum;
}
TIMING(table_divergent) {
    float sum = 0;
    for (int k = 0; k < n; k++) sum += timing_taps[(THREAD * 7 + k) % TIMING_TAPS];
    out[THREAD] = sum;
}
TIMING(table_four_words) {
    float sum = 0;
    for (int k = 0; k < n; k++) sum += timing_taps[(THREAD % 4 * 16 + k) % TIMING_TAPS];
    out[THREAD] = sum;
}
TIMING(table_in_global) {
    float sum = 0;
    for (int k = 0; k < n; k++) sum += x[(THREAD * 7 + k) % TIMING_TAPS];
    out[THREAD] = sum;
}
