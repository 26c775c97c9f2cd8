// What kernels with warp-group products and bulk copies share: mbarriers, copies of boxes, products
// of two tiles whose rows lie along K, and tensor maps.
#pragma once

#include <cuda.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "../../check.h"

static __device__ inline uint32_t shared_of(const void *p) {
    return (uint32_t)__cvta_generic_to_shared(p);
}

// ---- mbarriers ----

static __device__ inline void bar_init(uint64_t *bar, uint32_t count) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_of(bar)), "r"(count));
}

static __device__ inline void bar_fence(void) {
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

static __device__ inline void bar_expect(uint64_t *bar, uint32_t bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_of(bar)),
                 "r"(bytes)
                 : "memory");
}

// Only where `wanted`, without a branch: ptxas runs products one by one where it sees one among
// them.
static __device__ inline void bar_arrive(uint64_t *bar, bool wanted) {
    asm volatile("{ .reg .pred wanted;\n\t"
                 "setp.ne.b32 wanted, %1, 0;\n\t"
                 "@wanted mbarrier.arrive.shared::cta.b64 _, [%0]; }" ::"r"(shared_of(bar)),
                 "r"((int)wanted)
                 : "memory");
}

static __device__ inline void bar_arrive_at(uint64_t *bar, uint32_t rank, bool wanted) {
    asm volatile("{ .reg .b32 there; .reg .pred wanted;\n\t"
                 "setp.ne.b32 wanted, %2, 0;\n\t"
                 "mapa.shared::cluster.u32 there, %0, %1;\n\t"
                 "@wanted mbarrier.arrive.release.cluster.shared::cluster.b64 _, [there]; }" ::"r"(
                     shared_of(bar)),
                 "r"(rank), "r"((int)wanted)
                 : "memory");
}

static __device__ inline void bar_wait(uint64_t *bar, uint32_t parity) {
    asm volatile("{ .reg .pred done;\n"
                 "AGAIN: mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n\t"
                 "@!done bra AGAIN; }" ::"r"(shared_of(bar)),
                 "r"(parity)
                 : "memory");
}

// ---- Bulk copies ----

static __device__ inline void load_bytes(void *to, const void *from, uint32_t bytes,
                                         uint64_t *bar) {
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::
            "r"(shared_of(to)),
        "l"(from), "r"(bytes), "r"(shared_of(bar))
        : "memory");
}

static __device__ inline void load_box(void *to, const CUtensorMap *map, int x, int y,
                                       uint64_t *bar) {
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
                 "[%0], [%1, {%2, %3}], [%4];" ::"r"(shared_of(to)),
                 "l"(map), "r"(x), "r"(y), "r"(shared_of(bar))
                 : "memory");
}

static __device__ inline void load_box_for(uint16_t ranks, void *to, const CUtensorMap *map, int x,
                                           int y, uint64_t *bar) {
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx"
                 "::bytes.multicast::cluster "
                 "[%0], [%1, {%2, %3}], [%4], %5;" ::"r"(shared_of(to)),
                 "l"(map), "r"(x), "r"(y), "r"(shared_of(bar)), "h"(ranks)
                 : "memory");
}

static __device__ inline void store_box(const CUtensorMap *map, int x, int y, const void *from) {
    asm volatile(
        "cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%0, {%1, %2}], [%3];" ::"l"(
            map),
        "r"(x), "r"(y), "r"(shared_of(from))
        : "memory");
}

static __device__ inline void store_commit(void) {
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}
template <int KEEP> static __device__ inline void store_wait_read(void) {
    asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(KEEP) : "memory");
}
template <int KEEP> static __device__ inline void store_wait(void) {
    asm volatile("cp.async.bulk.wait_group %0;" ::"n"(KEEP) : "memory");
}
static __device__ inline void proxy_fence(void) {
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

// ---- Products of a warp group ----

// Of a tile whose rows are SPAN bytes of K, swizzled over that span.
template <int SPAN> static __device__ inline uint64_t descriptor(const void *tile) {
    constexpr uint64_t layout = SPAN == 128 ? 1 : SPAN == 64 ? 2 : 3;
    return layout << 62 | (uint64_t)(8 * SPAN / 16) << 32 | 1ull << 16 |
           (shared_of(tile) & 0x3FFFF) >> 4;
}

#define D8(d, i)                                                                                   \
    "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3]), "+f"(d[i + 4]), "+f"(d[i + 5]),    \
        "+f"(d[i + 6]), "+f"(d[i + 7])
#define D32(d, i) D8(d, i), D8(d, i + 8), D8(d, i + 16), D8(d, i + 24)
// clang-format off
#define T8(a, b, c, d, e, f, g, h) "%" #a ",%" #b ",%" #c ",%" #d ",%" #e ",%" #f ",%" #g ",%" #h
#define REGISTERS_32                                                                               \
    T8(0, 1, 2, 3, 4, 5, 6, 7) "," T8(8, 9, 10, 11, 12, 13, 14, 15) ","                            \
    T8(16, 17, 18, 19, 20, 21, 22, 23) "," T8(24, 25, 26, 27, 28, 29, 30, 31)
#define REGISTERS_64                                                                               \
    REGISTERS_32 "," T8(32, 33, 34, 35, 36, 37, 38, 39) "," T8(40, 41, 42, 43, 44, 45, 46, 47) "," \
    T8(48, 49, 50, 51, 52, 53, 54, 55) "," T8(56, 57, 58, 59, 60, 61, 62, 63)
// clang-format on

template <int N> static __device__ inline void product(float (&d)[N / 2], uint64_t a, uint64_t b) {
    if constexpr (N == 64)
        asm volatile("wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {" REGISTERS_32
                     "}, %32, %33, 1, 1, 1, 0, 0;"
                     : D32(d, 0)
                     : "l"(a), "l"(b));
    else
        asm volatile("wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16 {" REGISTERS_64
                     "}, %64, %65, 1, 1, 1, 0, 0;"
                     : D32(d, 0), D32(d, 32)
                     : "l"(a), "l"(b));
}
template <int N>
static __device__ inline void product_of_registers(float (&d)[N / 2], const uint32_t (&a)[4],
                                                   uint64_t b) {
    if constexpr (N == 64)
        asm volatile("wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {" REGISTERS_32
                     "}, {%32, %33, %34, %35}, %36, 1, 1, 1, 0;"
                     : D32(d, 0)
                     : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b));
    else
        asm volatile("wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16 {" REGISTERS_64
                     "}, {%64, %65, %66, %67}, %68, 1, 1, 1, 0;"
                     : D32(d, 0), D32(d, 32)
                     : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b));
}
static __device__ inline void product_fence(void) {
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}
static __device__ inline void product_commit(void) {
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}
template <int KEEP> static __device__ inline void product_wait(void) {
    asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(KEEP) : "memory");
}

// ---- Tensor maps ----

typedef CUresult (*encode_tiled)(CUtensorMap *, CUtensorMapDataType, cuuint32_t, void *,
                                 const cuuint64_t *, const cuuint64_t *, const cuuint32_t *,
                                 const cuuint32_t *, CUtensorMapInterleave, CUtensorMapSwizzle,
                                 CUtensorMapL2promotion, CUtensorMapFloatOOBfill);

// Of a matrix [rows][columns] of elements of this type and of so many bytes, by boxes of box_rows x
// box_columns, swizzled over `span` bytes (0: not).
static inline CUtensorMap map_of_type(void *matrix, CUtensorMapDataType type, int bytes, int rows,
                                      int columns, int box_rows, int box_columns, int span) {
    void *entry = NULL;
    cudaDriverEntryPointQueryResult found;
    CUtensorMap map;
    CHECK(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &entry, 12000,
                                           cudaEnableDefault, &found));
    const cuuint64_t size[] = {(cuuint64_t)columns, (cuuint64_t)rows},
                     pitch[] = {(cuuint64_t)columns * bytes};
    const cuuint32_t box[] = {(cuuint32_t)box_columns, (cuuint32_t)box_rows}, step[] = {1, 1};
    CUtensorMapSwizzle swizzle = span == 128  ? CU_TENSOR_MAP_SWIZZLE_128B
                                 : span == 64 ? CU_TENSOR_MAP_SWIZZLE_64B
                                 : span == 32 ? CU_TENSOR_MAP_SWIZZLE_32B
                                              : CU_TENSOR_MAP_SWIZZLE_NONE;
    CUresult made = ((encode_tiled)entry)(
        &map, type, 2, matrix, size, pitch, box, step, CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle,
        CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    if (made != CUDA_SUCCESS) {
        fprintf(stderr, "cuTensorMapEncodeTiled: %d\n", (int)made);
        exit(1);
    }
    return map;
}

// Of halves or floats.
static inline CUtensorMap map_of(void *matrix, bool halves, int rows, int columns, int box_rows,
                                 int box_columns, int span) {
    return map_of_type(matrix,
                       halves ? CU_TENSOR_MAP_DATA_TYPE_FLOAT16 : CU_TENSOR_MAP_DATA_TYPE_FLOAT32,
                       halves ? 2 : 4, rows, columns, box_rows, box_columns, span);
}
