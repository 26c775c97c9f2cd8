// SPDX-License-Identifier: MIT
// Sum in a single pass: blocks publish partial sums behind a fence and count themselves with
// atomicInc; the last block to come adds the partial sums.
#include "../helper.h"

__device__ unsigned int retirementCount = 0;

template <unsigned int blockSize> __device__ float reduceBlock(volatile float *sdata, float mySum) {
    unsigned int tid = threadIdx.x;
    sdata[tid] = mySum;
    __syncthreads();
    for (unsigned int s = blockSize / 2; s >= 32; s >>= 1) {
        if (tid < s) sdata[tid] = mySum = mySum + sdata[tid + s];
        __syncthreads();
    }
    if (tid < 32)
        for (int offset = 16; offset > 0; offset >>= 1)
            mySum += __shfl_xor_sync(~0u, mySum, offset);
    return mySum;
}

template <unsigned int blockSize>
__global__ void reduceSinglePass(const float *g_idata, float *g_odata, unsigned int n) {
    __shared__ float smem[blockSize];
    float sum = 0;
    for (unsigned int i = blockIdx.x * blockSize + threadIdx.x; i < n; i += blockSize * gridDim.x)
        sum += g_idata[i];
    sum = reduceBlock<blockSize>(smem, sum);
    if (threadIdx.x == 0) g_odata[blockIdx.x] = sum;
    if (gridDim.x == 1) return;

    __shared__ bool amLast;
    __threadfence();
    if (threadIdx.x == 0) {
        unsigned int ticket = atomicInc(&retirementCount, gridDim.x);
        amLast = ticket == gridDim.x - 1;
    }
    __syncthreads();
    if (amLast) {
        volatile float *partial = g_odata;
        float total = 0;
        for (int i = threadIdx.x; i < gridDim.x; i += blockSize) total += partial[i];
        __syncthreads();
        total = reduceBlock<blockSize>(smem, total);
        if (threadIdx.x == 0) {
            g_odata[0] = total;
            retirementCount = 0;
        }
    }
}

int main(int argc, char **argv) {
    unsigned int n = intOption(argc, argv, "n", 1 << 19);
    float *h = new float[n], *d_in, *d_out;
    long expected = 0;
    HostRandom random(3);
    for (unsigned int i = 0; i < n; i++) {
        h[i] = (float)random.below(16);
        expected += (long)h[i];
    }
    checkCudaErrors(cudaMalloc(&d_in, n * sizeof(float)));
    checkCudaErrors(cudaMalloc(&d_out, 256 * sizeof(float)));
    checkCudaErrors(cudaMemcpy(d_in, h, n * sizeof(float), cudaMemcpyHostToDevice));
    bool passed = true;
    for (int blocks = 1; blocks <= 256; blocks *= 4) {
        for (int again = 0; again < 2; again++) { // the counter must come back to zero
            reduceSinglePass<128><<<blocks, 128>>>(d_in, d_out, n);
            getLastCudaError("reduceSinglePass");
            float sum = 0;
            checkCudaErrors(cudaMemcpy(&sum, d_out, sizeof sum, cudaMemcpyDeviceToHost));
            passed = passed && (long)sum == expected;
            printf("%d blocks: %.0f\n", blocks, sum);
        }
    }
    return finish("threadfence_reduction", passed);
}
