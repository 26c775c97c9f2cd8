// SPDX-License-Identifier: MIT
// Radix sort in passes of four bits: block histograms, a scan over digits and blocks, and a stable
// scatter ranked by ballots. Floats are sorted by the usual flip of their bits.
#include <algorithm>
#include <cmath>
#include <vector>

#include "../helper.h"

#define RADIX_BITS 4
#define RADIX      (1 << RADIX_BITS)
#define THREADS    256

#define CHECK(call)                                                                                \
    {                                                                                              \
        const cudaError_t error = call;                                                            \
        if (error != cudaSuccess) {                                                                \
            printf("Error: %s:%d, code %d, reason: %s\n", __FILE__, __LINE__, error,               \
                   cudaGetErrorString(error));                                                     \
            exit(1);                                                                               \
        }                                                                                          \
    }

__global__ void countDigits(const unsigned *keys, unsigned *counts, int n, int shift) {
    __shared__ unsigned histogram[RADIX];
    if (threadIdx.x < RADIX) histogram[threadIdx.x] = 0;
    __syncthreads();
    int i = blockIdx.x * THREADS + threadIdx.x;
    if (i < n) atomicAdd(&histogram[(keys[i] >> shift) & (RADIX - 1)], 1u);
    __syncthreads();
    if (threadIdx.x < RADIX) counts[threadIdx.x * gridDim.x + blockIdx.x] = histogram[threadIdx.x];
}

// One block, any length: exclusive scan in place.
__global__ void scanCounts(unsigned *counts, int n) {
    __shared__ unsigned buffer[2][THREADS];
    unsigned carry = 0;
    for (int base = 0; base < n; base += THREADS) {
        int i = base + threadIdx.x, from = 0;
        unsigned mine = i < n ? counts[i] : 0;
        buffer[0][threadIdx.x] = mine;
        __syncthreads();
        for (int d = 1; d < THREADS; d *= 2, from ^= 1) {
            unsigned sum = buffer[from][threadIdx.x];
            if (threadIdx.x >= d) sum += buffer[from][threadIdx.x - d];
            buffer[from ^ 1][threadIdx.x] = sum;
            __syncthreads();
        }
        if (i < n) counts[i] = carry + buffer[from][threadIdx.x] - mine;
        carry += buffer[from][THREADS - 1];
        __syncthreads();
    }
}

__global__ void scatter(const unsigned *keysIn, const int *valuesIn, unsigned *keysOut,
                        int *valuesOut, const unsigned *offsets, int n, int shift) {
    __shared__ unsigned warpCounts[THREADS / 32][RADIX];
    int i = blockIdx.x * THREADS + threadIdx.x, lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    for (int k = threadIdx.x; k < THREADS / 32 * RADIX; k += THREADS)
        ((unsigned *)warpCounts)[k] = 0;
    __syncthreads();
    bool valid = i < n;
    unsigned key = valid ? keysIn[i] : 0, digit = (key >> shift) & (RADIX - 1);
    unsigned peers = __ballot_sync(0xffffffffu, valid);
    for (int bit = 0; bit < RADIX_BITS; bit++) {
        unsigned ballot = __ballot_sync(0xffffffffu, (digit >> bit) & 1);
        peers &= ((digit >> bit) & 1) ? ballot : ~ballot;
    }
    unsigned rank = __popc(peers & ((1u << lane) - 1));
    if (valid && rank == 0) warpCounts[warp][digit] = __popc(peers);
    __syncthreads();
    if (!valid) return;
    for (int w = 0; w < warp; w++) rank += warpCounts[w][digit];
    unsigned to = offsets[digit * gridDim.x + blockIdx.x] + rank;
    keysOut[to] = key;
    valuesOut[to] = valuesIn[i];
}

__host__ __device__ inline unsigned floatFlip(unsigned f) {
    return f ^ (-int(f >> 31) | 0x80000000u);
}
__host__ __device__ inline unsigned floatUnflip(unsigned f) {
    return f ^ (((f >> 31) - 1) | 0x80000000u);
}
__global__ void flip(unsigned *keys, int n, bool back) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) keys[i] = back ? floatUnflip(keys[i]) : floatFlip(keys[i]);
}

static bool sortAndCheck(const std::vector<float> &input) {
    int n = (int)input.size(), blocks = divUp(n, THREADS);
    unsigned *keys[2], *counts;
    int *values[2];
    for (int k = 0; k < 2; k++) {
        CHECK(cudaMalloc(&keys[k], n * sizeof(unsigned)));
        CHECK(cudaMalloc(&values[k], n * sizeof(int)));
    }
    CHECK(cudaMalloc(&counts, RADIX * blocks * sizeof(unsigned)));
    std::vector<int> order(n), got(n);
    for (int i = 0; i < n; i++) order[i] = i;
    CHECK(cudaMemcpy(keys[0], input.data(), n * sizeof(float), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(values[0], order.data(), n * sizeof(int), cudaMemcpyHostToDevice));
    flip<<<blocks, THREADS>>>(keys[0], n, false);
    int at = 0;
    for (int shift = 0; shift < 32; shift += RADIX_BITS, at ^= 1) {
        countDigits<<<blocks, THREADS>>>(keys[at], counts, n, shift);
        scanCounts<<<1, THREADS>>>(counts, RADIX * blocks);
        scatter<<<blocks, THREADS>>>(keys[at], values[at], keys[at ^ 1], values[at ^ 1], counts, n,
                                     shift);
    }
    flip<<<blocks, THREADS>>>(keys[at], n, true);
    CHECK(cudaGetLastError());
    std::vector<float> sorted(n);
    CHECK(cudaMemcpy(sorted.data(), keys[at], n * sizeof(float), cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(got.data(), values[at], n * sizeof(int), cudaMemcpyDeviceToHost));
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return input[a] < input[b]; });
    bool right = got == order;
    for (int i = 0; i < n; i++) right = right && sorted[i] == input[order[i]];
    printf("%d keys: least %.3f, greatest %.3f: %s\n", n, sorted[0], sorted[n - 1],
           right ? "right" : "WRONG");
    for (int k = 0; k < 2; k++) {
        CHECK(cudaFree(keys[k]));
        CHECK(cudaFree(values[k]));
    }
    CHECK(cudaFree(counts));
    return right;
}

int main(int argc, char **argv) {
    int largest = intOption(argc, argv, "n", 40000);
    bool passed = true;
    for (int n : {1, 255, 1000, largest}) {
        std::vector<float> input(n);
        HostRandom random(n);
        for (float &v : input) v = floorf((random.uniform() - 0.5f) * 5000) / 8;
        passed = sortAndCheck(input) && passed;
    }
    return finish("sort_radix", passed);
}
