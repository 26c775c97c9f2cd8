// SPDX-License-Identifier: MIT
// Eigenvalues of a symmetric tridiagonal matrix by bisection on Sturm counts, a thread an
// eigenvalue, from Gerschgorin's interval; a matrix whose eigenvalues are known and a random one.
#include <algorithm>
#include <cmath>
#include <vector>

#include "../helper.h"

__host__ __device__ int eigenvaluesBelow(const float *diagonal, const float *off, int n, double x) {
    int count = 0;
    double pivot = 1;
    for (int i = 0; i < n; i++) {
        double beside = i ? off[i - 1] : 0;
        pivot = diagonal[i] - x - beside * beside / pivot;
        if (pivot == 0) pivot = 1e-30;
        count += pivot < 0;
    }
    return count;
}

__global__ void bisect(const float *diagonal, const float *off, int n, double low, double high,
                       double tolerance, double *eigenvalues, int *steps) {
    extern __shared__ float cached[];
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        cached[i] = diagonal[i];
        if (i < n - 1) cached[n + i] = off[i];
    }
    __syncthreads();
    int k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k >= n) return;
    int taken = 0;
    while (high - low > tolerance) {
        double middle = 0.5 * (low + high);
        if (middle == low || middle == high) break;
        if (eigenvaluesBelow(cached, cached + n, n, middle) > k)
            high = middle;
        else
            low = middle;
        taken++;
    }
    eigenvalues[k] = 0.5 * (low + high);
    atomicMax(steps, taken);
}

static std::vector<double> solve(const std::vector<float> &diagonal, const std::vector<float> &off,
                                 int *out_steps) {
    int n = (int)diagonal.size();
    double low = diagonal[0], high = diagonal[0];
    for (int i = 0; i < n; i++) {
        double radius = (i ? fabs(off[i - 1]) : 0) + (i < n - 1 ? fabs(off[i]) : 0);
        low = std::min(low, diagonal[i] - radius);
        high = std::max(high, diagonal[i] + radius);
    }
    float *d_diagonal, *d_off;
    double *d_values;
    int *d_steps;
    checkCudaErrors(cudaMalloc(&d_diagonal, n * sizeof(float)));
    checkCudaErrors(cudaMalloc(&d_off, n * sizeof(float)));
    checkCudaErrors(cudaMalloc(&d_values, n * sizeof(double)));
    checkCudaErrors(cudaMalloc(&d_steps, sizeof(int)));
    checkCudaErrors(cudaMemset(d_steps, 0, sizeof(int)));
    checkCudaErrors(
        cudaMemcpy(d_diagonal, diagonal.data(), n * sizeof(float), cudaMemcpyHostToDevice));
    checkCudaErrors(cudaMemcpy(d_off, off.data(), (n - 1) * sizeof(float), cudaMemcpyHostToDevice));
    bisect<<<divUp(n, 64), 64, 2 * n * sizeof(float)>>>(d_diagonal, d_off, n, low, high, 1e-10,
                                                        d_values, d_steps);
    getLastCudaError("bisect");
    std::vector<double> values(n);
    checkCudaErrors(
        cudaMemcpy(values.data(), d_values, n * sizeof(double), cudaMemcpyDeviceToHost));
    checkCudaErrors(cudaMemcpy(out_steps, d_steps, sizeof(int), cudaMemcpyDeviceToHost));
    checkCudaErrors(cudaFree(d_diagonal));
    checkCudaErrors(cudaFree(d_off));
    checkCudaErrors(cudaFree(d_values));
    checkCudaErrors(cudaFree(d_steps));
    return values;
}

int main(int argc, char **argv) {
    const int n = intOption(argc, argv, "n", 200);
    int steps;
    std::vector<double> values =
        solve(std::vector<float>(n, 2), std::vector<float>(n - 1, -1), &steps);
    double worst = 0;
    for (int k = 0; k < n; k++)
        worst = fmax(worst, fabs(values[k] - (2 - 2 * cos(M_PI * (k + 1) / (n + 1)))));
    printf("second differences: %d eigenvalues in at most %d steps, %.8f to %.8f, error %s\n", n,
           steps, values[0], values[n - 1], worst < 1e-9 ? "below 1e-9" : "too large");

    HostRandom random(1967);
    std::vector<float> diagonal(n), off(n - 1);
    double trace = 0, sum = 0;
    for (float &d : diagonal) trace += d = random.uniform() * 10;
    for (float &e : off) e = random.uniform() - 0.5f;
    std::vector<double> mixed = solve(diagonal, off, &steps);
    for (double value : mixed) sum += value;
    bool ordered = std::is_sorted(mixed.begin(), mixed.end());
    printf("random: %.6f to %.6f, ordered: %s, trace %.4f\n", mixed[0], mixed[n - 1],
           ordered ? "yes" : "no", sum);
    return finish("eigenvalues_bisection", worst < 1e-9 && ordered && fabs(sum - trace) < 1e-6);
}
