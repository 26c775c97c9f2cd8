// SPDX-License-Identifier: MIT
// PageRank by power iteration on a sparse matrix: a warp a row, dangling mass and the change
// reduced in double with atomicAdd; and SpMV in CSR (scalar) and ELL for the same matrix.
#include <algorithm>
#include <cmath>
#include <vector>

#include "../helper.h"

__global__ void spmvWarp(int rows, const int *__restrict__ offsets, const int *__restrict__ columns,
                         const double *__restrict__ values, const double *__restrict__ x,
                         double *y) {
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / warpSize, lane = threadIdx.x % warpSize;
    if (row >= rows) return;
    double sum = 0;
    for (int e = offsets[row] + lane; e < offsets[row + 1]; e += warpSize)
        sum += values[e] * __ldg(&x[columns[e]]);
    for (int d = warpSize / 2; d > 0; d /= 2) sum += __shfl_down_sync(0xffffffff, sum, d);
    if (lane == 0) y[row] = sum;
}

__global__ void spmvEll(int rows, int width, const int *columns, const double *values,
                        const double *x, double *y) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    double sum = 0;
    for (int k = 0; k < width; k++) {
        int column = columns[k * rows + row];
        if (column >= 0) sum += values[k * rows + row] * x[column];
    }
    y[row] = sum;
}

__global__ void danglingMass(int n, const int *outDegree, const double *rank, double *mass) {
    double sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        if (outDegree[i] == 0) sum += rank[i];
    for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(~0u, sum, d);
    if (threadIdx.x % 32 == 0) atomicAdd(mass, sum);
}

__global__ void applyDamping(int n, double damping, const double *mass, double *next,
                             const double *rank, double *change) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    double difference = 0;
    if (i < n) {
        next[i] = (1 - damping) / n + damping * (next[i] + *mass / n);
        difference = fabs(next[i] - rank[i]);
    }
    for (int d = 16; d > 0; d /= 2) difference += __shfl_xor_sync(~0u, difference, d);
    if (threadIdx.x % 32 == 0) atomicAdd(change, difference);
}

int main(int argc, char **argv) {
    const int n = intOption(argc, argv, "n", 3000);
    const double damping = 0.85;
    HostRandom random(1998);
    std::vector<std::vector<int>> incoming(n);
    std::vector<int> outDegree(n);
    for (int v = 0; v < n; v++) {
        int links = v % 17 == 0 ? 0 : 1 + random.below(9);
        for (int l = 0; l < links; l++) {
            int to = random.below(1 + random.below(n)); // the first pages are popular
            if (std::find(incoming[to].begin(), incoming[to].end(), v) != incoming[to].end())
                continue;
            incoming[to].push_back(v);
            outDegree[v]++;
        }
    }
    std::vector<int> offsets(1, 0), columns;
    std::vector<double> values;
    for (int v = 0; v < n; v++) {
        for (int from : incoming[v]) {
            columns.push_back(from);
            values.push_back(1.0 / outDegree[from]);
        }
        offsets.push_back((int)columns.size());
    }
    int *d_offsets, *d_columns, *d_degree, nnz = (int)columns.size();
    double *d_values, *d_rank, *d_next, *d_sums;
    checkCudaErrors(cudaMalloc(&d_offsets, (n + 1) * sizeof(int)));
    checkCudaErrors(cudaMalloc(&d_columns, nnz * sizeof(int)));
    checkCudaErrors(cudaMalloc(&d_degree, n * sizeof(int)));
    checkCudaErrors(cudaMalloc(&d_values, nnz * sizeof(double)));
    checkCudaErrors(cudaMalloc(&d_rank, n * sizeof(double)));
    checkCudaErrors(cudaMalloc(&d_next, n * sizeof(double)));
    checkCudaErrors(cudaMalloc(&d_sums, 2 * sizeof(double)));
    checkCudaErrors(
        cudaMemcpy(d_offsets, offsets.data(), (n + 1) * sizeof(int), cudaMemcpyDefault));
    checkCudaErrors(cudaMemcpy(d_columns, columns.data(), nnz * sizeof(int), cudaMemcpyDefault));
    checkCudaErrors(cudaMemcpy(d_degree, outDegree.data(), n * sizeof(int), cudaMemcpyDefault));
    checkCudaErrors(cudaMemcpy(d_values, values.data(), nnz * sizeof(double), cudaMemcpyDefault));
    std::vector<double> rank(n, 1.0 / n), next(n), got(n);
    checkCudaErrors(cudaMemcpy(d_rank, rank.data(), n * sizeof(double), cudaMemcpyDefault));

    int iterations = 0;
    double sums[2] = {0, 1};
    while (sums[1] > 1e-9 && iterations < 100) {
        checkCudaErrors(cudaMemset(d_sums, 0, sizeof sums));
        danglingMass<<<8, 128>>>(n, d_degree, d_rank, d_sums);
        spmvWarp<<<divUp(n * 32, 128), 128>>>(n, d_offsets, d_columns, d_values, d_rank, d_next);
        applyDamping<<<divUp(n, 128), 128>>>(n, damping, d_sums, d_next, d_rank, d_sums + 1);
        checkCudaErrors(cudaMemcpy(sums, d_sums, sizeof sums, cudaMemcpyDeviceToHost));
        std::swap(d_rank, d_next);
        iterations++;
    }
    checkCudaErrors(cudaMemcpy(got.data(), d_rank, n * sizeof(double), cudaMemcpyDeviceToHost));
    for (int i = 0; i < iterations; i++) {
        double mass = 0;
        for (int v = 0; v < n; v++) mass += outDegree[v] == 0 ? rank[v] : 0;
        for (int v = 0; v < n; v++) {
            double sum = 0;
            for (int e = offsets[v]; e < offsets[v + 1]; e++) sum += values[e] * rank[columns[e]];
            next[v] = (1 - damping) / n + damping * (sum + mass / n);
        }
        rank.swap(next);
    }
    double worst = 0, total = 0;
    for (int v = 0; v < n; v++) {
        worst = fmax(worst, fabs(got[v] - rank[v]));
        total += got[v];
    }
    int first = (int)(std::max_element(got.begin(), got.end()) - got.begin());
    printf("%d pages, %d links, %d iterations: page %d has %.6f\n", n, nnz, iterations, first,
           got[first]);
    bool passed = worst < 1e-12 && fabs(total - 1) < 1e-9;

    int width = 0;
    for (auto &row : incoming) width = std::max(width, (int)row.size());
    std::vector<int> ellColumns(n * width, -1);
    std::vector<double> ellValues(n * width, 0.0);
    for (int v = 0; v < n; v++)
        for (size_t k = 0; k < incoming[v].size(); k++) {
            ellColumns[k * n + v] = incoming[v][k];
            ellValues[k * n + v] = 1.0 / outDegree[incoming[v][k]];
        }
    int *d_ellColumns;
    double *d_ellValues;
    checkCudaErrors(cudaMalloc(&d_ellColumns, ellColumns.size() * sizeof(int)));
    checkCudaErrors(cudaMalloc(&d_ellValues, ellValues.size() * sizeof(double)));
    checkCudaErrors(cudaMemcpy(d_ellColumns, ellColumns.data(), ellColumns.size() * sizeof(int),
                               cudaMemcpyDefault));
    checkCudaErrors(cudaMemcpy(d_ellValues, ellValues.data(), ellValues.size() * sizeof(double),
                               cudaMemcpyDefault));
    std::vector<double> a(n), b(n);
    spmvWarp<<<divUp(n * 32, 128), 128>>>(n, d_offsets, d_columns, d_values, d_rank, d_next);
    checkCudaErrors(cudaMemcpy(a.data(), d_next, n * sizeof(double), cudaMemcpyDefault));
    spmvEll<<<divUp(n, 64), 64>>>(n, width, d_ellColumns, d_ellValues, d_rank, d_next);
    checkCudaErrors(cudaMemcpy(b.data(), d_next, n * sizeof(double), cudaMemcpyDefault));
    worst = 0;
    for (int v = 0; v < n; v++) worst = fmax(worst, fabs(a[v] - b[v]));
    printf("CSR and ELL agree: %s\n", worst < 1e-14 ? "yes" : "NO");
    return finish("pagerank", passed && worst < 1e-14);
}
