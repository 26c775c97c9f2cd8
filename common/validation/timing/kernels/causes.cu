// Kernels of one cause each, written to find out what the model of time lacks: rows that many
// blocks read, passes over a row, small systems, chains, constants and more. All may be looked at.
#include "kernels.h"

// ---- columns: each thread reads the rows above and below its own, of n columns ----

static __device__ float plain(const float *p) { return *p; }
static __device__ float past_l1(const float *p) { return __ldcg(p); }

// Blocks of width x height threads.
#define COLUMNS(name, radius, width, height, load)                                                 \
    TIMING(name) {                                                                                 \
        const int c = blockIdx.x * (width) + threadIdx.x, rows = gridDim.y * blockDim.y;           \
        const int r = blockIdx.y * (height) + ((height) > 1 ? threadIdx.y : 0);                    \
        const float own = x[r * n + c];                                                            \
        float sum = 0;                                                                             \
        for (int k = -(radius); k <= (radius); k++)                                                \
            sum += fabsf(load(x + min(max(r + k, 0), rows - 1) * n + c) - own);                    \
        out[r * n + c] = sum;                                                                      \
    }
COLUMNS(columns_4, 4, 256, 1, plain)
COLUMNS(columns_12, 12, 256, 1, plain)
COLUMNS(columns_12_past_l1, 12, 256, 1, past_l1)
COLUMNS(columns_12_square, 12, 32, 8, plain)

// With weights, which are parts of the instructions.
TIMING(columns_weighted) {
    const int c = blockIdx.x * 256 + threadIdx.x, rows = gridDim.y;
    float sum = 0;
#pragma unroll
    for (int k = 0; k < 11; k++)
        sum += (0.5f + 0.01f * k) * x[min(max((int)blockIdx.y + k - 5, 0), rows - 1) * n + c];
    out[blockIdx.y * n + c] = sum;
}
// A running sum of 33 rows: one more and one less for each of 64 rows.
TIMING(columns_walk) {
    const int c = blockIdx.x * 256 + threadIdx.x, first = blockIdx.y * 64, rows = gridDim.y * 64;
    float sum = 0;
    for (int k = -16; k < 16; k++) sum += x[max(first + k, 0) * n + c];
    for (int r = first; r < first + 64; r++) {
        sum += x[min(r + 16, rows - 1) * n + c];
        out[r * n + c] = sum;
        sum -= x[max(r - 16, 0) * n + c];
    }
}
// 64 x 16 outputs from a tile of 64 x 32, four per thread, blocks of 64 x 4.
TIMING(columns_tile) {
    __shared__ float tile[32][64];
    const int c = blockIdx.x * 64 + threadIdx.x, first = blockIdx.y * 16, rows = gridDim.y * 16;
    for (int i = threadIdx.y; i < 32; i += 4)
        tile[i][threadIdx.x] = x[min(max(first + i - 8, 0), rows - 1) * n + c];
    __syncthreads();
    for (int i = threadIdx.y; i < 16; i += 4) {
        float most = 0;
        for (int k = 0; k < 16; k++) most = fmaxf(most, tile[i + k][threadIdx.x]);
        out[(first + i) * n + c] = most;
    }
}

// ---- lines that several blocks read: n blocks a chunk of 16 KiB, in turn or far apart ----

#define SHARED_CHUNKS(name, chunk)                                                                 \
    TIMING(name) {                                                                                 \
        const float4 *in = (const float4 *)x + (chunk)*1024 + threadIdx.x;                         \
        float sum = 0;                                                                             \
        for (int k = 0; k < 4; k++) {                                                              \
            const float4 v = __ldcg(in + 256 * k);                                                 \
            sum += v.x + v.y + v.z + v.w;                                                          \
        }                                                                                          \
        if (sum < 0) out[THREAD] = sum;                                                            \
    }
SHARED_CHUNKS(chunk_near_4, blockIdx.x / n)
SHARED_CHUNKS(chunk_near_16, blockIdx.x / n)
SHARED_CHUNKS(chunk_far_4, blockIdx.x % (gridDim.x / n))
SHARED_CHUNKS(chunk_far_16, blockIdx.x % (gridDim.x / n))

// ---- rows of n floats, a warp or a block each ----

static __device__ float warp_most(float v) {
    for (int d = 16; d > 0; d /= 2) v = fmaxf(v, __shfl_xor_sync(FULL, v, d));
    return v;
}
// Three passes through memory: mean, variance, result.
TIMING(row_three_passes_warp) {
    const float *row = x + (size_t)WARP * n;
    float sum = 0, squares = 0;
    for (int i = LANE; i < n; i += 32) sum += row[i];
    const float mean = warp_sum(sum) / n;
    for (int i = LANE; i < n; i += 32) squares += (row[i] - mean) * (row[i] - mean);
    const float scale = rsqrtf(warp_sum(squares) / n + 1e-5f);
    for (int i = LANE; i < n; i += 32) out[(size_t)WARP * n + i] = (row[i] - mean) * scale;
}
// The row stays in registers.
TIMING(row_kept_warp) {
    const float *row = x + (size_t)WARP * n;
    float v[12], most = 0, sum = 0;
#pragma unroll
    for (int i = 0; i < 12; i++) most = fmaxf(most, v[i] = row[32 * i + LANE]);
    most = warp_most(most);
#pragma unroll
    for (int i = 0; i < 12; i++) sum += v[i] = __expf(v[i] - most);
    sum = 1 / warp_sum(sum);
#pragma unroll
    for (int i = 0; i < 12; i++) out[(size_t)WARP * n + 32 * i + LANE] = v[i] * sum;
}
// The largest and the sum of exponentials in one pass, by lane.
TIMING(row_running_warp) {
    const float *row = x + (size_t)WARP * n;
    float most = -1e30f, sum = 0;
    for (int i = LANE; i < n; i += 32) {
        const float v = row[i], before = most;
        most = fmaxf(most, v);
        sum = sum * expf(before - most) + expf(v - most);
    }
    const float all = warp_most(most), scale = 1 / warp_sum(sum * expf(most - all));
    for (int i = LANE; i < n; i += 32) out[(size_t)WARP * n + i] = expf(row[i] - all) * scale;
}
// The same of a block of 128, whose warps meet in shared memory.
TIMING(row_running_block) {
    __shared__ float mosts[4], sums[4];
    const float *row = x + (size_t)blockIdx.x * n;
    float most = -1e30f, sum = 0;
    for (int i = threadIdx.x; i < n; i += 128) {
        const float v = row[i], before = most;
        most = fmaxf(most, v);
        sum = sum * __expf(before - most) + __expf(v - most);
    }
    const float of_warp = warp_most(most);
    sum = warp_sum(sum * __expf(most - of_warp));
    if (LANE == 0) mosts[threadIdx.x / 32] = of_warp, sums[threadIdx.x / 32] = sum;
    __syncthreads();
    const float all = fmaxf(fmaxf(mosts[0], mosts[1]), fmaxf(mosts[2], mosts[3]));
    sum = 0;
    for (int w = 0; w < 4; w++) sum += sums[w] * __expf(mosts[w] - all);
    for (int i = threadIdx.x; i < n; i += 128)
        out[(size_t)blockIdx.x * n + i] = __expf(row[i] - all) / sum;
}
// A thread per row, 16 bytes at a time, nothing stored but its sum.
TIMING(row_sum_thread) {
    const float4 *row = (const float4 *)(x + (size_t)THREAD * n);
    float sum = 0;
    for (int i = 0; i < n / 4; i++) sum += row[i].x + row[i].y * row[i].z + row[i].w;
    out[THREAD] = sum;
}
// A thread per column of 2048, n rows each, two passes.
TIMING(column_two_passes) {
    const int c = blockIdx.x * 256 + threadIdx.x, first = blockIdx.y * n;
    float sum = 0;
    for (int r = 0; r < n; r++) sum += x[(first + r) * 2048 + c];
    sum /= n;
    for (int r = 0; r < n; r++) out[(first + r) * 2048 + c] = x[(first + r) * 2048 + c] - sum;
}

// ---- small systems ----

// Three unknowns; 12 floats a system, one after the other.
TIMING(system_3_packed) {
    const float *a = x + (size_t)THREAD * 12;
    const float p = a[0] + 3, q = a[5] + 3, r = a[10] + 3;
    const float d = p * (q * r - a[6] * a[9]) - a[1] * (a[4] * r - a[6] * a[8]) +
                    a[2] * (a[4] * a[9] - q * a[8]);
    const float u = a[3] * (q * r - a[6] * a[9]) - a[1] * (a[7] * r - a[6] * a[11]);
    const float v = p * (a[7] * r - a[6] * a[11]) - a[3] * (a[4] * r - a[6] * a[8]);
    out[THREAD * 3] = u / d;
    out[THREAD * 3 + 1] = v / d;
    out[THREAD * 3 + 2] = (a[11] - a[8] * u / d - a[9] * v / d) / r;
}
// The same floats, 16 bytes at a time.
TIMING(system_3_fours) {
    const float4 *in = (const float4 *)x + (size_t)THREAD * 3;
    const float4 a = in[0], b = in[1], c = in[2];
    const float d = (a.x + 3) * (b.y + 3) - a.y * b.x;
    const float u = (a.w * (b.y + 3) - a.y * b.w) / d, v = ((a.x + 3) * b.w - a.w * b.x) / d;
    out[THREAD * 3] = u;
    out[THREAD * 3 + 1] = v;
    out[THREAD * 3 + 2] = (c.w - c.x * u - c.y * v) / (c.z + 3);
}
// Six unknowns with pivots, in local memory.
TIMING(system_6_pivots) {
    float a[6][7];
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 7; j++) a[i][j] = x[(i * 7 + j) * n + THREAD];
    for (int p = 0; p < 6; p++) {
        int best = p;
        for (int i = p + 1; i < 6; i++)
            if (fabsf(a[i][p]) > fabsf(a[best][p])) best = i;
        for (int j = p; j < 7; j++) {
            const float t = a[p][j];
            a[p][j] = a[best][j];
            a[best][j] = t;
        }
        for (int i = p + 1; i < 6; i++) {
            const float f = __fdividef(a[i][p], a[p][p]);
            for (int j = p; j < 7; j++) a[i][j] -= f * a[p][j];
        }
    }
    for (int i = 0; i < 6; i++) out[i * n + THREAD] = a[i][6];
}
// A square root of a matrix of n x n, n at most 32, by a warp: a column per step.
TIMING(factor_by_warp) {
    __shared__ float a[32][33];
    const int lane = threadIdx.x;
    for (int i = 0; i < 32; i++)
        a[i][lane] =
            max(i, lane) < n ? x[(blockIdx.x * n + i) * n + lane] + (i == lane ? 40 : 0) : 0;
    __syncwarp();
    for (int p = 0; p < n; p++) {
        const float root = sqrtf(a[p][p]);
        const float own = lane >= p ? a[lane][p] / root : 0;
        __syncwarp();
        a[lane][p] = own;
        __syncwarp();
        for (int j = p + 1; j < n; j++)
            if (lane >= j) a[lane][j] -= own * a[j][p];
        __syncwarp();
    }
    for (int i = 0; i < n; i++)
        if (lane < n) out[(blockIdx.x * n + i) * n + lane] = a[i][lane];
}
// An elimination of 48 x 48 by a block of 64: a barrier per step.
TIMING(eliminate_by_block) {
    __shared__ float a[48][49];
    const int t = threadIdx.x;
    for (int i = 0; i < 48; i++)
        if (t < 48) a[i][t] = x[blockIdx.x * 2304 + i * 48 + t] + (i == t ? 60.0f : 0);
    __syncthreads();
    for (int p = 0; p < n; p++) {
        if (t > p && t < 48) {
            const float f = a[t][p] / a[p][p];
            for (int j = p; j < 48; j++) a[t][j] -= f * a[p][j];
        }
        __syncthreads();
    }
    for (int i = 0; i < 48; i++)
        if (t < 48) out[blockIdx.x * 2304 + i * 48 + t] = a[i][t];
}

// ---- scans and sorts of a block ----

// Four elements per thread, shuffles, then the warps' sums.
TIMING(scan_fours) {
    __shared__ float sums[8];
    const float4 v = ((const float4 *)x)[THREAD];
    const float own = v.x + v.y + v.z + v.w;
    float sum = own;
    for (int d = 1; d < 32; d *= 2) {
        const float before = __shfl_up_sync(FULL, sum, d);
        if (LANE >= d) sum += before;
    }
    if (LANE == 31) sums[threadIdx.x / 32] = sum;
    __syncthreads();
    for (int w = 0; w < threadIdx.x / 32; w++) sum += sums[w];
    sum -= own;
    ((float4 *)out)[THREAD] =
        make_float4(sum + v.x, sum + v.x + v.y, sum + v.x + v.y + v.z, sum + own);
}
// Two elements per thread, up and down a tree in shared memory, with conflicts.
TIMING(scan_tree_256) {
    __shared__ float a[512];
    const int t = threadIdx.x;
    a[2 * t] = x[2 * THREAD];
    a[2 * t + 1] = x[2 * THREAD + 1];
    int apart = 1;
    for (int d = 256; d > 0; d /= 2, apart *= 2) {
        __syncthreads();
        if (t < d) a[apart * (2 * t + 2) - 1] += a[apart * (2 * t + 1) - 1];
    }
    if (t == 0) a[511] = 0;
    for (int d = 1; d < 512; d *= 2) {
        apart /= 2;
        __syncthreads();
        if (t < d) {
            const float left = a[apart * (2 * t + 1) - 1];
            a[apart * (2 * t + 1) - 1] = a[apart * (2 * t + 2) - 1];
            a[apart * (2 * t + 2) - 1] += left;
        }
    }
    __syncthreads();
    out[2 * THREAD] = a[2 * t];
    out[2 * THREAD + 1] = a[2 * t + 1];
}
// 512 keys by 256 threads, a pair per thread and step.
TIMING(sort_pairs_512) {
    __shared__ uint32_t a[512];
    const uint32_t t = threadIdx.x;
    a[t] = words[blockIdx.x * 512 + t];
    a[t + 256] = words[blockIdx.x * 512 + t + 256];
    for (uint32_t size = 2; size <= 512; size *= 2)
        for (uint32_t d = size / 2; d > 0; d /= 2) {
            __syncthreads();
            const uint32_t i = 2 * t - (t & (d - 1)), j = i + d;
            const bool up = (i & size) == 0;
            const uint32_t p = a[i], q = a[j];
            if ((p > q) == up) a[i] = q, a[j] = p;
        }
    __syncthreads();
    ((uint32_t *)out)[blockIdx.x * 512 + t] = a[t];
    ((uint32_t *)out)[blockIdx.x * 512 + t + 256] = a[t + 256];
}
// 128 keys: each counts the smaller ones, and goes to its rank.
TIMING(rank_128) {
    __shared__ uint32_t a[128];
    const uint32_t own = words[THREAD];
    a[threadIdx.x] = own;
    __syncthreads();
    uint32_t rank = 0;
    for (uint32_t i = 0; i < 128; i++) rank += a[i] < own || (a[i] == own && i < threadIdx.x);
    ((uint32_t *)out)[blockIdx.x * 128 + rank] = own;
}
// 256 keys, by n bits one after the other: ballots, the warps' counts, a move in shared memory.
TIMING(split_by_bits) {
    __shared__ uint32_t keys[256], counts[8];
    uint32_t key = words[THREAD], w = threadIdx.x / 32;
    for (int bit = 0; bit < n; bit++) {
        const uint32_t ones = __ballot_sync(FULL, key >> bit & 1);
        const uint32_t before = __popc(~ones & ((1u << LANE) - 1));
        if (LANE == 0) counts[w] = 32 - __popc(ones);
        __syncthreads();
        uint32_t zeros = 0, first = 0;
        for (uint32_t i = 0; i < 8; i++) {
            first += i < w ? counts[i] : 0;
            zeros += counts[i];
        }
        const uint32_t rank = first + before;
        keys[key >> bit & 1 ? zeros + threadIdx.x - rank : rank] = key;
        __syncthreads();
        key = keys[threadIdx.x];
        __syncthreads();
    }
    ((uint32_t *)out)[THREAD] = key;
}

// ---- chains of loads, of n steps; next[] modulo a power of 2 is one cycle ----

TIMING(chain_eight_lanes) {
    uint32_t at = THREAD * 977;
    if (LANE < 8)
        for (int k = 0; k < n; k++) at = next[at % (1u << 19)];
    out[THREAD] = at;
}
TIMING(chain_in_l1) {
    uint32_t at = threadIdx.x * 61;
    for (int k = 0; k < n; k++) at = next[at % 2048];
    out[THREAD] = at;
}
TIMING(chain_two_each) {
    uint32_t a = THREAD * 977, b = a + 4321;
    for (int k = 0; k < n; k++) {
        a = next[a % (1u << 20)];
        b = next[b % (1u << 20)];
    }
    out[THREAD] = a + b;
}
TIMING(chain_one_lane_l2) {
    uint32_t at = WARP * 977;
    if (LANE == 0)
        for (int k = 0; k < n; k++) at = next[at % (1u << 19)];
    out[THREAD] = at;
}
TIMING(chain_local_32) {
    uint32_t own[32], at = LANE;
    for (int i = 0; i < 32; i++) own[i] = words[THREAD + 256 * i];
    for (int k = 0; k < n; k++) at = own[at % 32] + k;
    out[THREAD] = at;
}

// ---- stores and loads at random places of a window ----

TIMING(scatter_1024) {
    const uint32_t i = THREAD;
    out[(i & ~1023u) | (i * 517 + (i >> 10)) % 1024] = x[i];
}
TIMING(scatter_65536) {
    const uint32_t i = THREAD;
    out[(i & ~65535u) | mix(i) % 65536] = x[i];
}
TIMING(scatter_reversed_4096) {
    const uint32_t i = THREAD;
    out[(i & ~4095u) | __brev(i) >> 20] = x[i];
}
TIMING(gather_4_mib) { out[THREAD] = x[words[THREAD] % (1u << 20)] + x[words[THREAD] >> 12]; }
TIMING(gather_pairs) {
    const float2 v = ((const float2 *)x)[words[THREAD] % (1u << 22)];
    out[THREAD] = v.x + v.y;
}

// ---- counts in shared memory ----

TIMING(bins_64) {
    __shared__ uint32_t bins[64];
    if (threadIdx.x < 64) bins[threadIdx.x] = 0;
    __syncthreads();
    for (uint32_t i = THREAD; i < n; i += THREADS) atomicAdd(&bins[words[i] % 64], 1);
    __syncthreads();
    if (threadIdx.x < 64) atomicAdd((uint32_t *)out + threadIdx.x, bins[threadIdx.x]);
}
TIMING(bins_of_threads) {
    __shared__ uint16_t bins[32][128];
    for (int b = 0; b < 32; b++) bins[b][threadIdx.x] = 0;
    for (uint32_t i = THREAD; i < n; i += THREADS) bins[words[i] % 32][threadIdx.x]++;
    __syncthreads();
    uint32_t sum = 0;
    if (threadIdx.x < 32) {
        for (int t = 0; t < 128; t++) sum += bins[threadIdx.x][t];
        atomicAdd((uint32_t *)out + threadIdx.x, sum);
    }
}

// ---- constant memory, as much of an SM's warps as the grid gives it ----

static __constant__ float taps[TIMING_TAPS]; // zeros

static __device__ float timing_tap(uint32_t at) { return taps[at % TIMING_TAPS]; }

TIMING(table_same_warps_40) {
    float sum = 0;
    for (int k = 0; k < n; k++) sum += timing_tap(blockIdx.x * 7 + k);
    out[THREAD] = sum;
}
TIMING(table_same_warps_48) {
    float sum = 0;
    for (int k = 0; k < n; k++) sum += timing_tap(blockIdx.x * 7 + k);
    out[THREAD] = sum;
}
TIMING(table_four_lines) {
    float sum = 0;
    for (int k = 0; k < n; k++) sum += timing_tap(LANE / 8 * 64 + k);
    out[THREAD] = sum;
}
TIMING(table_few_words) {
    uint32_t h = THREAD;
    float sum = 0;
    for (int k = 0; k < n; k++) {
        h = mix(h);
        sum += timing_tap(h % 16);
    }
    out[THREAD] = sum;
}

// ---- branches, products, barriers ----

TIMING(paths_eight) {
    float v = x[THREAD];
    for (int k = 0; k < n; k++) {
        switch ((LANE + k) % 8) {
        case 0: v = v * 0.5f + 1; break;
        case 1: v = rsqrtf(v + 1); break;
        case 2: v = v * v * 0.1f + 0.3f; break;
        case 3: v = __expf(-v); break;
        case 4: v = v / (v + 2); break;
        case 5: v = fmaxf(v, 0.7f) - 0.1f; break;
        case 6: v = sqrtf(v + 2); break;
        default: v = __logf(v + 3);
        }
    }
    out[THREAD] = v;
}
TIMING(bits_of_words) {
    uint32_t h = words[THREAD], sum = 0;
    for (int k = 0; k < n; k++) {
        for (uint32_t w = h; w; w &= w - 1) sum += w;
        h = mix(h);
    }
    out[THREAD] = sum;
}
// Threads of a warp have different rows of the left matrix: strided loads.
TIMING(product_rows_by_lane) {
    const int r = blockIdx.y * 32 + threadIdx.x, c = blockIdx.x * 8 + threadIdx.y;
    float sum = 0;
    for (int k = 0; k < n; k++) sum += x[r * n + k] * y[k * n + c];
    out[r * n + c] = sum;
}
TIMING(product_2x2) {
    const int r = (blockIdx.y * 16 + threadIdx.y) * 2, c = (blockIdx.x * 16 + threadIdx.x) * 2;
    float s00 = 0, s01 = 0, s10 = 0, s11 = 0;
    for (int k = 0; k < n; k++) {
        const float a = x[r * n + k], b = x[(r + 1) * n + k];
        const float2 v = *(const float2 *)(y + k * n + c);
        s00 += a * v.x, s01 += a * v.y, s10 += b * v.x, s11 += b * v.y;
    }
    *(float2 *)(out + r * n + c) = make_float2(s00, s01);
    *(float2 *)(out + (r + 1) * n + c) = make_float2(s10, s11);
}
// Each warp works longer than the one before, then all meet.
TIMING(barriers_uneven) {
    float v = x[THREAD];
    for (int k = 0; k < n; k++) {
        for (uint32_t i = 0; i < threadIdx.x / 32; i++) v = v * 0.9f + 0.2f;
        __syncthreads();
    }
    out[THREAD] = v;
}
