// SPDX-License-Identifier: MIT
// Inputs and answers of lab 16's sweep, made where they lie: see sweep.h.
#include "sweep.h"
#include "two_gpus.cuh"

// Element i of rank r: a multiple of 2^-8 below 1 in magnitude.
static __host__ __device__ float element(int64_t i, int rank) {
    uint32_t mixed = ((uint32_t)i * 8 + (uint32_t)rank + 1) * UINT32_C(2654435761);
    return ((float)(mixed >> 23) - 256) / 256;
}

static __global__ void fill_kernel(float *d_x, int64_t n, int rank) {
    int64_t stride = (int64_t)gridDim.x * blockDim.x;
    for (int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x; i < n; i += stride)
        d_x[i] = element(i, rank);
}

// In each round but the first, the sum becomes `ranks` times as large: each multiplication and each
// sum is rounded.
static __global__ void compare_kernel(const float *d_y, int64_t n, int ranks,
                                      unsigned long long *d_wrong) {
    const double bound = 2.0 * ranks * TWO_GPUS_ROUNDS / (1 << 24);
    int64_t stride = (int64_t)gridDim.x * blockDim.x;
    for (int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x; i < n; i += stride) {
        double sum = 0;
        for (int r = 0; r < ranks; r++) sum += element(i, r);
        for (int t = 1; t < TWO_GPUS_ROUNDS; t++) sum *= ranks;
        if (!(fabs(d_y[i] - sum) <= bound * fabs(sum))) atomicAdd(d_wrong, 1ull);
    }
}

int sweep_fill(int64_t n, const two_gpus_plan *plan) {
    for (int r = 0; r < plan->ranks; r++) {
        const two_gpus_rank *rank = &plan->rank[r];
        TWO_GPUS_TRY(cudaSetDevice(r));
        fill_kernel<<<1024, 256>>>((float *)rank->d_x, n, r);
        TWO_GPUS_TRY(cudaGetLastError());
        TWO_GPUS_TRY(cudaMemset(rank->d_y, 0xFF, (size_t)n * sizeof(float)));
        TWO_GPUS_TRY(cudaMemset(rank->d_work, 0xFF, (size_t)n * sizeof(float)));
        TWO_GPUS_TRY(cudaDeviceSynchronize());
    }
    return cudaSetDevice(0);
}

int sweep_compare(int64_t n, const two_gpus_plan *plan, int64_t *out_wrong) {
    *out_wrong = 0;
    for (int r = 0; r < plan->ranks; r++) {
        unsigned long long *d_wrong = NULL, wrong = 0;
        TWO_GPUS_TRY(cudaSetDevice(r));
        TWO_GPUS_TRY(cudaMalloc(&d_wrong, sizeof wrong));
        TWO_GPUS_TRY(cudaMemset(d_wrong, 0, sizeof wrong));
        compare_kernel<<<1024, 256>>>(plan->rank[r].d_y, n, plan->ranks, d_wrong);
        TWO_GPUS_TRY(cudaMemcpy(&wrong, d_wrong, sizeof wrong, cudaMemcpyDeviceToHost));
        TWO_GPUS_TRY(cudaFree(d_wrong));
        *out_wrong += (int64_t)wrong;
    }
    return cudaSetDevice(0);
}

int sweep_join(const two_gpus_plan *plan, bool back) {
    for (int r = 1; r < plan->ranks; r++) {
        const two_gpus_rank *from = &plan->rank[back ? r : 0], *to = &plan->rank[back ? 0 : r];
        cudaEvent_t event = from->events[TWO_GPUS_RANK_EVENTS - 1];
        TWO_GPUS_TRY(cudaSetDevice(from->device));
        TWO_GPUS_TRY(cudaEventRecord(event, from->streams[0]));
        TWO_GPUS_TRY(cudaStreamWaitEvent(to->streams[0], event, 0));
    }
    return cudaSetDevice(0);
}

int sweep_wait(const two_gpus_plan *plan) {
    return two_gpus_wait(plan);
}
