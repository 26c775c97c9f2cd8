// SPDX-License-Identifier: MIT
// Lab 00, bug hunt 1 (CS 677 lecture 3, "Communication Through Memory"): every block elects a
// leader, a number that all its threads agree on and that one of them has.
//
// The program checks its results as well as it can: all threads of a block agree, and the number is
// one of theirs. Is it right?
#include <cuda_runtime.h>
#include <stdio.h>

#define THREADS 256
#define BLOCKS  100

// leader: [BLOCKS][THREADS], what each thread takes for its block's leader.
__global__ void elect(int *leader) {
    __shared__ int my_shared_variable;
    // SOLUTION BEGIN
    if (threadIdx.x == 0) my_shared_variable = threadIdx.x; // one writer, whatever the order
    // SOLUTION STUB: my_shared_variable = threadIdx.x;
    // SOLUTION END
    __syncthreads();
    leader[blockIdx.x * THREADS + threadIdx.x] = my_shared_variable;
}

static bool run(int *h_leader) {
    int *d_leader = NULL;
    size_t bytes = sizeof(int) * BLOCKS * THREADS;
    cudaError_t code = cudaMalloc((void **)&d_leader, bytes);
    if (code == cudaSuccess) {
        elect<<<BLOCKS, THREADS>>>(d_leader);
        code = cudaGetLastError();
    }
    if (code == cudaSuccess) {
        code = cudaMemcpy(h_leader, d_leader, bytes, cudaMemcpyDeviceToHost);
    }
    cudaFree(d_leader);
    if (code != cudaSuccess) printf("CUDA: %s\n", cudaGetErrorString(code));
    return code == cudaSuccess;
}

static bool is_right(const int *leader) {
    for (int i = 0; i < BLOCKS * THREADS; i++) {
        int first = leader[i / THREADS * THREADS];
        if (leader[i] != first || first < 0 || first >= THREADS) return false;
    }
    return true;
}

int main(void) {
    static int leader[BLOCKS * THREADS];
    bool right = run(leader) && is_right(leader);
    printf("%d blocks, the first one elected thread %d; results %s\n", BLOCKS, leader[0],
           right ? "right" : "WRONG");
    return right ? 0 : 1;
}
