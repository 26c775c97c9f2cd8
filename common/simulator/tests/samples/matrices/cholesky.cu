// SPDX-License-Identifier: MIT
// Blocked Cholesky factorisation in single precision: diagonal tile, panel below it, symmetric
// update of the rest; many small matrices at once as a second kernel, one matrix a block.
#include <cmath>
#include <vector>

#include "../helper.h"

#define NB 16

__global__ void factorTile(float *a, int n, int k) {
    __shared__ float t[NB][NB + 1];
    int x = threadIdx.x, y = threadIdx.y;
    t[y][x] = a[(k + y) * n + k + x];
    __syncthreads();
    for (int j = 0; j < NB; j++) {
        if (x == j && y == j) t[j][j] = sqrtf(t[j][j]);
        __syncthreads();
        if (x == j && y > j) t[y][j] /= t[j][j];
        __syncthreads();
        if (x > j && y >= x) t[y][x] -= t[y][j] * t[x][j];
        __syncthreads();
    }
    if (y >= x) a[(k + y) * n + k + x] = t[y][x];
}

__global__ void solvePanel(float *a, int n, int k) {
    __shared__ float diagonal[NB][NB + 1], panel[NB][NB + 1];
    int x = threadIdx.x, y = threadIdx.y, row = k + (blockIdx.x + 1) * NB + y;
    diagonal[y][x] = a[(k + y) * n + k + x];
    panel[y][x] = a[row * n + k + x];
    __syncthreads();
    for (int j = 0; j < NB; j++) {
        if (x == j) panel[y][j] /= diagonal[j][j];
        __syncthreads();
        if (x > j) panel[y][x] -= panel[y][j] * diagonal[x][j];
        __syncthreads();
    }
    a[row * n + k + x] = panel[y][x];
}

__global__ void updateRest(float *a, int n, int k) {
    __shared__ float left[NB][NB + 1], right[NB][NB + 1];
    if (blockIdx.x > blockIdx.y) return;
    int x = threadIdx.x, y = threadIdx.y;
    int row = k + (blockIdx.y + 1) * NB, column = k + (blockIdx.x + 1) * NB;
    left[y][x] = a[(row + y) * n + k + x];
    right[y][x] = a[(column + y) * n + k + x];
    __syncthreads();
    float sum = 0;
#pragma unroll
    for (int j = 0; j < NB; j++) sum += left[y][j] * right[x][j];
    a[(row + y) * n + column + x] -= sum;
}

template <int N> __global__ void factorBatch(float *matrices) {
    float *a = matrices + blockIdx.x * N * N;
    __shared__ float t[N * N];
    for (int i = threadIdx.x; i < N * N; i += blockDim.x) t[i] = a[i];
    __syncthreads();
    for (int j = 0; j < N; j++) {
        float root = sqrtf(t[j * N + j]);
        __syncthreads();
        if (threadIdx.x >= j && threadIdx.x < N)
            t[threadIdx.x * N + j] = threadIdx.x == j ? root : t[threadIdx.x * N + j] / root;
        __syncthreads();
        if (threadIdx.x > j && threadIdx.x < N)
            for (int i = j + 1; i <= threadIdx.x; i++)
                t[threadIdx.x * N + i] -= t[threadIdx.x * N + j] * t[i * N + j];
        __syncthreads();
    }
    for (int i = threadIdx.x; i < N * N; i += blockDim.x) a[i] = i % N <= i / N ? t[i] : 0;
}

// A = B B^T + n I, whose factor is well conditioned.
static std::vector<float> makeMatrix(int n, HostRandom &random) {
    std::vector<float> b(n * n), a(n * n);
    for (float &value : b) value = random.uniform() - 0.5f;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double sum = i == j ? n : 0;
            for (int k = 0; k < n; k++) sum += (double)b[i * n + k] * b[j * n + k];
            a[i * n + j] = (float)sum;
        }
    return a;
}

static double residual(const std::vector<float> &a, const float *l, int n) {
    double worst = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++) {
            double sum = 0;
            for (int k = 0; k <= j; k++) sum += (double)l[i * n + k] * l[j * n + k];
            worst = fmax(worst, fabs(sum - a[i * n + j]) / n);
        }
    return worst;
}

int main(int argc, char **argv) {
    const int tiles = intOption(argc, argv, "tiles", 9), n = tiles * NB;
    HostRandom random(1924);
    std::vector<float> a = makeMatrix(n, random), l(n * n);
    float *d_a;
    checkCudaErrors(cudaMalloc(&d_a, n * n * sizeof(float)));
    checkCudaErrors(cudaMemcpy(d_a, a.data(), n * n * sizeof(float), cudaMemcpyHostToDevice));
    for (int tile = 0; tile < tiles; tile++) {
        int left = tiles - tile - 1;
        factorTile<<<1, dim3(NB, NB)>>>(d_a, n, tile * NB);
        if (left == 0) break;
        solvePanel<<<left, dim3(NB, NB)>>>(d_a, n, tile * NB);
        updateRest<<<dim3(left, left), dim3(NB, NB)>>>(d_a, n, tile * NB);
    }
    getLastCudaError("factorisation");
    checkCudaErrors(cudaMemcpy(l.data(), d_a, n * n * sizeof(float), cudaMemcpyDeviceToHost));
    double error = residual(a, l.data(), n);
    printf("%d x %d: l[0][0] %.4f, l[n-1][n-1] %.4f, residual below 1e-6: %s\n", n, n, l[0],
           l[n * n - 1], error < 1e-6 ? "yes" : "no");

    const int small = 24, batch = 50;
    std::vector<float> all, factors(batch * small * small);
    std::vector<std::vector<float>> each;
    for (int i = 0; i < batch; i++) {
        each.push_back(makeMatrix(small, random));
        all.insert(all.end(), each[i].begin(), each[i].end());
    }
    float *d_all;
    size_t bytes = all.size() * sizeof(float);
    checkCudaErrors(cudaMalloc(&d_all, bytes));
    checkCudaErrors(cudaMemcpy(d_all, all.data(), bytes, cudaMemcpyHostToDevice));
    factorBatch<small><<<batch, 32>>>(d_all);
    getLastCudaError("factorBatch");
    checkCudaErrors(cudaMemcpy(factors.data(), d_all, bytes, cudaMemcpyDeviceToHost));
    double worst = 0;
    for (int i = 0; i < batch; i++)
        worst = fmax(worst, residual(each[i], &factors[i * small * small], small));
    printf("batch of %d: residual below 1e-6: %s\n", batch, worst < 1e-6 ? "yes" : "no");
    checkCudaErrors(cudaFree(d_a));
    checkCudaErrors(cudaFree(d_all));
    return finish("cholesky", error < 1e-6 && worst < 1e-6);
}
