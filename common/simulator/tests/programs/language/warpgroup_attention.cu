// SPDX-License-Identifier: MIT
// Attention, softmax(Q K^T) V, as kernels for compute capability 9.0 do it: a producer thread
// copies tiles by tensor maps of three dimensions; two warp groups multiply by wgmma, probabilities
// stay in registers as the operand A of the second product, V is read transposed; named barriers
// let one group multiply while the other computes exponentials; blocks take tiles from a counter.
//
// On an H200 (16 heads of d 128, 16,384 rows in all, medians of 9, cold L2, before release() had
// its __syncwarp()), TFLOP/s beside cuDNN through PyTorch in the same run, at 1,024 / 2,048 / 4,096
// / 8,192 / 16,384 rows: full 555 / 630 / 665 / 632 / 650 beside 595 / 639 / 653 / 601 / 607;
// causal, sections of 16 heads, 411 / 528 / 605 / 637 / 642 beside 425 / 509 / 558 / 541 / 557.
// Without the named barriers causal falls to 534 at 4,096.
#include <cuda.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cmath>
#include <cstdint>
#include <vector>

#include "../check.h"
#define DEV static __device__ __forceinline__

#define SUM_4(i)  "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3])
#define SUM_16(i) SUM_4(i), SUM_4(i + 4), SUM_4(i + 8), SUM_4(i + 12)
#define SUM_64    SUM_16(0), SUM_16(16), SUM_16(32), SUM_16(48)
#define NAMES_64                                                                                   \
    "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, "  \
    "%20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, %32, %33, %34, %35, %36, %37, "   \
    "%38, %39, %40, %41, %42, %43, %44, %45, %46, %47, %48, %49, %50, %51, %52, %53, %54, %55, "   \
    "%56, %57, %58, %59, %60, %61, %62, %63}"
#define SHAPE "wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16 "

// Both operands from shared memory, rows along k.
DEV void multiply_tiles(float (&d)[64], uint64_t a, uint64_t b, int adds) {
    asm volatile("{ .reg .pred p; setp.ne.b32 p, %66, 0;\n\t" SHAPE NAMES_64
                 ", %64, %65, p, 1, 1, 0, 0; }"
                 : SUM_64
                 : "l"(a), "l"(b), "r"(adds));
}
// A from registers; B, whose rows are along n, is transposed.
DEV void multiply_words(float (&d)[64], const unsigned *a, uint64_t b) {
    asm volatile("{ .reg .pred p; setp.ne.b32 p, 1, 0;\n\t" SHAPE NAMES_64
                 ", {%64, %65, %66, %67}, %68, p, 1, 1, 1; }"
                 : SUM_64
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b));
}
DEV uint32_t smem(const void *p) {
    return (uint32_t)__cvta_generic_to_shared(p);
}
DEV void bar_init(uint32_t b, int n) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(b), "r"(n));
}
DEV void bar_expect(uint32_t b, int bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(b), "r"(bytes)
                 : "memory");
}
DEV void bar_wait(uint32_t b, uint32_t phase) {
    asm volatile("{\n.reg .pred p;\nL: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n"
                 "@p bra D;\nbra L;\nD:\n}" ::"r"(b),
                 "r"(phase)
                 : "memory");
}
DEV void bar_arrive(uint32_t b) {
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(b) : "memory");
}
DEV void tma_load(uint32_t dst, const CUtensorMap *m, uint32_t bar, int x, int y, int z) {
    asm volatile(
        "cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], "
        "[%1, {%3, %4, %5}], [%2];" ::"r"(dst),
        "l"(m), "r"(bar), "r"(x), "r"(y), "r"(z)
        : "memory");
}
DEV void tma_store(const CUtensorMap *m, uint32_t src, int x, int y, int z) {
    asm volatile(
        "cp.async.bulk.tensor.3d.global.shared::cta.bulk_group [%0, {%2, %3, %4}], [%1];" ::"l"(m),
        "r"(src), "r"(x), "r"(y), "r"(z)
        : "memory");
}
// rows of 128 bytes, 8 of them 1024 apart; lead: between 64 columns, of V only
DEV uint64_t desc(uint32_t at, uint32_t lead) {
    return (uint64_t)((at & 0x3ffff) >> 4) | (uint64_t)(lead >> 4) << 16 | (64ull << 32) |
           (1ull << 62);
}
DEV void sync_named(int id, int n) {
    asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(n) : "memory");
}
DEV void arrive_named(int id, int n) {
    asm volatile("bar.arrive %0, %1;" ::"r"(id), "r"(n) : "memory");
}
DEV void wg_fence() {
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}
DEV void wg_commit() {
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}
template <int N> DEV void wg_wait() {
    asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(N) : "memory");
}
// What an asynchronous product reads or writes is not moved across this by the compiler.
template <int N> DEV void hold(float (&d)[N]) {
#pragma unroll
    for (int i = 0; i < N; i++) asm volatile("" : "+f"(d[i])::"memory");
}
template <int N> DEV void hold(unsigned (&d)[N]) {
#pragma unroll
    for (int i = 0; i < N; i++) asm volatile("" : "+r"(d[i])::"memory");
}
DEV float ex2(float x) {
    float y;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}
DEV unsigned pack(float lo, float hi) {
    unsigned r;
    asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(r) : "f"(hi), "f"(lo));
    return r;
}

struct params {
    int lq, lk, heads, mt, tiles, section;
    float scale;
    int *next;
};

template <int D, int G, int BN, bool CAUSAL, bool PING>
__global__ void __launch_bounds__(128 * (G + 1), 1)
    attention(const __grid_constant__ CUtensorMap mq, const __grid_constant__ CUtensorMap mk,
              const __grid_constant__ CUtensorMap mv, const __grid_constant__ CUtensorMap mo,
              const params p) {
    extern __shared__ unsigned char raw[];
    constexpr int C = D / 64, QG = 64 * D * 2, QB = G * QG, KB = BN * D * 2;
    const uint32_t base = (smem(raw) + 1023) & ~1023u;
    const uint32_t q0 = base, k0 = base + QB, v0 = k0 + 2 * KB, bars = v0 + 2 * KB;
    const uint32_t full_q = bars, empty_q = bars + 8, full_k = bars + 16, empty_k = bars + 32,
                   full_v = bars + 48, empty_v = bars + 64, tile_at = bars + 80;
    const int wg = threadIdx.x / 128 - 1;
    if (threadIdx.x == 0) {
        bar_init(full_q, 1);
        bar_init(empty_q, G);
        for (int i = 0; i < 2; i++) {
            bar_init(full_k + 8 * i, 1);
            bar_init(empty_k + 8 * i, 4 * G);
            bar_init(full_v + 8 * i, 1);
            bar_init(empty_v + 8 * i, 4 * G);
        }
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    __syncthreads();
    auto where = [&](int t, int &m, int &head, int &blocks) {
        if (CAUSAL) { // sections of heads, whose keys stay in the L2; long rows first
            int per = p.section * p.mt, s = t / per, first = s * p.section,
                n = min(p.section, p.heads - first), r = t - s * per;
            m = p.mt - 1 - r / n;
            head = first + r % n;
        } else {
            head = t / p.mt;
            m = t - head * p.mt;
        }
        int keys = p.lk;
        if (CAUSAL) keys = max(0, min(keys, min(p.lq, (m + 1) * 64 * G) + p.lk - p.lq));
        blocks = (keys + BN - 1) / BN;
    };
    if (wg < 0) {
        asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
        if (threadIdx.x == 0) {
            int i = 0; // blocks of keys loaded so far
            uint32_t qph = 0;
            auto load = [&](const CUtensorMap *map, uint32_t at, uint32_t full, uint32_t empty,
                            int n, int row, int head) {
                int s = n & 1;
                uint32_t ph = n >> 1 & 1;
                bar_wait(empty + 8 * s, ph ^ 1);
                bar_expect(full + 8 * s, KB);
#pragma unroll
                for (int c = 0; c < C; c++)
                    tma_load(at + s * KB + c * BN * 128, map, full + 8 * s, c * 64, row, head);
            };
            int t = blockIdx.x;
            while (true) {
                int m = 0, head = 0, blocks = 0;
                if (t < p.tiles) where(t, m, head, blocks);
                if (blocks > 0) load(&mk, k0, full_k, empty_k, i, (blocks - 1) * BN, head);
                bar_wait(empty_q, qph ^ 1);
                asm volatile("st.shared.u32 [%0], %1;" ::"r"(tile_at), "r"(t) : "memory");
                if (t >= p.tiles) {
                    bar_arrive(full_q);
                    break;
                }
                bar_expect(full_q, QB);
#pragma unroll
                for (int g = 0; g < G; g++)
#pragma unroll
                    for (int c = 0; c < C; c++)
                        tma_load(q0 + g * QG + c * 8192, &mq, full_q, c * 64, (m * G + g) * 64,
                                 head);
                qph ^= 1;
                for (int b = blocks - 2; b >= 0; b--, i++) {
                    load(&mk, k0, full_k, empty_k, i + 1, b * BN, head);
                    load(&mv, v0, full_v, empty_v, i, (b + 1) * BN, head);
                }
                if (blocks > 0) load(&mv, v0, full_v, empty_v, i++, 0, head);
                t = atomicAdd(p.next, 1) + gridDim.x;
            }
            if (atomicAdd(p.next + 1, 1) == (int)gridDim.x - 1) {
                p.next[0] = 0;
                p.next[1] = 0;
                __threadfence();
            }
        }
        return;
    }
    asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32 % 4, t128 = threadIdx.x % 128;
    const uint32_t myq = q0 + wg * QG;
    if (PING && wg == G - 1) arrive_named(1, 256);
    int i = 0;
    uint32_t qph = 0;
    while (true) {
        bar_wait(full_q, qph);
        qph ^= 1;
        int t;
        asm volatile("ld.shared.u32 %0, [%1];" : "=r"(t) : "r"(tile_at) : "memory");
        if (t >= p.tiles) break;
        int m, head, blocks;
        where(t, m, head, blocks);
        const int row = (m * G + wg) * 64 + warp * 16 + lane / 4;
        float o[D / 2], s[BN / 2] = {}, most[2] = {-INFINITY, -INFINITY}, sum[2] = {0, 0};
        unsigned pr[BN / 4];
#pragma unroll
        for (int j = 0; j < D / 2; j++) o[j] = 0;
        auto product = [&](int n) { // S = Q K^T
            const uint32_t at = k0 + (n & 1) * KB;
#pragma unroll
            for (int kk = 0; kk < D / 16; kk++)
                multiply_tiles(s, desc(myq + kk / 4 * 8192 + kk % 4 * 32, 16),
                               desc(at + kk / 4 * BN * 128 + kk % 4 * 32, 16), kk > 0);
            wg_commit();
        };
        auto values = [&](int n) { // O += P V
            const uint32_t at = v0 + (n & 1) * KB;
            wg_fence();
#pragma unroll
            for (int kk = 0; kk < BN / 16; kk++)
                multiply_words(o, pr + 4 * kk, desc(at + kk * 2048, BN * 128));
            wg_commit();
        };
        auto mask = [&](int b) {
#pragma unroll
            for (int h = 0; h < 2; h++) {
                int seen = p.lk; // keys this row sees
                if (CAUSAL) seen = min(seen, row + 8 * h + 1 + p.lk - p.lq);
                seen -= b * BN + lane % 4 * 2;
#pragma unroll
                for (int w = 0; w < BN / 8; w++)
#pragma unroll
                    for (int e = 0; e < 2; e++)
                        if (w * 8 + e >= seen) s[4 * w + 2 * h + e] = -INFINITY;
            }
        };
        float factor[2];
        auto softmax = [&]() {
#pragma unroll
            for (int h = 0; h < 2; h++) {
                float was = most[h], now = was;
#pragma unroll
                for (int w = 0; w < BN / 8; w++)
                    now = fmaxf(now, fmaxf(s[4 * w + 2 * h], s[4 * w + 2 * h + 1]));
                now = fmaxf(now, __shfl_xor_sync(~0u, now, 1));
                now = fmaxf(now, __shfl_xor_sync(~0u, now, 2));
                most[h] = now;
                float base2 = (now == -INFINITY ? 0.f : now) * p.scale;
                factor[h] = ex2(was * p.scale - base2);
                float part = 0;
#pragma unroll
                for (int w = 0; w < BN / 8; w++)
#pragma unroll
                    for (int e = 0; e < 2; e++) {
                        float x = ex2(fmaf(s[4 * w + 2 * h + e], p.scale, -base2));
                        s[4 * w + 2 * h + e] = x;
                        part += x;
                    }
                sum[h] = sum[h] * factor[h] + part;
            }
        };
        auto to_half = [&]() {
#pragma unroll
            for (int j = 0; j < BN / 4; j++) pr[j] = pack(s[2 * j], s[2 * j + 1]);
        };
        auto rescale = [&]() {
#pragma unroll
            for (int j = 0; j < D / 2; j++) o[j] *= factor[j / 2 % 2];
        };
        auto release = [&](uint32_t empty, int n) {
            __syncwarp();
            if (lane == 0) bar_arrive(empty + 8 * (n & 1));
        };
        if (blocks > 0) {
            bar_wait(full_k + 8 * (i & 1), i >> 1 & 1);
            hold(s);
            wg_fence();
            product(i);
            wg_wait<0>();
            hold(s);
            release(empty_k, i);
            mask(blocks - 1);
            softmax();
            to_half();
            auto step = [&](int b, bool masked) {
                bar_wait(full_k + 8 * ((i + 1) & 1), (i + 1) >> 1 & 1);
                if (PING) sync_named(1 + wg, 256);
                hold(s);
                hold(o);
                hold(pr);
                wg_fence();
                product(i + 1);
                bar_wait(full_v + 8 * (i & 1), i >> 1 & 1);
                values(i);
                if (PING) arrive_named(1 + (wg + 1) % G, 256);
                wg_wait<1>();
                hold(s);
                release(empty_k, i + 1);
                if (masked) mask(b);
                softmax();
                wg_wait<0>();
                hold(o);
                release(empty_v, i);
                to_half();
                rescale();
                i++;
            };
            int b = blocks - 2;
            if (CAUSAL) // blocks that the first row does not see to the end
                for (; b >= 0 && (b + 1) * BN > (m * G + wg) * 64 + 1 + p.lk - p.lq; b--)
                    step(b, true);
            for (; b >= 0; b--) step(b, false);
            bar_wait(full_v + 8 * (i & 1), i >> 1 & 1);
            hold(o);
            hold(pr);
            wg_fence();
            values(i);
#pragma unroll
            for (int h = 0; h < 2; h++) {
                sum[h] += __shfl_xor_sync(~0u, sum[h], 1);
                sum[h] += __shfl_xor_sync(~0u, sum[h], 2);
                factor[h] = sum[h] > 0 ? 1 / sum[h] : 0;
            }
            wg_wait<0>();
            hold(o);
            release(empty_v, i);
            i++;
            rescale();
        }
        sync_named(8 + wg, 128); // all have read Q
#pragma unroll
        for (int w = 0; w < D / 8; w++)
#pragma unroll
            for (int h = 0; h < 2; h++) {
                uint32_t at = myq + w / 8 * 8192 + (warp * 16 + lane / 4 + 8 * h) * 128 +
                              ((w % 8 ^ lane / 4) * 16) + lane % 4 * 4;
                asm volatile("st.shared.u32 [%0], %1;" ::"r"(at),
                             "r"(pack(o[4 * w + 2 * h], o[4 * w + 2 * h + 1]))
                             : "memory");
            }
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        sync_named(8 + wg, 128);
        if (t128 == 0) {
#pragma unroll
            for (int c = 0; c < C; c++)
                tma_store(&mo, myq + c * 8192, c * 64, (m * G + wg) * 64, head);
            asm volatile("cp.async.bulk.commit_group;" ::: "memory");
            asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
            bar_arrive(empty_q);
        }
    }
    if (t128 == 0) asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}

enum { D = 128, GROUPS = 2, BLOCK_KEYS = 128, BLOCKS = 3 };

static CUtensorMap map_of(const __half *from, int heads, int rows, int box_rows) {
    CUtensorMap map;
    cudaDriverEntryPointQueryResult found;
    void *entry = nullptr;
    CUDA_CHECK(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &entry, 12000,
                                                cudaEnableDefault, &found));
    cuuint64_t sides[3] = {D, (cuuint64_t)rows, (cuuint64_t)heads};
    cuuint64_t strides[2] = {D * 2, (cuuint64_t)rows * D * 2};
    cuuint32_t box[3] = {64, (cuuint32_t)box_rows, 1}, ones[3] = {1, 1, 1};
    EXPECT(((decltype(&cuTensorMapEncodeTiled))entry)(
               &map, CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 3, (void *)from, sides, strides, box, ones,
               CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
               CU_TENSOR_MAP_L2_PROMOTION_L2_256B,
               CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_SUCCESS);
    return map;
}

static float value(int64_t i) {
    return float(i * 37 % 101 - 50) / 25;
}

// The definition, in double.
static void expect_row(const __half *q, const __half *k, const __half *v, int seen,
                       const __half *got) {
    std::vector<double> weight(seen > 0 ? seen : 0);
    double sum = 0;
    for (int j = 0; j < seen; j++) {
        double x = 0;
        for (int e = 0; e < D; e++) x += (double)(float)q[e] * (double)(float)k[j * D + e];
        sum += weight[j] = exp(x / sqrt((double)D));
    }
    for (int e = 0; e < D; e++) {
        double x = 0;
        for (int j = 0; j < seen; j++) x += weight[j] * (double)(float)v[j * D + e];
        EXPECT(fabs((double)(float)got[e] - (seen > 0 ? x / sum : 0)) <= 4e-3);
    }
}

template <bool CAUSAL> static void run(int heads, int rows, int keys) {
    __half *q, *k, *v, *o;
    int *next;
    const int64_t many = (int64_t)heads * rows * D, key_elems = (int64_t)heads * keys * D;
    CUDA_CHECK(cudaMallocManaged(&q, many * sizeof *q));
    CUDA_CHECK(cudaMallocManaged(&k, key_elems * sizeof *k));
    CUDA_CHECK(cudaMallocManaged(&v, key_elems * sizeof *v));
    CUDA_CHECK(cudaMallocManaged(&o, many * sizeof *o));
    CUDA_CHECK(cudaMallocManaged(&next, 2 * sizeof *next));
    next[0] = next[1] = 0;
    for (int64_t i = 0; i < many; i++) q[i] = __float2half(value(i));
    for (int64_t i = 0; i < key_elems; i++) k[i] = __float2half(value(i * 3 + 1));
    for (int64_t i = 0; i < key_elems; i++) v[i] = __float2half(value(i * 7 + 2));
    const int tiles = (rows + 64 * GROUPS - 1) / (64 * GROUPS);
    const params p = {
        rows, keys, heads, tiles, tiles * heads, 2, 1.4426950408889634f / sqrtf(float(D)), next};
    const int bytes = 1024 + GROUPS * 64 * D * 2 + 4 * BLOCK_KEYS * D * 2 + 128;
    auto kernel = attention<D, GROUPS, BLOCK_KEYS, CAUSAL, true>;
    CUDA_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
    const int blocks = p.tiles < BLOCKS ? p.tiles : BLOCKS;
    kernel<<<blocks, 128 * (GROUPS + 1), bytes>>>(
        map_of(q, heads, rows, 64), map_of(k, heads, keys, BLOCK_KEYS),
        map_of(v, heads, keys, BLOCK_KEYS), map_of(o, heads, rows, 64), p);
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaDeviceSynchronize());
    for (int h = 0; h < heads; h++)
        for (int i = 0; i < rows; i++) {
            int seen = CAUSAL && i + 1 + keys - rows < keys ? i + 1 + keys - rows : keys;
            int64_t at = (int64_t)h * keys * D, row = ((int64_t)h * rows + i) * D;
            expect_row(q + row, k + at, v + at, seen, o + row);
        }
    CUDA_CHECK(cudaFree(q));
    CUDA_CHECK(cudaFree(k));
    CUDA_CHECK(cudaFree(v));
    CUDA_CHECK(cudaFree(o));
    CUDA_CHECK(cudaFree(next));
}

int main() {
    run<false>(2, 200, 300);
    run<false>(1, 1, 1);
    run<true>(3, 300, 200); // the first 100 rows see no key
    run<true>(1, 130, 400);
    return 0;
}
