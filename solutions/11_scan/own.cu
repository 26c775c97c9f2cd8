// SPDX-License-Identifier: MIT
// A problem of your own (labs/11_scan/README.md): a stable partition by the lowest bit, in two
// launches. A whole program: compile it with
//   nvcc -cudart shared -lineinfo own.cu -o own
// counts: l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum sim__barriers.sum
#include "../../labs/own.cuh"

enum {
    COUNT = 100003,
    THREADS = 256,
    ITEMS = 16, // neighbouring elements of a thread
    TILE = THREADS * ITEMS,
    TILES = (COUNT + TILE - 1) / TILE,
    WARPS = THREADS / 32
};

// The sum of `own` over all threads of the block before this one; *all: over the block.
static __device__ unsigned count_before(unsigned own, unsigned *all) {
    __shared__ unsigned of_warps[WARPS];
    unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32, sum = own, before = 0;
    for (unsigned d = 1; d < 32; d *= 2) {
        unsigned other = __shfl_up_sync(0xffffffffu, sum, d);
        if (lane >= d) sum += other;
    }
    if (lane == 31) of_warps[warp] = sum;
    __syncthreads();
    *all = 0;
    for (unsigned w = 0; w < WARPS; w++) {
        if (w < warp) before += of_warps[w];
        *all += of_warps[w];
    }
    return before + sum - own;
}

// Loads ITEMS neighbouring elements and returns how many have the lowest bit set: the places of a
// thread's elements follow one another.
static __device__ unsigned load(const unsigned *x, unsigned first, unsigned value[ITEMS]) {
    unsigned ones = 0;
    for (unsigned k = 0; k < ITEMS; k += 4) {
        unsigned i = first + k;
        if (i + 4 <= COUNT) {
            *(uint4 *)&value[k] = *(const uint4 *)&x[i];
        } else {
            for (unsigned e = 0; e < 4; e++) value[k + e] = i + e < COUNT ? x[i + e] : 0;
        }
        for (unsigned e = 0; e < 4; e++) ones += value[k + e] & 1;
    }
    return ones;
}

// ones[b]: elements of tile b whose lowest bit is set.
__global__ void count_ones(const unsigned *x, unsigned *ones) {
    unsigned value[ITEMS], all;
    count_before(load(x, blockIdx.x * TILE + threadIdx.x * ITEMS, value), &all);
    if (threadIdx.x == 0) ones[blockIdx.x] = all;
}

// y: the elements of x whose lowest bit is 0, then the others.
__global__ void partition(const unsigned *x, const unsigned *ones, unsigned *y) {
    __shared__ unsigned earlier, total;
    unsigned value[ITEMS], all, first = blockIdx.x * TILE + threadIdx.x * ITEMS;
    if (threadIdx.x < 32) { // of the tiles before, and of all
        unsigned before = 0, sum = 0;
        for (unsigned b = threadIdx.x; b < TILES; b += 32) {
            sum += ones[b];
            if (b < blockIdx.x) before += ones[b];
        }
        for (int d = 16; d >= 1; d /= 2) {
            before += __shfl_xor_sync(0xffffffffu, before, d);
            sum += __shfl_xor_sync(0xffffffffu, sum, d);
        }
        if (threadIdx.x == 0) {
            earlier = before;
            total = sum;
        }
    }
    unsigned mine = load(x, first, value);
    unsigned one = count_before(mine, &all); // its barrier also shows what warp 0 found
    one += earlier;
    for (unsigned k = 0; k < ITEMS && first + k < COUNT; k++) {
        unsigned i = first + k; // one: set bits before element i
        y[value[k] & 1 ? COUNT - total + one : i - one] = value[k];
        one += value[k] & 1;
    }
}

int main(void) {
    static unsigned h_x[COUNT], h_y[COUNT];
    unsigned *d_x = NULL, *d_y = NULL, *d_ones = NULL, random = 1, at = 0, wrong = 0;
    for (int i = 0; i < COUNT; i++) {
        random = random * 1664525u + 1013904223u;
        h_x[i] = random >> 8;
    }
    must(cudaMalloc(&d_x, sizeof h_x), "allocating x");
    must(cudaMalloc(&d_y, sizeof h_y), "allocating y");
    must(cudaMalloc(&d_ones, TILES * sizeof *d_ones), "allocating the counts");
    must(cudaMemcpy(d_x, h_x, sizeof h_x, cudaMemcpyHostToDevice), "copying x");
    count_ones<<<TILES, THREADS>>>(d_x, d_ones);
    must(cudaGetLastError(), "launching");
    partition<<<TILES, THREADS>>>(d_x, d_ones, d_y);
    must(cudaGetLastError(), "launching");
    must(cudaMemcpy(h_y, d_y, sizeof h_y, cudaMemcpyDeviceToHost), "copying back");
    must(cudaFree(d_x), "freeing x");
    must(cudaFree(d_y), "freeing y");
    must(cudaFree(d_ones), "freeing the counts");
    for (unsigned bit = 0; bit < 2; bit++)
        for (int i = 0; i < COUNT; i++)
            if ((h_x[i] & 1) == bit) wrong += h_y[at++] != h_x[i];
    printf("%u of %u elements at wrong places\n", wrong, at);
    return wrong ? 1 : 0;
}
