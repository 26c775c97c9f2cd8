// SPDX-License-Identifier: MIT
// LU decomposition with partial pivoting, right-looking: a reduction finds the pivot, rows are
// swapped, the trailing matrix is updated; then a system is solved and its residual printed.
#include <cmath>
#include <vector>

#include "../helper.h"

#define PIVOT_THREADS 256

__global__ void findPivot(const double *a, int n, int k, int *pivots) {
    __shared__ double value[PIVOT_THREADS];
    __shared__ int row[PIVOT_THREADS];
    int t = threadIdx.x;
    value[t] = -1;
    row[t] = k;
    for (int i = k + t; i < n; i += blockDim.x) {
        double size = fabs(a[i * n + k]);
        if (size > value[t]) {
            value[t] = size;
            row[t] = i;
        }
    }
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        if (t < half && (value[t + half] > value[t] ||
                         (value[t + half] == value[t] && row[t + half] < row[t]))) {
            value[t] = value[t + half];
            row[t] = row[t + half];
        }
        __syncthreads();
    }
    if (t == 0) pivots[k] = row[0];
}

__global__ void swapRows(double *a, int n, int k, const int *pivots) {
    int j = blockIdx.x * blockDim.x + threadIdx.x, p = pivots[k];
    if (j >= n || p == k) return;
    double kept = a[k * n + j];
    a[k * n + j] = a[p * n + j];
    a[p * n + j] = kept;
}

__global__ void scaleColumn(double *a, int n, int k) {
    int i = k + 1 + blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i * n + k] /= a[k * n + k];
}

__global__ void updateTrailing(double *a, int n, int k) {
    int j = k + 1 + blockIdx.x * blockDim.x + threadIdx.x;
    int i = k + 1 + blockIdx.y * blockDim.y + threadIdx.y;
    if (i < n && j < n) a[i * n + j] -= a[i * n + k] * a[k * n + j];
}

int main(int argc, char **argv) {
    const int n = intOption(argc, argv, "n", 123);
    std::vector<double> a(n * n), lu(n * n), x(n), b(n, 0);
    std::vector<int> pivots(n);
    HostRandom random(1801);
    for (double &value : a) value = random.uniform() - 0.5;
    for (int i = 0; i < n; i++) x[i] = i % 7 - 3;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) b[i] += a[i * n + j] * x[j];

    double *d_a;
    int *d_pivots;
    checkCudaErrors(cudaMalloc(&d_a, n * n * sizeof(double)));
    checkCudaErrors(cudaMalloc(&d_pivots, n * sizeof(int)));
    checkCudaErrors(cudaMemcpy(d_a, a.data(), n * n * sizeof(double), cudaMemcpyHostToDevice));
    for (int k = 0; k < n; k++) {
        findPivot<<<1, PIVOT_THREADS>>>(d_a, n, k, d_pivots);
        swapRows<<<divUp(n, 128), 128>>>(d_a, n, k, d_pivots);
        if (k == n - 1) break;
        int left = n - k - 1;
        scaleColumn<<<divUp(left, 128), 128>>>(d_a, n, k);
        updateTrailing<<<dim3(divUp(left, 32), divUp(left, 8)), dim3(32, 8)>>>(d_a, n, k);
    }
    getLastCudaError("decomposition");
    checkCudaErrors(cudaMemcpy(lu.data(), d_a, n * n * sizeof(double), cudaMemcpyDeviceToHost));
    checkCudaErrors(cudaMemcpy(pivots.data(), d_pivots, n * sizeof(int), cudaMemcpyDeviceToHost));

    double logDeterminant = 0;
    int swaps = 0;
    std::vector<double> y = b;
    for (int k = 0; k < n; k++) {
        std::swap(y[k], y[pivots[k]]);
        swaps += pivots[k] != k;
        logDeterminant += log10(fabs(lu[k * n + k]));
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++) y[i] -= lu[i * n + j] * y[j];
    for (int i = n - 1; i >= 0; i--) {
        for (int j = i + 1; j < n; j++) y[i] -= lu[i * n + j] * y[j];
        y[i] /= lu[i * n + i];
    }
    double worst = 0;
    for (int i = 0; i < n; i++) worst = fmax(worst, fabs(y[i] - x[i]));
    printf("%d equations, %d rows swapped, first pivots %d %d %d\n", n, swaps, pivots[0], pivots[1],
           pivots[2]);
    printf("log10 |det| %.6f, largest multiplier below 1: %s\n", logDeterminant,
           fabs(lu[(n - 1) * n]) <= 1 ? "yes" : "no");
    checkCudaErrors(cudaFree(d_a));
    checkCudaErrors(cudaFree(d_pivots));
    return finish("lu_decomposition", worst < 1e-9);
}
