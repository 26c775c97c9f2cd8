// SPDX-License-Identifier: MIT
// A problem of your own (labs/16_two_gpus/README.md): ballots on two devices, counted on both. A
// whole program: compile it with
//   nvcc -cudart shared -lineinfo own.cu -o own
// devices: 2
// counts: sim__peer_bytes_read.sum sim__peer_bytes_write.sum
#include "../../labs/own.cuh"

enum { DEVICES = 2, BALLOTS = 1000003, CANDIDATES = 16, THREADS = 256, BLOCKS = 128 };

// d_ballots: [BALLOTS], below CANDIDATES; d_votes: [CANDIDATES], zero before.
__global__ void count(const uint8_t *d_ballots, unsigned *d_votes) {
    __shared__ unsigned votes[CANDIDATES];
    if (threadIdx.x < CANDIDATES) votes[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * THREADS + threadIdx.x; i < BALLOTS; i += BLOCKS * THREADS)
        atomicAdd(&votes[d_ballots[i]], 1);
    __syncthreads();
    if (threadIdx.x < CANDIDATES) atomicAdd(&d_votes[threadIdx.x], votes[threadIdx.x]);
}

// A device's own votes and its peer's.
__global__ void add(const unsigned *d_own, const unsigned *d_peers, unsigned *d_all) {
    d_all[threadIdx.x] = d_own[threadIdx.x] + d_peers[threadIdx.x];
}

int main(void) {
    static uint8_t ballots[DEVICES][BALLOTS];
    unsigned expected[CANDIDATES] = {0}, wrong = 0, *d_votes[DEVICES], *d_all[DEVICES];
    uint8_t *d_ballots[DEVICES];
    cudaEvent_t counted[DEVICES];
    int devices = 0;
    must(cudaGetDeviceCount(&devices));
    if (devices < DEVICES) {
        fprintf(stderr, "this program needs two devices: --devices 2\n");
        return 1;
    }
    for (int d = 0; d < DEVICES; d++) {
        for (int i = 0; i < BALLOTS; i++) {
            ballots[d][i] = (uint8_t)((uint32_t)(i * 2 + d) * 2654435761u >> 28);
            expected[ballots[d][i]]++;
        }
        must(cudaSetDevice(d));
        must(cudaDeviceEnablePeerAccess(1 - d, 0));
        must(cudaEventCreateWithFlags(&counted[d], cudaEventDisableTiming));
        must(cudaMalloc(&d_ballots[d], BALLOTS));
        must(cudaMalloc(&d_votes[d], CANDIDATES * sizeof(unsigned)));
        must(cudaMalloc(&d_all[d], CANDIDATES * sizeof(unsigned)));
        must(cudaMemset(d_votes[d], 0, CANDIDATES * sizeof(unsigned)));
        must(cudaMemcpy(d_ballots[d], ballots[d], BALLOTS, cudaMemcpyHostToDevice));
        count<<<BLOCKS, THREADS>>>(d_ballots[d], d_votes[d]);
        must(cudaGetLastError());
        must(cudaEventRecord(counted[d], 0));
    }
    for (int d = 0; d < DEVICES; d++) {
        unsigned all[CANDIDATES];
        must(cudaSetDevice(d));
        must(cudaStreamWaitEvent(0, counted[1 - d], 0));
        add<<<1, CANDIDATES>>>(d_votes[d], d_votes[1 - d], d_all[d]);
        must(cudaGetLastError());
        must(cudaMemcpy(all, d_all[d], sizeof all, cudaMemcpyDeviceToHost));
        for (int c = 0; c < CANDIDATES; c++) wrong += all[c] != expected[c];
    }
    for (int d = 0; d < DEVICES; d++) {
        must(cudaSetDevice(d));
        must(cudaDeviceSynchronize());
        must(cudaFree(d_ballots[d]));
        must(cudaFree(d_votes[d]));
        must(cudaFree(d_all[d]));
        must(cudaEventDestroy(counted[d]));
    }
    printf("%u of %d sums are wrong\n", wrong, DEVICES * CANDIDATES);
    return wrong != 0;
}
