// Atomics: on one address and many, histograms, hash tables, tickets.
#include "kernels.h"

TIMING(atomic_one_int) {
    unsigned i = THREAD;
    if (i < n) atomicAdd((uint32_t *)out, words[i] & 7);
}

TIMING(atomic_one_float) {
    unsigned i = THREAD;
    if (i < n) atomicAdd(out, x[i]);
}

TIMING(atomic_256_addresses) {
    unsigned i = THREAD;
    if (i < n) atomicAdd(out + i % 256, x[i]);
}

TIMING(atomic_spread) {
    unsigned i = THREAD;
    if (i < n) atomicAdd(out + words[i] % TIMING_ELEMS, 1.0f);
}

TIMING(atomic_neighbours) {
    unsigned i = THREAD;
    if (i < n) atomicAdd(out + i, x[i]);
}

TIMING(atomic_by_warp) {
    unsigned i = THREAD;
    float sum = warp_sum(i < n ? x[i] : 0);
    if (LANE == 0) atomicAdd(out, sum);
}

TIMING(atomic_tickets) {
    unsigned i = THREAD;
    if (i < n && words[i] % 8 == 0) out[1 + atomicAdd((uint32_t *)out, 1u) % 65536] = x[i];
}

TIMING(atomic_largest) {
    unsigned i = THREAD;
    if (i < n) atomicMax((uint32_t *)out + i % 64, words[i]);
}

// A float maximum by compare-and-swap, one address for each block.
TIMING(atomic_swap_loop) {
    unsigned i = THREAD;
    if (i >= n) return;
    uint32_t *at = (uint32_t *)out + blockIdx.x * 32, seen = *(volatile uint32_t *)at;
    while (__uint_as_float(seen) < x[i]) {
        uint32_t old = atomicCAS(at, seen, __float_as_uint(x[i]));
        if (old == seen) break;
        seen = old;
    }
}

TIMING(histogram_global) {
    unsigned i = THREAD;
    if (i < n) atomicAdd((uint32_t *)out + words[i] % 256, 1u);
}

TIMING(histogram_global_wide) {
    unsigned i = THREAD;
    if (i < n) atomicAdd((uint32_t *)out + words[i] % 65536, 1u);
}

template <unsigned BINS>
static __device__ void histogram(const uint32_t *words, float *out, int n) {
    __shared__ uint32_t bins[BINS];
    for (unsigned b = threadIdx.x; b < BINS; b += blockDim.x) bins[b] = 0;
    __syncthreads();
    for (unsigned i = THREAD; i < n; i += THREADS) atomicAdd(&bins[words[i] % BINS], 1u);
    __syncthreads();
    for (unsigned b = threadIdx.x; b < BINS; b += blockDim.x)
        atomicAdd((uint32_t *)out + b, bins[b]);
}
TIMING(histogram_shared_256) { histogram<256>(words, out, n); }
TIMING(histogram_shared_16) { histogram<16>(words, out, n); }
TIMING(histogram_shared_4096) { histogram<4096>(words, out, n); }

// A histogram for each warp, summed at the end.
TIMING(histogram_by_warp) {
    __shared__ uint32_t bins[8][256];
    for (int b = LANE; b < 256; b += 32) bins[threadIdx.x / 32][b] = 0;
    __syncwarp();
    for (unsigned i = THREAD; i < n; i += THREADS)
        atomicAdd(&bins[threadIdx.x / 32][words[i] >> 24], 1u);
    __syncthreads();
    uint32_t sum = 0;
    for (int w = 0; w < 8; w++) sum += bins[w][threadIdx.x];
    atomicAdd((uint32_t *)out + threadIdx.x, sum);
}

// Most values fall into few bins.
TIMING(histogram_skewed) {
    __shared__ uint32_t bins[256];
    bins[threadIdx.x] = 0;
    __syncthreads();
    for (unsigned i = THREAD; i < n; i += THREADS) atomicAdd(&bins[__clz(words[i] | 1) * 4], 1u);
    __syncthreads();
    atomicAdd((uint32_t *)out + threadIdx.x, bins[threadIdx.x]);
}

// Shared float sums, 8 lanes on an address.
TIMING(shared_float_sums) {
    __shared__ float sums[64];
    if (threadIdx.x < 64) sums[threadIdx.x] = 0;
    __syncthreads();
    for (unsigned i = THREAD; i < n; i += THREADS) atomicAdd(&sums[threadIdx.x / 8 % 64], x[i]);
    __syncthreads();
    if (threadIdx.x < 64) atomicAdd(out + threadIdx.x, sums[threadIdx.x]);
}

enum { SLOTS = 1 << 20 }; // of the hash tables

TIMING(hash_insert) {
    unsigned i = THREAD;
    if (i >= n) return;
    uint32_t key = words[i] | 1, *table = (uint32_t *)out;
    for (uint32_t at = mix(key);; at++) {
        uint32_t old = atomicCAS(table + at % SLOTS, 0u, key);
        if (old == 0 || old == key) return;
    }
}

// Keys of which a third is in the table that `words` is taken for.
TIMING(hash_lookup) {
    unsigned i = THREAD;
    if (i >= n) return;
    uint32_t key = mix(i) % 3, at = mix(i * 7) % SLOTS, steps = 0;
    while (words[at] % 3 != key && steps < 8) at = (at + 1) % SLOTS, steps++;
    out[i] = steps;
}

// The same in a small table that the L1 holds.
TIMING(hash_lookup_small) {
    unsigned i = THREAD;
    if (i >= n) return;
    uint32_t found = 0;
    for (uint32_t k = 0; k < 8; k++) {
        uint32_t at = mix(i + k * 0x9E3779B9u) % 4096;
        while (words[at] % 4 != 0) at = (at + 1) % 4096;
        found += at;
    }
    out[i] = found;
}

TIMING(hash_count) {
    unsigned i = THREAD;
    if (i < n) atomicAdd((uint32_t *)out + mix(words[i] % 50000) % SLOTS, 1u);
}
