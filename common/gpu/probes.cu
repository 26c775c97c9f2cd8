// Kernels that only read, copy, multiply or start: see probes.h. Each thread keeps four independent
// 16-byte loads in flight; Little's law for an H100 asks for about 2 MB in flight on the whole
// card, this gives 17. Those must do no arithmetic that could bound them.
#include "probes.h"

#include <cuda_runtime.h>

namespace {

const int THREADS = 512;
const int WIDE = 4; // 16-byte loads in flight a thread

__global__ void __launch_bounds__(THREADS)
    read_kernel(const float4 *x, uint64_t tiles, float *sink) {
    float sum = 0.0f;
    for (uint64_t tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        const float4 *at = x + tile * (THREADS * WIDE) + threadIdx.x;
        float4 v[WIDE];
#pragma unroll
        for (int k = 0; k < WIDE; k++) v[k] = at[k * THREADS];
#pragma unroll
        for (int k = 0; k < WIDE; k++) sum += (v[k].x + v[k].y) + (v[k].z + v[k].w);
    }
    // Keeps the loads alive; the data are finite, so that the store never happens.
    if (sum != sum) *sink = sum;
}

__global__ void __launch_bounds__(THREADS)
    copy_kernel(const float4 *from, float4 *to, uint64_t tiles) {
    for (uint64_t tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        uint64_t at = tile * (THREADS * WIDE) + threadIdx.x;
        float4 v[WIDE];
#pragma unroll
        for (int k = 0; k < WIDE; k++) v[k] = from[at + k * THREADS];
#pragma unroll
        for (int k = 0; k < WIDE; k++) to[at + k * THREADS] = v[k];
    }
}

// The sums stay finite: each tends to addend / (1 - factor).
__global__ void __launch_bounds__(KL_PROBE_FMA_THREADS) fma_kernel(float *sink) {
    float factor = 0.5f + 1e-3f * (float)threadIdx.x;
    float addend = 1.0f + (float)blockIdx.x;
    float sum[KL_PROBE_FMA_CHAINS];
#pragma unroll
    for (int k = 0; k < KL_PROBE_FMA_CHAINS; k++) sum[k] = (float)k;
#pragma unroll 8
    for (int i = 0; i < KL_PROBE_FMA_ITERATIONS; i++) {
#pragma unroll
        for (int k = 0; k < KL_PROBE_FMA_CHAINS; k++) sum[k] = fmaf(sum[k], factor, addend);
    }
    float total = 0.0f;
#pragma unroll
    for (int k = 0; k < KL_PROBE_FMA_CHAINS; k++) total += sum[k];
    if (total != total) *sink = total;
}

__global__ void empty_kernel() {}

__global__ void delay_kernel(long long cycles) {
    long long start = clock64();
    while (clock64() - start < cycles) {}
}

} // namespace

static unsigned grid(uint64_t tiles, int blocks) {
    return blocks > 0 && (uint64_t)blocks < tiles ? (unsigned)blocks : (unsigned)tiles;
}

extern "C" int kl_probe_read(const void *d_x, uint64_t bytes, int blocks, float *d_sink) {
    uint64_t tiles = bytes / KL_PROBE_TILE_BYTES;
    read_kernel<<<grid(tiles, blocks), THREADS>>>((const float4 *)d_x, tiles, d_sink);
    return (int)cudaGetLastError();
}

extern "C" int kl_probe_copy(const void *d_from, void *d_to, uint64_t bytes, int blocks) {
    uint64_t tiles = bytes / KL_PROBE_TILE_BYTES;
    copy_kernel<<<grid(tiles, blocks), THREADS>>>((const float4 *)d_from, (float4 *)d_to, tiles);
    return (int)cudaGetLastError();
}

extern "C" int kl_probe_fma(int blocks, float *d_sink) {
    fma_kernel<<<(unsigned)blocks, KL_PROBE_FMA_THREADS>>>(d_sink);
    return (int)cudaGetLastError();
}

extern "C" int kl_probe_delay(uint64_t cycles) {
    delay_kernel<<<1, 1>>>((long long)cycles);
    return (int)cudaGetLastError();
}

extern "C" int kl_probe_launch(int count) {
    for (int i = 0; i < count; i++) empty_kernel<<<1, 1>>>();
    return (int)cudaGetLastError();
}
