// SPDX-License-Identifier: MIT
// A problem of your own (labs/12_histogram/README.md): the median of 16-bit values by two
// histograms of 256 bins. A whole program: compile it with
//   nvcc -cudart shared -lineinfo own.cu -o own
// counts: l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum sim__global_atomics.sum
#include "../../labs/own.cuh"

enum { COUNT = 1000003, BLOCKS = 132, THREADS = 256, COPIES = 32, BINS = 256 };

// Counts one byte of the values: the upper one of all (upper < 0), or the lower one of those whose
// upper one is `upper`. x: [COUNT], at a multiple of 16 bytes; counts: [BINS], 0 before.
__global__ void count_bytes(const uint16_t *x, int upper, unsigned *counts) {
    __shared__ unsigned table[BINS * COPIES];
    unsigned t = threadIdx.x, *mine = table + t % COPIES;
    for (unsigned i = t; i < BINS * COPIES; i += THREADS) table[i] = 0;
    __syncthreads();
    const uint4 *vectors = (const uint4 *)x;
    for (int i = blockIdx.x * THREADS + t; i < COUNT / 8; i += BLOCKS * THREADS) {
        uint4 v = vectors[i];
        const unsigned words[4] = {v.x, v.y, v.z, v.w};
#pragma unroll
        for (int k = 0; k < 8; k++) {
            unsigned value = words[k / 2] >> k % 2 * 16 & 0xffff;
            if (upper < 0)
                atomicAdd(&mine[(value >> 8) * COPIES], 1u);
            else if (value >> 8 == (unsigned)upper)
                atomicAdd(&mine[(value & 0xff) * COPIES], 1u);
        }
    }
    if (blockIdx.x == 0 && t < COUNT % 8) { // the values after the last vector
        unsigned value = x[COUNT / 8 * 8 + t];
        if (upper < 0)
            atomicAdd(&mine[(value >> 8) * COPIES], 1u);
        else if (value >> 8 == (unsigned)upper)
            atomicAdd(&mine[(value & 0xff) * COPIES], 1u);
    }
    __syncthreads();
    unsigned sum = 0; // THREADS == BINS; neighbouring lanes begin at other copies
    for (unsigned c = 0; c < COPIES; c++) sum += table[t * COPIES + (t + c) % COPIES];
    if (sum > 0) atomicAdd(&counts[t], sum);
}

// The bin in which value number *rank of a sorted array lies; *rank becomes its number there.
static int find_bin(const uint16_t *d_x, int upper, unsigned *d_counts, unsigned *rank) {
    unsigned counts[BINS];
    must(cudaMemset(d_counts, 0, sizeof counts), "clearing the counts");
    count_bytes<<<BLOCKS, THREADS>>>(d_x, upper, d_counts);
    must(cudaGetLastError(), "launching");
    must(cudaMemcpy(counts, d_counts, sizeof counts, cudaMemcpyDeviceToHost), "copying back");
    int bin = 0;
    while (bin < BINS - 1 && *rank >= counts[bin]) *rank -= counts[bin++];
    return bin;
}

// Sums of four random numbers, so that most lie in the middle.
static void fill(uint16_t *x) {
    uint32_t random = 1;
    for (int i = 0; i < COUNT; i++) {
        uint32_t sum = 0;
        for (int k = 0; k < 4; k++) {
            random = random * 1664525u + 1013904223u;
            sum += random >> 18;
        }
        x[i] = (uint16_t)sum;
    }
}

static int ascending(const void *a, const void *b) {
    return *(const uint16_t *)a - *(const uint16_t *)b;
}

int main(void) {
    static uint16_t h_x[COUNT];
    uint16_t *d_x = NULL;
    unsigned *d_counts = NULL, rank = COUNT / 2;
    fill(h_x);
    must(cudaMalloc(&d_x, sizeof h_x), "allocating x");
    must(cudaMalloc(&d_counts, BINS * sizeof *d_counts), "allocating the counts");
    must(cudaMemcpy(d_x, h_x, sizeof h_x, cudaMemcpyHostToDevice), "copying x");
    int upper = find_bin(d_x, -1, d_counts, &rank);
    int median = 256 * upper + find_bin(d_x, upper, d_counts, &rank);
    must(cudaFree(d_x), "freeing x");
    must(cudaFree(d_counts), "freeing the counts");
    qsort(h_x, COUNT, sizeof h_x[0], ascending);
    printf("median %d, expected %d\n", median, h_x[COUNT / 2]);
    return median == h_x[COUNT / 2] ? 0 : 1;
}
