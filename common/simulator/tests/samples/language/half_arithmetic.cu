// SPDX-License-Identifier: MIT
// Half precision by the operators and functions of cuda_fp16.h and cuda_bf16.h: axpy on pairs, a
// dot product, comparisons, roundings, a polynomial, what overflows; bits printed as sums.
#include <cmath>
#include <vector>

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "../helper.h"

__global__ void axpy(const half2 *x, half2 *y, half2 a, int pairs) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < pairs) y[i] = __hfma2(a, x[i], y[i]);
}

__global__ void dot(const half2 *x, const half2 *y, float *out, int pairs) {
    __shared__ half2 partial[128];
    half2 sum = __float2half2_rn(0.0f);
    for (int i = threadIdx.x; i < pairs; i += blockDim.x) sum = __hfma2(x[i], y[i], sum);
    partial[threadIdx.x] = sum;
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) partial[threadIdx.x] += partial[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0) *out = __low2float(partial[0]) + __high2float(partial[0]);
}

__device__ unsigned bitsOf(__half value) { return __half_as_ushort(value); }

__global__ void scalars(const half *x, unsigned *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    half a = x[i], b = x[n - 1 - i];
    half values[] = {a + b,
                     a - b,
                     a * b,
                     a / b,
                     -a,
                     __habs(b),
                     __hmax(a, b),
                     __hmin(a, b),
                     hsqrt(__habs(a)),
                     hfloor(a),
                     hrint(b),
                     __hadd_sat(a, b),
                     __float2half_rd(__half2float(a) * 0.3f),
                     __float2half_rz(1e5f),
                     __int2half_rn(i * 37),
                     __ushort2half_rn(65535)};
    for (half value : values) atomicAdd(&out[0], bitsOf(value));
    if (a < b) atomicAdd(&out[1], 1u);
    if (__heq(a, b)) atomicAdd(&out[2], 1u);
    if (__hisnan(a / __float2half(0.0f)) || __hisinf(a / __float2half(0.0f)))
        atomicAdd(&out[3], 1u);
    atomicAdd(&out[4], (unsigned)__half2int_rn(a * __float2half(10.0f)) & 0xffffu);
}

__global__ void brain(const float *x, unsigned *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    __nv_bfloat16 a = __float2bfloat16(x[i]), b = __float2bfloat16(x[i] * 3 + 1);
    __nv_bfloat162 pair = __halves2bfloat162(a, b);
    pair = __hfma2(pair, pair, __floats2bfloat162_rn(0.5f, -0.5f));
    atomicAdd(out, (unsigned)__bfloat16_as_ushort(pair.x) + __bfloat16_as_ushort(a * b + a));
}

int main(int argc, char **argv) {
    const int n = intOption(argc, argv, "n", 4096), pairs = n / 2;
    std::vector<half> x(n), y(n), z(n);
    std::vector<float> wide(n);
    HostRandom random(16);
    for (int i = 0; i < n; i++) {
        x[i] = __float2half(random.uniform() * 2 - 1);
        y[i] = __float2half(random.uniform() * 4 - 2);
        wide[i] = random.uniform() * 100 - 50;
    }
    half2 *d_x, *d_y;
    float *d_dot, *d_wide, dotted;
    unsigned *d_out, out[6];
    checkCudaErrors(cudaMalloc(&d_x, n * sizeof(half)));
    checkCudaErrors(cudaMalloc(&d_y, n * sizeof(half)));
    checkCudaErrors(cudaMalloc(&d_dot, sizeof dotted));
    checkCudaErrors(cudaMalloc(&d_wide, n * sizeof(float)));
    checkCudaErrors(cudaMalloc(&d_out, sizeof out));
    checkCudaErrors(cudaMemset(d_out, 0, sizeof out));
    checkCudaErrors(cudaMemcpy(d_x, x.data(), n * sizeof(half), cudaMemcpyHostToDevice));
    checkCudaErrors(cudaMemcpy(d_y, y.data(), n * sizeof(half), cudaMemcpyHostToDevice));
    checkCudaErrors(cudaMemcpy(d_wide, wide.data(), n * sizeof(float), cudaMemcpyHostToDevice));
    axpy<<<divUp(pairs, 128), 128>>>(d_x, d_y, __float2half2_rn(1.5f), pairs);
    dot<<<1, 128>>>(d_x, d_y, d_dot, pairs);
    scalars<<<divUp(n, 128), 128>>>((half *)d_x, d_out, n);
    brain<<<divUp(n, 128), 128>>>(d_wide, d_out + 5, n);
    getLastCudaError("half kernels");
    checkCudaErrors(cudaMemcpy(z.data(), d_y, n * sizeof(half), cudaMemcpyDeviceToHost));
    checkCudaErrors(cudaMemcpy(&dotted, d_dot, sizeof dotted, cudaMemcpyDeviceToHost));
    checkCudaErrors(cudaMemcpy(out, d_out, sizeof out, cudaMemcpyDeviceToHost));
    int wrong = 0;
    double exact = 0;
    for (int i = 0; i < n; i++) {
        double want = 1.5 * (double)__half2float(x[i]) + __half2float(y[i]);
        wrong += __half2float(z[i]) != __half2float(__double2half(want));
        exact += (double)__half2float(x[i]) * __half2float(z[i]);
    }
    printf("axpy: %d of %d differ\n", wrong, n);
    printf("dot: %.4f\n", dotted);
    printf("scalars: bits %u, less %u, equal %u, no number %u, rounded %u\n", out[0], out[1],
           out[2], out[3], out[4]);
    printf("bfloat16: bits %u\n", out[5]);
    checkCudaErrors(cudaFree(d_x));
    checkCudaErrors(cudaFree(d_y));
    checkCudaErrors(cudaFree(d_dot));
    checkCudaErrors(cudaFree(d_wide));
    checkCudaErrors(cudaFree(d_out));
    return finish("half_arithmetic", wrong == 0 && fabs(dotted - exact) < 5);
}
