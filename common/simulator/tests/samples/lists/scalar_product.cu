// SPDX-License-Identifier: MIT
// Scalar products of many pairs of vectors, one pair a block: strided accumulators in shared memory
// and a tree over them; then the same with a warp a pair and shuffles.
#include <cmath>
#include <vector>

#include "../helper.h"

#define ACCUMULATORS 1024

__global__ void scalarProducts(float *c, const float *a, const float *b, int vectors,
                               int elements) {
    __shared__ float accumulators[ACCUMULATORS];
    for (int vector = blockIdx.x; vector < vectors; vector += gridDim.x) {
        const float *x = a + vector * elements, *y = b + vector * elements;
        for (int i = threadIdx.x; i < ACCUMULATORS; i += blockDim.x) {
            float sum = 0;
            for (int at = i; at < elements; at += ACCUMULATORS) sum += x[at] * y[at];
            accumulators[i] = sum;
        }
        for (int stride = ACCUMULATORS / 2; stride > 0; stride >>= 1) {
            __syncthreads();
            for (int i = threadIdx.x; i < stride; i += blockDim.x)
                accumulators[i] += accumulators[i + stride];
        }
        __syncthreads();
        if (threadIdx.x == 0) c[vector] = accumulators[0];
    }
}

__global__ void scalarProductsByWarps(float *c, const float4 *a, const float4 *b, int vectors,
                                      int quads) {
    int vector = blockIdx.x * blockDim.y + threadIdx.y;
    if (vector >= vectors) return;
    float sum = 0;
    for (int i = threadIdx.x; i < quads; i += warpSize) {
        float4 x = __ldg(&a[vector * quads + i]), y = __ldg(&b[vector * quads + i]);
        sum += x.x * y.x + x.y * y.y + x.z * y.z + x.w * y.w;
    }
    for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_xor_sync(0xffffffff, sum, offset);
    if (threadIdx.x == 0) c[vector] = sum;
}

static double worstError(const std::vector<float> &got, const std::vector<double> &want) {
    double worst = 0;
    for (size_t i = 0; i < got.size(); i++)
        worst = fmax(worst, fabs(got[i] - want[i]) / fmax(fabs(want[i]), 1.0));
    return worst;
}

int main(int argc, char **argv) {
    const int vectors = intOption(argc, argv, "vectors", 64);
    const int elements = intOption(argc, argv, "elements", 4096);
    size_t count = (size_t)vectors * elements, bytes = count * sizeof(float);
    std::vector<float> a(count), b(count), c(vectors), byWarps(vectors);
    std::vector<double> want(vectors, 0.0);
    HostRandom random(123);
    for (size_t i = 0; i < count; i++) {
        a[i] = random.uniform();
        b[i] = random.uniform();
        want[i / elements] += (double)a[i] * b[i];
    }
    float *d_a, *d_b, *d_c;
    checkCudaErrors(cudaMalloc(&d_a, bytes));
    checkCudaErrors(cudaMalloc(&d_b, bytes));
    checkCudaErrors(cudaMalloc(&d_c, vectors * sizeof(float)));
    checkCudaErrors(cudaMemcpy(d_a, a.data(), bytes, cudaMemcpyHostToDevice));
    checkCudaErrors(cudaMemcpy(d_b, b.data(), bytes, cudaMemcpyHostToDevice));
    scalarProducts<<<24, 256>>>(d_c, d_a, d_b, vectors, elements);
    getLastCudaError("scalarProducts");
    checkCudaErrors(cudaMemcpy(c.data(), d_c, vectors * sizeof(float), cudaMemcpyDeviceToHost));
    scalarProductsByWarps<<<divUp(vectors, 8), dim3(32, 8)>>>(d_c, (float4 *)d_a, (float4 *)d_b,
                                                              vectors, elements / 4);
    getLastCudaError("scalarProductsByWarps");
    checkCudaErrors(
        cudaMemcpy(byWarps.data(), d_c, vectors * sizeof(float), cudaMemcpyDeviceToHost));
    printf("%d vectors of %d: %.5f %.5f .. %.5f, by warps %.5f\n", vectors, elements, c[0], c[1],
           c[vectors - 1], byWarps[0]);
    checkCudaErrors(cudaFree(d_a));
    checkCudaErrors(cudaFree(d_b));
    checkCudaErrors(cudaFree(d_c));
    return finish("scalar_product", worstError(c, want) < 1e-6 && worstError(byWarps, want) < 1e-6);
}
