// SPDX-License-Identifier: MIT
// Dense kernels: transposes, matrix products with register tiles, stencils.
// Input of decode/nvcc.c: what nvcc makes of it must decode; nobody runs it.
extern "C" __global__ void transpose(const float *in, float *out, int rows, int columns) {
    __shared__ float tile[32][33];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8)
        if (x < columns && y + j < rows)
            tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * columns + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x, y = blockIdx.x * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8)
        if (x < rows && y + j < columns)
            out[(y + j) * rows + x] = tile[threadIdx.x][threadIdx.y + j];
}

template <typename T, int N> __global__ void gemm(const T *a, const T *b, T *c, int n) {
    __shared__ T as[8][16 * N], bs[8][16 * N];
    T sum[N][N] = {};
    int tx = threadIdx.x % 16, ty = threadIdx.x / 16;
    for (int k0 = 0; k0 < n; k0 += 8) {
        for (int i = threadIdx.x; i < 8 * 16 * N; i += 256) {
            as[i / (16 * N)][i % (16 * N)] =
                a[(blockIdx.y * 16 * N + i % (16 * N)) * n + k0 + i / (16 * N)];
            bs[i / (16 * N)][i % (16 * N)] =
                b[(k0 + i / (16 * N)) * n + blockIdx.x * 16 * N + i % (16 * N)];
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 8; k++)
#pragma unroll
            for (int i = 0; i < N; i++)
#pragma unroll
                for (int j = 0; j < N; j++) sum[i][j] += as[k][ty * N + i] * bs[k][tx * N + j];
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < N; i++)
#pragma unroll
        for (int j = 0; j < N; j++)
            c[(blockIdx.y * 16 * N + ty * N + i) * n + blockIdx.x * 16 * N + tx * N + j] =
                sum[i][j];
}
template __global__ void gemm<float, 8>(const float *, const float *, float *, int);
template __global__ void gemm<double, 4>(const double *, const double *, double *, int);

__constant__ float mask[49];
extern "C" __global__ void convolve(const unsigned char *in, unsigned char *out, int w, int h) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    float sum = 0;
    for (int j = -3; j <= 3; j++)
        for (int i = -3; i <= 3; i++)
            if (x + i >= 0 && x + i < w && y + j >= 0 && y + j < h)
                sum += mask[(j + 3) * 7 + i + 3] * in[(y + j) * w + x + i];
    if (x < w && y < h) out[y * w + x] = (unsigned char)__saturatef(sum / 255) * 255;
}
