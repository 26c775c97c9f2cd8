// SPDX-License-Identifier: MIT
// Arithmetic in the types of numbers that programs use: half, double, 64-bit integers, mathematics.
#include "../check.h"

#include <cmath>
#include <cuda_fp16.h>

__global__ void halves(const __half *a, const __half *b, __half *c, int n) {
    int i = threadIdx.x;
    if (i < n) c[i] = __hfma(a[i], b[i], __float2half(1.0f));
}

__global__ void doubles(const double *x, double *y, int n) {
    int i = threadIdx.x;
    if (i < n) y[i] = sqrt(x[i]) + sin(x[i]) * exp(-x[i]) + fmod(x[i], 3.0);
}

__global__ void integers(const long long *x, long long *y, int n) {
    int i = threadIdx.x;
    if (i < n) y[i] = x[i] * x[i] / 7 + x[i] % 13 + __popcll(x[i]) - __clzll(x[i]);
}

int main() {
    const int n = 64;
    __half a[n], b[n], c[n];
    double x[n], y[n];
    long long p[n], q[n];
    for (int i = 0; i < n; i++) {
        a[i] = __float2half(0.25f * i);
        b[i] = __float2half(2.0f);
        x[i] = 0.37 * i;
        p[i] = (1LL << 20) * i + 3;
    }
    void *in, *in2, *out;
    CUDA_CHECK(cudaMalloc(&in, sizeof x));
    CUDA_CHECK(cudaMalloc(&in2, sizeof x));
    CUDA_CHECK(cudaMalloc(&out, sizeof x));
    CUDA_CHECK(cudaMemcpy(in, a, sizeof a, cudaMemcpyHostToDevice));
    CUDA_CHECK(cudaMemcpy(in2, b, sizeof b, cudaMemcpyHostToDevice));
    halves<<<1, n>>>((__half *)in, (__half *)in2, (__half *)out, n);
    CUDA_CHECK(cudaMemcpy(c, out, sizeof c, cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; i++) EXPECT(__half2float(c[i]) == 0.5f * i + 1.0f);

    CUDA_CHECK(cudaMemcpy(in, x, sizeof x, cudaMemcpyHostToDevice));
    doubles<<<1, n>>>((double *)in, (double *)out, n);
    CUDA_CHECK(cudaMemcpy(y, out, sizeof y, cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; i++) {
        double want = sqrt(x[i]) + sin(x[i]) * exp(-x[i]) + fmod(x[i], 3.0);
        EXPECT(fabs(y[i] - want) <= 1e-13 * (1 + fabs(want)));
    }

    CUDA_CHECK(cudaMemcpy(in, p, sizeof p, cudaMemcpyHostToDevice));
    integers<<<1, n>>>((long long *)in, (long long *)out, n);
    CUDA_CHECK(cudaMemcpy(q, out, sizeof q, cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; i++)
        EXPECT(q[i] ==
               p[i] * p[i] / 7 + p[i] % 13 + __builtin_popcountll(p[i]) - __builtin_clzll(p[i]));
    printf("ok\n");
    return 0;
}
