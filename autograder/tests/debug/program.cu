// SPDX-License-Identifier: MIT
// Data of sessions.sh: kernels to be debugged. Transcripts name their lines.
#include <cuda_runtime.h>
#include <stdio.h>
#include <string.h>

struct pair {
    int low;
    float high;
};

__device__ __noinline__ int twice(int x) {
    int y = x + x;
    return y;
}

__global__ void work(int *out, int n) {
    __shared__ int tile[64];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    tile[threadIdx.x] = i;
    __syncthreads();
    int sum = 0;
    if (threadIdx.x % 2 == 0) // four lines, for the transcripts
        sum = tile[63 - threadIdx.x];
    else //
        sum = twice(tile[threadIdx.x]);
    for (int k = 0; k < n; k++) sum += k * i;
    if (threadIdx.x % 32 == 7) out[0] = sum; // both warps
    out[1 + i] = sum;
}

__global__ void outside(pair *to, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    pair mine = {i, 0.5f * i};
    if (i <= n) to[i] = mine;
}

__global__ void endless(volatile int *flag) {
    for (int k = 0; *flag == 0; k++) flag[1] = k;
}

__device__ __forceinline__ int plus(int a, int b) {
    int sum = a + b;
    return sum;
}

__device__ __forceinline__ int mean(int a, int b) {
    int both = plus(a, b);
    return both / 2;
}

__global__ void inlined(int *out) {
    int i = threadIdx.x;
    out[i] = mean(i, 2 * i);
    out[i] += 1;
}

int main(int argc, char **argv) {
    int *d_out = NULL, result[2] = {0, 0};
    pair *d_pairs = NULL;
    if (cudaMalloc(&d_out, 129 * sizeof(int)) != cudaSuccess) return 1;
    if (cudaMalloc(&d_pairs, 40 * sizeof(pair)) != cudaSuccess) return 1;
    if (argc > 1 && strcmp(argv[1], "endless") == 0) {
        cudaMemset(d_out, 0, 129 * sizeof(int));
        endless<<<1, 32>>>(d_out);
    } else if (argc > 1 && strcmp(argv[1], "inlined") == 0) {
        inlined<<<1, 32>>>(d_out);
    } else if (argc > 1 && strcmp(argv[1], "outside") == 0) {
        outside<<<1, 64>>>(d_pairs, 40);
    } else {
        work<<<2, 64>>>(d_out, 5);
    }
    cudaError_t err = cudaMemcpy(result, d_out, sizeof result, cudaMemcpyDeviceToHost);
    if (err == cudaSuccess) printf("results: %d %d\n", result[0], result[1]);
    cudaFree(d_out);
    cudaFree(d_pairs);
    return err == cudaSuccess ? 0 : 2;
}

// SOLUTION TODO: pages leave such lines out
