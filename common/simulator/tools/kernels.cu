// SPDX-License-Identifier: MIT
// The fixed kernels of the simulator's speed benchmark (sim_bench.c). Their work never changes, so
// that speeds of different days compare. Plain textbook forms on purpose: they are what students
// run.

// C[n][n] = A[n][n] * B[n][n], row-major; one thread per element, n a multiple of the block.
extern "C" __global__ void bench_gemm_naive(const float *a, const float *b, float *c, int n) {
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    for (int k = 0; k < n; k++) sum += a[row * n + k] * b[k * n + col];
    c[row * n + col] = sum;
}

// The same through 16x16 tiles in shared memory.
extern "C" __global__ void bench_gemm_tiled(const float *a, const float *b, float *c, int n) {
    __shared__ float tile_a[16][16], tile_b[16][16];
    int row = blockIdx.y * 16 + threadIdx.y;
    int col = blockIdx.x * 16 + threadIdx.x;
    float sum = 0.0f;
    for (int start = 0; start < n; start += 16) {
        tile_a[threadIdx.y][threadIdx.x] = a[row * n + start + threadIdx.x];
        tile_b[threadIdx.y][threadIdx.x] = b[(start + threadIdx.y) * n + col];
        __syncthreads();
        for (int k = 0; k < 16; k++) sum += tile_a[threadIdx.y][k] * tile_b[k][threadIdx.x];
        __syncthreads();
    }
    c[row * n + col] = sum;
}

// Sum of 256 elements per block with divergent branches: y[blocks] from x[blocks * 256].
extern "C" __global__ void bench_reduce(const float *x, float *y) {
    __shared__ float partial[256];
    unsigned t = threadIdx.x;
    partial[t] = x[blockIdx.x * 256 + t];
    for (unsigned stride = 1; stride < 256; stride *= 2) {
        __syncthreads();
        if (t % (2 * stride) == 0) partial[t] += partial[t + stride];
    }
    if (t == 0) y[blockIdx.x] = partial[0];
}

// What a launch costs by itself.
extern "C" __global__ void bench_empty(void) {}
