// SPDX-License-Identifier: MIT
// Pi by throwing darts: an xorshift generator a thread, hits added over the warp, the block and the
// grid. The generator is integer arithmetic, so the host repeats it and must count the same hits.
#include "../helper.h"

struct XorShift {
    unsigned int x, y, z, w;
    __host__ __device__ explicit XorShift(unsigned int seed) {
        x = seed * 747796405u + 2891336453u;
        y = x ^ 0x9e3779b9u;
        z = y * 1664525u + 1013904223u;
        w = z ^ (x << 7) ^ 0x7f4a7c15u;
        for (int i = 0; i < 8; i++) next();
    }
    __host__ __device__ unsigned int next() {
        unsigned int t = x ^ (x << 11);
        x = y;
        y = z;
        z = w;
        return w = w ^ (w >> 19) ^ (t ^ (t >> 8));
    }
};

__host__ __device__ inline bool hit(XorShift &rng) {
    unsigned long long a = rng.next() >> 8, b = rng.next() >> 8;
    return a * a + b * b < (1ull << 48);
}

__global__ void throwDarts(unsigned long long *hits, unsigned int seed, int perThread) {
    XorShift rng(seed + blockIdx.x * blockDim.x + threadIdx.x);
    unsigned int count = 0;
    for (int i = 0; i < perThread; i++) count += hit(rng);
    count = __reduce_add_sync(0xffffffff, count);
    __shared__ unsigned int total;
    if (threadIdx.x == 0) total = 0;
    __syncthreads();
    if (threadIdx.x % warpSize == 0) atomicAdd(&total, count);
    __syncthreads();
    if (threadIdx.x == 0) atomicAdd(hits, (unsigned long long)total);
}

int main(int argc, char **argv) {
    int blocks = intOption(argc, argv, "blocks", 32),
        perThread = intOption(argc, argv, "darts", 256);
    const int threads = 128;
    unsigned long long *d_hits, hits = 0, expected = 0;
    checkCudaErrors(cudaMalloc(&d_hits, sizeof hits));
    checkCudaErrors(cudaMemset(d_hits, 0, sizeof hits));
    throwDarts<<<blocks, threads>>>(d_hits, 12345u, perThread);
    getLastCudaError("throwDarts");
    checkCudaErrors(cudaMemcpy(&hits, d_hits, sizeof hits, cudaMemcpyDeviceToHost));
    for (int t = 0; t < blocks * threads; t++) {
        XorShift rng(12345u + t);
        for (int i = 0; i < perThread; i++) expected += hit(rng);
    }
    double darts = (double)blocks * threads * perThread, pi = 4.0 * hits / darts;
    printf("%llu of %.0f darts hit: pi = %.6f\n", hits, darts, pi);
    bool passed = hits == expected && pi > 3.13 && pi < 3.15;
    return finish("monte_carlo_pi", passed);
}
