// SPDX-License-Identifier: MIT
// Lab 00, step 12, a bug hunt (CS 677 lecture 3, "Communication Through Memory"): every block
// elects a leader, its thread 0, and each thread of the block writes down who the leader is.
//
// `ladder check first_kernel election` runs this kernel in the program bugs/1_election.cu, which
// compares its results as well as it can.
#include "first_kernel.h"

#include <cuda_runtime.h>

// SOLUTION SWITCH: set this to 1 when you have found and fixed the bug
#define IMPLEMENTED 1

#define THREADS 256

// leader: [gridDim.x][THREADS], what each thread takes for its block's leader.
__global__ void elect(int32_t *leader) {
    __shared__ int32_t elected;
    // SOLUTION BEGIN
    if (threadIdx.x == 0) {
        elected = 0;
    }
    // SOLUTION STUB: elected = threadIdx.x;
    __syncthreads();
    leader[blockIdx.x * THREADS + threadIdx.x] = elected;
}

static cudaError_t elect_leaders(int64_t blocks, int32_t *d_leader) {
    if (blocks == 0) return cudaSuccess;
    elect<<<(unsigned)blocks, THREADS>>>(d_leader);
    return cudaGetLastError();
}

extern "C" int first_kernel_step12(int64_t blocks, int32_t *d_leader) {
    if (!IMPLEMENTED) return FIRST_KERNEL_NOT_IMPLEMENTED;
    return elect_leaders(blocks, d_leader);
}
