// Kernels whose threads work together: reductions, scans, sorts, banks of shared memory, shuffles.
#include "kernels.h"

TIMING(reduce_tree) {
    __shared__ float part[256];
    unsigned t = threadIdx.x;
    part[t] = THREAD < n ? x[THREAD] : 0;
    __syncthreads();
    for (unsigned half = 128; half > 0; half /= 2) {
        if (t < half) part[t] += part[t + half];
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = part[0];
}
TIMING(reduce_interleaved) {
    __shared__ float part[256];
    unsigned t = threadIdx.x;
    part[t] = THREAD < n ? x[THREAD] : 0;
    __syncthreads();
    for (unsigned step = 1; step < 256; step *= 2) {
        if (t % (2 * step) == 0) part[t] += part[t + step];
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = part[0];
}
static __device__ void sum_block(float sum, float *out) {
    __shared__ float part[32];
    sum = warp_sum(sum);
    if (LANE == 0) part[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x >= 32) return;
    sum = warp_sum(threadIdx.x < blockDim.x / 32 ? part[threadIdx.x] : 0);
    if (threadIdx.x == 0) *out = sum;
}
TIMING(reduce_shuffles) {
    float sum = 0;
    for (unsigned i = THREAD; i < n; i += THREADS) sum += x[i];
    sum_block(sum, out + blockIdx.x);
}
TIMING(reduce_four) {
    float sum = 0;
    for (unsigned i = THREAD; i < n / 4; i += THREADS) {
        float4 v = ((const float4 *)x)[i];
        sum += v.x + v.y + v.z + v.w;
    }
    sum_block(sum, out + blockIdx.x);
}
TIMING(reduce_product) {
    float sum = 0;
    for (unsigned i = THREAD; i < n; i += THREADS) sum += x[i] * y[i];
    sum_block(sum, out + blockIdx.x);
}
TIMING(reduce_chunks) {
    unsigned part = n / THREADS, first = THREAD * part;
    float sum = 0;
    for (unsigned i = 0; i < part; i++) sum += x[first + i];
    out[THREAD] = sum;
}
TIMING(reduce_largest) {
    float best = 0;
    unsigned where = 0;
    for (unsigned i = THREAD; i < n; i += THREADS)
        if (x[i] > best) best = x[i], where = i;
    for (int d = 16; d > 0; d /= 2) {
        float other = __shfl_down_sync(FULL, best, d);
        unsigned at = __shfl_down_sync(FULL, where, d);
        if (other > best) best = other, where = at;
    }
    if (LANE == 0) out[2 * WARP] = best, out[2 * WARP + 1] = where;
}

TIMING(scan_steps) {
    __shared__ float a[512];
    unsigned t = threadIdx.x;
    a[t] = x[THREAD];
    __syncthreads();
    for (unsigned d = 1; d < 512; d *= 2) {
        float v = t >= d ? a[t - d] : 0;
        __syncthreads();
        a[t] += v;
        __syncthreads();
    }
    out[THREAD] = a[t];
}
template <int PADDED> static __device__ unsigned padded(unsigned i) {
    return PADDED ? i + i / 32 : i;
}
template <int PADDED> static __device__ void scan_tree(const float *x, float *out) {
    __shared__ float a[1024 + 32];
    unsigned t = threadIdx.x, first = blockIdx.x * 1024;
    a[padded<PADDED>(t)] = x[first + t];
    a[padded<PADDED>(t + 512)] = x[first + t + 512];
    for (unsigned d = 1; d < 1024; d *= 2) {
        __syncthreads();
        unsigned i = (t + 1) * 2 * d - 1;
        if (i < 1024) a[padded<PADDED>(i)] += a[padded<PADDED>(i - d)];
    }
    for (unsigned d = 256; d > 0; d /= 2) {
        __syncthreads();
        unsigned i = (t + 1) * 2 * d - 1;
        if (i + d < 1024) a[padded<PADDED>(i + d)] += a[padded<PADDED>(i)];
    }
    __syncthreads();
    out[first + t] = a[padded<PADDED>(t)];
    out[first + t + 512] = a[padded<PADDED>(t + 512)];
}
TIMING(scan_tree_conflicts) { scan_tree<0>(x, out); }
TIMING(scan_tree_padded) { scan_tree<1>(x, out); }
static __device__ float scan_warp(float v) {
    for (int d = 1; d < 32; d *= 2) {
        float u = __shfl_up_sync(FULL, v, d);
        if (LANE >= d) v += u;
    }
    return v;
}
TIMING(scan_shuffles) {
    __shared__ float sums[32];
    float v = scan_warp(x[THREAD]);
    if (LANE == 31) sums[threadIdx.x / 32] = v;
    __syncthreads();
    if (threadIdx.x < 32) sums[LANE] = scan_warp(LANE < blockDim.x / 32 ? sums[LANE] : 0);
    __syncthreads();
    out[THREAD] = v + (threadIdx.x >= 32 ? sums[threadIdx.x / 32 - 1] : 0);
}
// Keeps the words that are odd, in order within a block.
TIMING(compact_block) {
    __shared__ uint32_t sums[32], start;
    unsigned w = threadIdx.x / 32;
    uint32_t word = words[THREAD], keep = __ballot_sync(FULL, word & 1);
    if (LANE == 0) sums[w] = __popc(keep);
    __syncthreads();
    if (threadIdx.x == 0) {
        uint32_t total = 0;
        for (unsigned k = 0; k < blockDim.x / 32; k++) {
            uint32_t s = sums[k];
            sums[k] = total;
            total += s;
        }
        start = atomicAdd((uint32_t *)out, total);
    }
    __syncthreads();
    if (word & 1) out[1 + start + sums[w] + __popc(keep & ((1u << LANE) - 1))] = word;
}

template <int SIZE> static __device__ void sort_bitonic(const uint32_t *words, float *out) {
    __shared__ uint32_t a[SIZE];
    unsigned t = threadIdx.x;
    a[t] = words[THREAD];
    for (unsigned size = 2; size <= SIZE; size *= 2) {
        for (unsigned d = size / 2; d > 0; d /= 2) {
            __syncthreads();
            unsigned other = t ^ d;
            if (other > t && (a[t] > a[other]) == ((t & size) == 0)) {
                uint32_t v = a[t];
                a[t] = a[other];
                a[other] = v;
            }
        }
    }
    __syncthreads();
    out[THREAD] = a[t];
}
TIMING(sort_bitonic_1024) { sort_bitonic<1024>(words, out); }
TIMING(sort_bitonic_256) { sort_bitonic<256>(words, out); }
TIMING(sort_odd_even) {
    __shared__ uint32_t a[256];
    unsigned t = threadIdx.x;
    a[t] = words[THREAD];
    a[t + 128] = words[THREAD + THREADS];
    for (int k = 0; k < 256; k++) {
        __syncthreads();
        unsigned i = 2 * t + k % 2;
        if (i + 1 < 256 && a[i] > a[i + 1]) {
            uint32_t v = a[i];
            a[i] = a[i + 1];
            a[i + 1] = v;
        }
    }
    __syncthreads();
    out[THREAD] = a[t];
}
TIMING(sort_by_rank) {
    __shared__ uint32_t a[256];
    uint32_t mine = a[threadIdx.x] = words[THREAD], rank = 0;
    __syncthreads();
    for (int k = 0; k < 256; k++) rank += a[k] < mine || (a[k] == mine && k < threadIdx.x);
    out[blockIdx.x * 256 + rank] = mine;
}
TIMING(sort_warp) {
    uint32_t v = words[THREAD];
    for (unsigned size = 2; size <= 32; size *= 2) {
        for (unsigned d = size / 2; d > 0; d /= 2) {
            uint32_t other = __shfl_xor_sync(FULL, v, d);
            bool low = ((LANE & d) == 0) == ((LANE & size) == 0);
            v = low == (v < other) ? v : other;
        }
    }
    out[THREAD] = v;
}

template <unsigned APART> static __device__ void banks(float *out, int n) {
    __shared__ float a[4096];
    for (unsigned i = threadIdx.x; i < 4096; i += blockDim.x) a[i] = i;
    __syncthreads();
    float sum = 0;
    unsigned at = threadIdx.x * APART;
    for (int k = 0; k < n; k++) {
        sum += a[at % 4096];
        at += 129;
    }
    out[THREAD] = sum;
}
TIMING(banks_1) { banks<1>(out, n); }
TIMING(banks_2) { banks<2>(out, n); }
TIMING(banks_4) { banks<4>(out, n); }
TIMING(banks_8) { banks<8>(out, n); }
TIMING(banks_16) { banks<16>(out, n); }
TIMING(banks_32) { banks<32>(out, n); }
TIMING(banks_random) {
    __shared__ uint32_t a[4096];
    for (unsigned i = threadIdx.x; i < 4096; i += blockDim.x) a[i] = words[i];
    __syncthreads();
    uint32_t at = threadIdx.x;
    for (int k = 0; k < n; k++) at = a[(at + k) % 4096];
    out[THREAD] = at;
}
TIMING(banks_store_8) {
    __shared__ float a[8192];
    for (int k = 0; k < n; k++) {
        a[(threadIdx.x * 8 + k) % 8192] = k;
        __syncthreads();
    }
    out[THREAD] = a[threadIdx.x];
}

TIMING(shuffle_transpose) {
    float v[8];
    for (int k = 0; k < 8; k++) v[k] = x[WARP * 256 + k * 32 + LANE];
    for (int r = 0; r < n; r++)
        for (int k = 0; k < 8; k++) v[k] = __shfl_sync(FULL, v[(k + 1) % 8], (LANE * 5 + k) % 32);
    for (int k = 0; k < 8; k++) out[WARP * 256 + k * 32 + LANE] = v[k];
}
TIMING(shuffle_butterflies) {
    float v = x[THREAD];
    for (int r = 0; r < n; r++)
        for (int d = 16; d > 0; d /= 2) v = 0.5f * (v + __shfl_xor_sync(FULL, v, d));
    out[THREAD] = v;
}
TIMING(vote_positions) {
    uint32_t w = words[THREAD], total = 0;
    for (int k = 0; k < n; k++) {
        uint32_t votes = __ballot_sync(FULL, (w >> (k % 32)) & 1);
        total += __popc(votes & ((2u << LANE) - 1));
    }
    out[THREAD] = total;
}
TIMING(match_groups) {
    uint32_t w = words[THREAD], total = 0;
    for (int k = 0; k < n; k++) total += __popc(__match_any_sync(FULL, (w >> k) % 4));
    out[THREAD] = total;
}

static __device__ void barriers(const float *x, float *out, int n) {
    __shared__ float a[1024];
    unsigned t = threadIdx.x;
    float v = x[THREAD];
    for (int k = 0; k < n; k++) {
        a[t] = v;
        __syncthreads();
        v = 0.5f * (v + a[(t + 1) % blockDim.x]);
        __syncthreads();
    }
    out[THREAD] = v;
}
TIMING(barriers_128) { barriers(x, out, n); }
TIMING(barriers_1024) { barriers(x, out, n); }
