// SPDX-License-Identifier: MIT
// Lab 00, bug hunt 1, the program around the kernel of step 12: an election.
// The bug is in ../steps/12_election.cu; nothing is to be changed here.
//
// The program checks that all threads of a block agree and that they name one of them. Is that
// enough?
#include "../steps/12_election.cu"

#include <stdio.h>

#define BLOCKS 100

static bool run(int32_t *h_leader) {
    int32_t *d_leader = NULL;
    size_t bytes = sizeof(int32_t) * BLOCKS * THREADS;
    cudaError_t code = cudaMalloc((void **)&d_leader, bytes);
    if (code == cudaSuccess) code = elect_leaders(BLOCKS, d_leader);
    if (code == cudaSuccess) {
        code = cudaMemcpy(h_leader, d_leader, bytes, cudaMemcpyDeviceToHost);
    }
    cudaFree(d_leader);
    if (code != cudaSuccess) printf("CUDA: %s\n", cudaGetErrorString(code));
    return code == cudaSuccess;
}

static bool is_right(const int32_t *leader) {
    for (int i = 0; i < BLOCKS * THREADS; i++) {
        int32_t first = leader[i / THREADS * THREADS];
        if (leader[i] != first || first < 0 || first >= THREADS) return false;
    }
    return true;
}

int main(void) {
    static int32_t leader[BLOCKS * THREADS];
    bool right = run(leader) && is_right(leader);
    printf("%d blocks, the first one elected thread %d; results %s\n", BLOCKS, leader[0],
           right ? "right" : "WRONG");
    return right ? 0 : 1;
}
// ladder-skeleton bee2697e706c1cc5 (as it was handed out; any change makes this file yours)
