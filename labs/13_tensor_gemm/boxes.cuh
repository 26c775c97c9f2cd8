// SPDX-License-Identifier: MIT
// Given to the steps of lab 13 from 7 on: bulk tensor copies, mbarriers and products of warp
// groups, a function for each instruction of PTX (its manual, sections 9.7.9, 9.7.13 and 9.7.15).
// Compute capability 9.0; the products are compiled for sm_90a.
#pragma once

#include "tensor_gemm.cuh"

#define BOX_COLUMNS 64   // elements of 16 bits in the 128 bytes of a box's row
#define BOX_BYTES   8192 // of BOX_COLUMNS rows

__device__ __forceinline__ unsigned shared_address(const void *p) {
    return (unsigned)__cvta_generic_to_shared(p);
}

// ---- mbarriers ----

// In shared memory. Its phase ends when all arrivals have come, and all bytes that were expected.
typedef uint64_t barrier;

// arrivals: of each phase.
__device__ __forceinline__ void init_barrier(barrier *b, unsigned arrivals) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;"
                 :
                 : "r"(shared_address(b)), "r"(arrivals)
                 : "memory");
}

// Shows the barriers that this thread has initialised to the hardware that copies.
__device__ __forceinline__ void show_barriers() {
    asm volatile("fence.mbarrier_init.release.cluster;" : : : "memory");
}

__device__ __forceinline__ void arrive(barrier *b) {
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" : : "r"(shared_address(b)) : "memory");
}

// Arrives, and makes the phase wait for so many bytes.
__device__ __forceinline__ void expect_bytes(barrier *b, unsigned bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;"
                 :
                 : "r"(shared_address(b)), "r"(bytes)
                 : "memory");
}

// Waits until a phase has ended: 0 for the first, then 1, 0, 1, .. The phase before the first
// counts as ended: waiting for 1 on a new barrier does not wait.
__device__ __forceinline__ void wait_for(barrier *b, unsigned phase) {
    unsigned ended = 0;
    while (!ended) {
        asm volatile("{\n"
                     ".reg .pred p;\n"
                     "mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n"
                     "selp.u32 %0, 1, 0, p;\n"
                     "}"
                     : "=r"(ended)
                     : "r"(shared_address(b)), "r"(phase)
                     : "memory");
    }
}

// Whether that phase has ended; does not wait. The same in all lanes.
__device__ __forceinline__ bool has_ended(barrier *b, unsigned phase) {
    unsigned ended;
    asm volatile("{\n"
                 ".reg .pred p;\n"
                 "mbarrier.test_wait.parity.shared::cta.b64 p, [%1], %2;\n"
                 "selp.u32 %0, 1, 0, p;\n"
                 "}"
                 : "=r"(ended)
                 : "r"(shared_address(b)), "r"(phase)
                 : "memory");
    return ended;
}

// ---- bulk tensor copies ----

// Copies the box of the matrix whose first element is (row, column) to shared memory, a multiple of
// 1024 bytes: rows of 128 bytes, of which chunk c of row r lies at index c ^ r % 8. Rows and
// columns behind the matrix become 0. All bytes of the box arrive at the barrier.
__device__ __forceinline__ void start_box(void *to, const tensor_gemm_map *map, int row, int column,
                                          barrier *b) {
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes"
                 " [%0], [%1, {%2, %3}], [%4];"
                 :
                 : "r"(shared_address(to)), "l"(map), "r"(column), "r"(row), "r"(shared_address(b))
                 : "memory");
}

// The same box for several blocks of the cluster at once: to their shared memory at the same
// offset, with its bytes arriving at the barrier of each. blocks: bit i for the block of rank i.
__device__ __forceinline__ void start_shared_box(void *to, const tensor_gemm_map *map, int row,
                                                 int column, barrier *b, unsigned blocks) {
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes"
                 ".multicast::cluster [%0], [%1, {%2, %3}], [%4], %5;"
                 :
                 : "r"(shared_address(to)), "l"(map), "r"(column), "r"(row), "r"(shared_address(b)),
                   "h"((unsigned short)blocks)
                 : "memory");
}

// So many bytes of global to shared memory, a multiple of 16, as both addresses are.
__device__ __forceinline__ void start_copy(void *to, const void *from, int bytes, barrier *b) {
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes"
                 " [%0], [%1], %2, [%3];"
                 :
                 : "r"(shared_address(to)), "l"(from), "r"(bytes), "r"(shared_address(b))
                 : "memory");
}

// Every thread: bulk copies see what it has written to shared memory, after the next barrier.
__device__ __forceinline__ void before_bulk_store() {
    asm volatile("fence.proxy.async.shared::cta;" : : : "memory");
}

// The other way: a box from shared memory to the matrix. What lies behind the matrix is left out.
__device__ __forceinline__ void start_store(const tensor_gemm_map *map, int row, int column,
                                            const void *from) {
    asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%1, %2}], [%3];"
                 :
                 : "l"(map), "r"(column), "r"(row), "r"(shared_address(from))
                 : "memory");
}

// Ends a set of stores of this thread, which may be empty.
__device__ __forceinline__ void end_stores() {
    asm volatile("cp.async.bulk.commit_group;" : : : "memory");
}

// Waits until at most `pending` sets of this thread have not left shared memory.
template <int pending> __device__ __forceinline__ void wait_until_read() {
    asm volatile("cp.async.bulk.wait_group.read %0;" : : "n"(pending) : "memory");
}

// ---- clusters ----

__device__ __forceinline__ int rank_in_cluster() {
    int rank;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return rank;
}

// All threads of all blocks of the cluster.
__device__ __forceinline__ void sync_cluster() {
    asm volatile("barrier.cluster.arrive.aligned;\n"
                 "barrier.cluster.wait.aligned;"
                 :
                 :
                 : "memory");
}

// Arrives at the barrier that lies at the same offset in the block of that rank. (With `.cluster`
// as its scope the instruction would first wait for all that the thread has stored anywhere: a
// fence of the whole card in each round.)
__device__ __forceinline__ void arrive_at(barrier *b, int rank) {
    asm volatile("{\n"
                 ".reg .b32 there;\n"
                 "mapa.shared::cluster.u32 there, %0, %1;\n"
                 "mbarrier.arrive.shared::cluster.b64 _, [there];\n"
                 "}"
                 :
                 : "r"(shared_address(b)), "r"(rank)
                 : "memory");
}

// Four floats of the shared memory of the block of that rank, at the same offset.
__device__ __forceinline__ float4 load_from(const float *p, int rank) {
    float4 got;
    asm volatile("{\n"
                 ".reg .b32 there;\n"
                 "mapa.shared::cluster.u32 there, %4, %5;\n"
                 "ld.shared::cluster.v4.f32 {%0, %1, %2, %3}, [there];\n"
                 "}"
                 : "=f"(got.x), "=f"(got.y), "=f"(got.z), "=f"(got.w)
                 : "r"(shared_address(p)), "r"(rank)
                 : "memory");
    return got;
}

// Host: describes A and B of a task in boxes of so many rows.
static inline int describe_factors(const tensor_gemm_task *g, int a_rows, int b_rows,
                                   tensor_gemm_map *out_a, tensor_gemm_map *out_b) {
    const tensor_gemm_boxes a = {g->d_a, g->m, g->k, a_rows, (int)sizeof(uint16_t)};
    const tensor_gemm_boxes b = {g->d_b, g->n, g->k, b_rows, (int)sizeof(uint16_t)};
    int code = g->describe(&a, out_a);
    return code == cudaSuccess ? g->describe(&b, out_b) : code;
}

// A kernel of steps 7 to 9: a, b describe the factors, which have so many rounds of BOX_COLUMNS.
typedef void boxes_kernel(const tensor_gemm_map a, const tensor_gemm_map b, int64_t n, int rounds,
                          float *d);

// Launches the kernel for the type of the task: a block for TILE x columns of D, with `bytes` of
// dynamic shared memory.
static inline int launch_boxes(boxes_kernel *of_half, boxes_kernel *of_bfloat, int columns,
                               int threads, size_t bytes, const tensor_gemm_task *g) {
    int code;
    if (!is_task(g, &code)) return code;
    dim3 blocks((unsigned)((g->n + columns - 1) / columns), (unsigned)(g->m / TILE));
    boxes_kernel *kernel = g->type == TENSOR_GEMM_HALF ? of_half : of_bfloat;
    tensor_gemm_map a = {}, b = {};
    if (g->k > 0) code = describe_factors(g, TILE, columns, &a, &b);
    if (code == cudaSuccess)
        code =
            cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes);
    if (code != cudaSuccess) return code;
    kernel<<<blocks, threads, bytes>>>(a, b, g->n, (int)(g->k / BOX_COLUMNS), g->d_d);
    return cudaGetLastError();
}

// ---- products of warp groups ----

// Which warp group this thread is of. By a shuffle, so that the compiler knows that it is the same
// in the whole warp: what follows from it, such as the names of tiles, is then calculated once for
// all lanes, and not moved from a lane's registers to where a product wants it.
__device__ __forceinline__ int group_of_thread() {
    return __shfl_sync(0xffffffffu, (int)threadIdx.x / (4 * WARP), 0);
}

// A tile whose rows have 128 bytes and are swizzled as boxes are, as products name it: an address
// in units of 16 bytes, 1024 bytes from each 8 rows to the next, the swizzle. 16 elements further
// along k are 32 bytes: add 2.
//
// transposed: rows of the tile's boxes do not lie along k, but along a column of A or a row of B,
// as boxes of such matrices do. Each box has BOX_COLUMNS x BOX_COLUMNS elements and lies behind the
// one before. 16 elements further along k are 16 rows, 2048 bytes: add 128.
__device__ __forceinline__ uint64_t name_tile(const void *tile, bool transposed = false) {
    uint64_t next_box = transposed ? BOX_BYTES >> 4 : 1; // else without a meaning
    return (shared_address(tile) & 0x3ffff) >> 4 | next_box << 16 | (uint64_t)(1024 >> 4) << 32 |
           (uint64_t)1 << 62;
}

// All threads of the group call these. begin: sums that the threads have written are ready for the
// products that follow.
__device__ __forceinline__ void begin_products() {
    asm volatile("wgmma.fence.sync.aligned;" : : : "memory");
}

// The products since the last call are a set of their own.
__device__ __forceinline__ void end_products() {
    asm volatile("wgmma.commit_group.sync.aligned;" : : : "memory");
}

// Waits until at most `pending` sets of products are not done.
template <int pending> __device__ __forceinline__ void wait_products() {
    asm volatile("wgmma.wait_group.sync.aligned %0;" : : "n"(pending) : "memory");
}

// wgmma: sum (64 x columns) += A (64 x 16) B (16 x columns), by the four warps of a group, which
// goes on while the tensor cores work. a, b: tiles as name_tile gives them, of rows of A and of
// columns of B. Warp w of the group has rows 16 w to 16 w + 15, and sum[4 i] to sum[4 i + 3] of its
// lanes are columns 8 i to 8 i + 7 as mma.sync's sums are: store_sums stores them. transposed_a,
// transposed_b: 1 for a tile that was named so.
template <typename element, int columns> struct tile_product;
template <typename element, int columns, int transposed_a = 0, int transposed_b = 0>
__device__ __forceinline__ void multiply_tiles(float (&sum)[columns / 2], uint64_t a, uint64_t b) {
    tile_product<element, columns>::template add<transposed_a, transposed_b>(sum, a, b);
}

// The same, where adds is not 0; else sum becomes that product, whatever it was.
template <typename element, int columns, int transposed_a = 0, int transposed_b = 0>
__device__ __forceinline__ void multiply_tiles_if(float (&sum)[columns / 2], uint64_t a, uint64_t b,
                                                  int adds) {
    tile_product<element, columns>::template add_if<transposed_a, transposed_b>(sum, a, b, adds);
}

#define SUM_4(i)  "+f"(sum[i]), "+f"(sum[(i) + 1]), "+f"(sum[(i) + 2]), "+f"(sum[(i) + 3])
#define SUM_8(i)  SUM_4(i), SUM_4((i) + 4)
#define SUM_16(i) SUM_8(i), SUM_8((i) + 8)
#define SUM_64(i) SUM_16(i), SUM_16((i) + 16), SUM_16((i) + 32), SUM_16((i) + 48)
#define NAMES_8   "%0, %1, %2, %3, %4, %5, %6, %7"
#define NAMES_16  NAMES_8 ", %8, %9, %10, %11, %12, %13, %14, %15"
#define NAMES_24  NAMES_16 ", %16, %17, %18, %19, %20, %21, %22, %23"
#define NAMES_32  NAMES_24 ", %24, %25, %26, %27, %28, %29, %30, %31"
#define NAMES_40  NAMES_32 ", %32, %33, %34, %35, %36, %37, %38, %39"
#define NAMES_48  NAMES_40 ", %40, %41, %42, %43, %44, %45, %46, %47"
#define NAMES_56  NAMES_48 ", %48, %49, %50, %51, %52, %53, %54, %55"
#define NAMES_64  NAMES_56 ", %56, %57, %58, %59, %60, %61, %62, %63"
#define NAMES_72  NAMES_64 ", %64, %65, %66, %67, %68, %69, %70, %71"
#define NAMES_80  NAMES_72 ", %72, %73, %74, %75, %76, %77, %78, %79"
#define NAMES_84  NAMES_80 ", %80, %81, %82, %83"
#define NAMES_88  NAMES_80 ", %80, %81, %82, %83, %84, %85, %86, %87"
#define NAMES_96  NAMES_88 ", %88, %89, %90, %91, %92, %93, %94, %95"
#define NAMES_104 NAMES_96 ", %96, %97, %98, %99, %100, %101, %102, %103"
#define NAMES_112 NAMES_104 ", %104, %105, %106, %107, %108, %109, %110, %111"
#define NAMES_120 NAMES_112 ", %112, %113, %114, %115, %116, %117, %118, %119"
#define NAMES_128 NAMES_120 ", %120, %121, %122, %123, %124, %125, %126, %127"
// a, b, of_a, of_b, adds: numbers of operands
#define PRODUCT(element, type, columns, sums, names, a, b, of_a, of_b, adds)                       \
    template <> struct tile_product<element, columns> {                                            \
        template <int transposed_a, int transposed_b>                                              \
        static __device__ __forceinline__ void add(float (&sum)[(columns) / 2], uint64_t of_rows,  \
                                                   uint64_t of_columns) {                          \
            asm volatile("wgmma.mma_async.sync.aligned.m64n" #columns "k16.f32." type "." type     \
                         " {" names "}, %" #a ", %" #b ", 1, 1, 1, %" #of_a ", %" #of_b ";"        \
                         : sums                                                                    \
                         : "l"(of_rows), "l"(of_columns), "n"(transposed_a), "n"(transposed_b));   \
        }                                                                                          \
        template <int transposed_a, int transposed_b>                                              \
        static __device__ __forceinline__ void add_if(float (&sum)[(columns) / 2],                 \
                                                      uint64_t of_rows, uint64_t of_columns,       \
                                                      int condition) {                             \
            asm volatile("{\n"                                                                     \
                         ".reg .pred p;\n"                                                         \
                         "setp.ne.s32 p, %" #adds ", 0;\n"                                         \
                         "wgmma.mma_async.sync.aligned.m64n" #columns "k16.f32." type "." type     \
                         " {" names "}, %" #a ", %" #b ", p, 1, 1, %" #of_a ", %" #of_b ";\n"      \
                         "}"                                                                       \
                         : sums                                                                    \
                         : "l"(of_rows), "l"(of_columns), "n"(transposed_a), "n"(transposed_b),    \
                           "r"(condition));                                                        \
        }                                                                                          \
    };
#define SUMS_32  SUM_16(0)
#define SUMS_64  SUM_16(0), SUM_16(16)
#define SUMS_96  SUMS_64, SUM_16(32)
#define SUMS_112 SUMS_96, SUM_8(48)
#define SUMS_128 SUM_64(0)
#define SUMS_144 SUMS_128, SUM_8(64)
#define SUMS_160 SUMS_128, SUM_16(64)
#define SUMS_168 SUMS_160, SUM_4(80)
#define SUMS_176 SUMS_160, SUM_8(80)
#define SUMS_192 SUMS_160, SUM_16(80)
#define SUMS_224 SUMS_192, SUM_16(96)
#define SUMS_256 SUM_64(0), SUM_64(64)
#define PRODUCTS(columns, names, ...)                                                              \
    PRODUCT(__half, "f16", columns, SUMS_##columns, names, __VA_ARGS__)                            \
    PRODUCT(__nv_bfloat16, "bf16", columns, SUMS_##columns, names, __VA_ARGS__)
PRODUCTS(32, NAMES_16, 16, 17, 18, 19, 20)
PRODUCTS(64, NAMES_32, 32, 33, 34, 35, 36)
PRODUCTS(96, NAMES_48, 48, 49, 50, 51, 52)
PRODUCTS(112, NAMES_56, 56, 57, 58, 59, 60)
PRODUCTS(128, NAMES_64, 64, 65, 66, 67, 68)
PRODUCTS(144, NAMES_72, 72, 73, 74, 75, 76)
PRODUCTS(160, NAMES_80, 80, 81, 82, 83, 84)
PRODUCTS(168, NAMES_84, 84, 85, 86, 87, 88)
PRODUCTS(176, NAMES_88, 88, 89, 90, 91, 92)
PRODUCTS(192, NAMES_96, 96, 97, 98, 99, 100)
PRODUCTS(224, NAMES_112, 112, 113, 114, 115, 116)
PRODUCTS(256, NAMES_128, 128, 129, 130, 131, 132)

// wgmma of 8-bit floats (e4m3): sum (64 x 128) += A (64 x 32) B (32 x 128), where adds is not 0;
// else sum becomes that product. Its bits behind the 14th are lost. 32 elements further along k are
// 32 bytes here, too: add 2 to the names.
__device__ __forceinline__ void multiply_bytes(float (&sum)[64], uint64_t a, uint64_t b, int adds) {
    asm volatile("{\n"
                 ".reg .pred p;\n"
                 "setp.ne.s32 p, %66, 0;\n"
                 "wgmma.mma_async.sync.aligned.m64n128k32.f32.e4m3.e4m3"
                 " {" NAMES_64 "}, %64, %65, p, 1, 1;\n"
                 "}"
                 : SUMS_128
                 : "l"(a), "l"(b), "r"(adds));
}

// Behind a wait for products: the compiler reads these sums not before. (To store them needs no
// such word: what writes memory stays behind the wait.)
template <int count> __device__ __forceinline__ void after_products(float (&sum)[count]) {
#pragma unroll
    for (int e = 0; e < count; e++) asm volatile("" : "+f"(sum[e]) : : "memory");
}
