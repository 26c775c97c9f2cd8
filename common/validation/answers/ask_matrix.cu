// Questions about products of warp groups and bulk copies at their corners (sm_90a).
#include "ask.h"
#include <cmath>
#include <cuda.h>

static __device__ u32 shared_of(const void *p) { return (u32)__cvta_generic_to_shared(p); }

// ---- wgmma: element (0, 0) of a product of 64 x 8, by row 0 of A and column 0 of B -------------

struct Row {
    u32 word[8]; // 32 bytes along k
};

// Row 0 of A lies in registers 0 and 2 of threads 0 to 3, column 0 of B in the first rows of two
// core matrices of 8 x 16 bytes.
static __device__ u64 lay_out(const Row &a, const Row &b, u32 *registers) {
    __shared__ __align__(128) u32 tile[64];
    __syncthreads();
    for (int i = threadIdx.x; i < 64; i += 128)
        tile[i] = i % 32 < 4 ? b.word[i / 32 * 4 + i % 32] : 0;
    for (int i = 0; i < 4; i++)
        registers[i] = threadIdx.x < 4 && i % 2 == 0 ? a.word[i / 2 * 4 + threadIdx.x] : 0;
    asm volatile("fence.proxy.async;" ::: "memory");
    __syncthreads();
    u64 address = shared_of(tile);
    return address >> 4 | 8ull << 16 | 8ull << 32;
}
#define PRODUCT(name, shape, scales)                                                               \
    static __device__ u64 name(Row a, Row b, u32 d = 0, int scale_d = 1) {                         \
        u32 r[4], s = 0, t = 0, u = 0;                                                             \
        u64 place = lay_out(a, b, r);                                                              \
        asm volatile("{.reg .pred p; setp.ne.b32 p, %9, 0; wgmma.fence.sync.aligned;"              \
                     "wgmma.mma_async.sync.aligned." shape                                         \
                     " {%0, %1, %2, %3}, {%4, %5, %6, %7}, %8, p" scales ";"                       \
                     "wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;}"          \
                     : "+r"(d), "+r"(s), "+r"(t), "+r"(u)                                          \
                     : "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]), "l"(place), "r"(scale_d)        \
                     : "memory");                                                                  \
        return d;                                                                                  \
    }
#define PRODUCT_F(name, shape, scales)                                                             \
    static __device__ u64 name(Row a, Row b, u32 bits = 0, int scale_d = 1) {                      \
        u32 r[4];                                                                                  \
        float d = __uint_as_float(bits), s = 0, t = 0, u = 0;                                      \
        u64 place = lay_out(a, b, r);                                                              \
        asm volatile("{.reg .pred p; setp.ne.b32 p, %9, 0; wgmma.fence.sync.aligned;"              \
                     "wgmma.mma_async.sync.aligned." shape                                         \
                     " {%0, %1, %2, %3}, {%4, %5, %6, %7}, %8, p" scales ";"                       \
                     "wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;}"          \
                     : "+f"(d), "+f"(s), "+f"(t), "+f"(u)                                          \
                     : "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]), "l"(place), "r"(scale_d)        \
                     : "memory");                                                                  \
        return __float_as_uint(d);                                                                 \
    }
PRODUCT_F(f16, "m64n8k16.f32.f16.f16", ", 1, 1, 0")
PRODUCT_F(f16_minus, "m64n8k16.f32.f16.f16", ", -1, 1, 0")
PRODUCT_F(f16_both, "m64n8k16.f32.f16.f16", ", -1, -1, 0")
PRODUCT_F(f16_b_minus, "m64n8k16.f32.f16.f16", ", 1, -1, 0")
PRODUCT_F(bf16, "m64n8k16.f32.bf16.bf16", ", 1, 1, 0")
PRODUCT_F(tf32, "m64n8k8.f32.tf32.tf32", ", 1, 1")
PRODUCT_F(e4m3, "m64n8k32.f32.e4m3.e4m3", ", 1, 1")
PRODUCT_F(e5m2, "m64n8k32.f32.e5m2.e5m2", ", 1, 1")
PRODUCT(s8, "m64n8k32.s32.s8.s8", "")
PRODUCT(s8_saturated, "m64n8k32.s32.s8.s8.satfinite", "")
static __device__ u64 f16_to_f16(Row a, Row b, u32 d = 0) {
    u32 r[4], s = 0;
    u64 place = lay_out(a, b, r);
    asm volatile(
        "wgmma.fence.sync.aligned;"
        "wgmma.mma_async.sync.aligned.m64n8k16.f16.f16.f16 {%0, %1}, {%2, %3, %4, %5}, %6, 1, "
        "1, 1, 0; wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;"
        : "+r"(d), "+r"(s)
        : "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]), "l"(place)
        : "memory");
    return d & 0xFFFF;
}
// All results, written by thread 0.
#define PRODUCTS(number, words, ...)                                                               \
    DEVICE(number, " %llx", words, 1, 128, 0) {                                                    \
        u64 all[] = {__VA_ARGS__};                                                                 \
        if (threadIdx.x == 0)                                                                      \
            for (int i = 0; i < words; i++) o[i] = all[i];                                         \
    }
#define ONE 0x3C00u
PRODUCTS(1251, 3, f16({0x7C00}, {0}), f16({0x7C00u | ONE << 16}, {ONE | 0xFC00u << 16}),
         f16({0x7E00}, {0}))
PRODUCTS(1252, 3, f16_to_f16({0x7BFF7BFF}, {ONE | ONE << 16}),
         f16_to_f16({0x7BFFu | ONE << 16}, {ONE | 0x4800u << 16}), f16_to_f16({0x7E00}, {ONE}))
#define EACH(v)                                                                                    \
    { v, v, v, v, v, v, v, v }
PRODUCTS(1253, 2, f16(EACH(0x80008000), EACH(ONE | ONE << 16), 0, 0),
         f16(EACH(0x80008000), EACH(ONE | ONE << 16), 0x80000000))
PRODUCTS(1254, 2, f16({1}, {1}), bf16({1}, {0x3F80}))
PRODUCTS(1255, 3, tf32({0x3F800001}, {0x3F800000}), tf32({0x3F802000}, {0x3F800000}),
         tf32({0x00000200}, {0x3F800000}))
PRODUCTS(1256, 3, e4m3({0x7F}, {0x38}), e5m2({0x7C}, {0x3C}), e5m2({0x7C}, {0}))
#define F1 0x3F800000
// e4m3: 0x08 is 2^-6, 0x10 2^-5, 0x04 2^-7
PRODUCTS(1257, 3, e4m3({0x08}, {0x08}, F1), e4m3({0x08}, {0x04}, F1), e4m3({0x04}, {0x04}, F1))
// f16: 2^-12 is 0x0C00, 2^-11 0x1000
PRODUCTS(1258, 3, f16({0x0C00}, {0x1000}, F1), f16({0x0C00}, {0x0C00}, F1),
         f16({0x0E00}, {0x0C00}, F1))
PRODUCTS(1259, 3, s8({1}, {1}, 0x7FFFFFFF), s8_saturated({1}, {1}, 0x7FFFFFFF),
         s8_saturated({0xFF}, {1}, 0x80000000))
PRODUCTS(1260, 3, f16({0}, {0}, 0x7FC00000, 0), f16_minus({0x7E00}, {ONE}),
         f16_minus({0x4000}, {ONE}))
#define ONES (ONE | ONE << 16)
PRODUCTS(1261, 1,
         f16({0x6C00u | ONE << 16, ONES, ONES, ONES, ONES, ONES, ONES, ONES},
             {0x6C00u | ONE << 16, ONES, ONES, ONES, ONES, ONES, ONES, ONES}))
PRODUCTS(1262, 2, f16_both({0x4000}, {0x4200}), f16_b_minus({0x4000}, {0x8000}))

// ---- bulk copies -------------------------------------------------------------------------------

static __device__ void init(u64 *b, u32 count) {
    asm volatile("mbarrier.init.shared.b64 [%0], %1; fence.mbarrier_init.release.cluster;"
                 "fence.proxy.async;" ::"r"(shared_of(b)),
                 "r"(count)
                 : "memory");
}
static __device__ void expect(u64 *b, u32 bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(shared_of(b)), "r"(bytes)
                 : "memory");
}
static __device__ u64 done(u64 *b) { // within a while
    u32 yes = 0;
    for (int i = 0; i < 1000 && !yes; i++)
        asm volatile("{.reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], 0, 1000;"
                     "selp.u32 %0, 1, 0, p;}"
                     : "=r"(yes)
                     : "r"(shared_of(b))
                     : "memory");
    return yes;
}
static __device__ void bulk_load(void *to, const void *from, u32 bytes, u64 *b) {
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::
            "r"(shared_of(to)),
        "l"(from), "r"(bytes), "r"(shared_of(b))
        : "memory");
}
static __device__ void finish_stores() {
    asm volatile("cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;" ::: "memory");
}
static __device__ __align__(1024) u32 memory[4096];

DEVICE_ALONE(1271, " %llu", 1, 1, 1, 0) {
    __shared__ __align__(16) u32 tile[64];
    __shared__ u64 b;
    init(&b, 1);
    expect(&b, 0);
    bulk_load(tile, memory, (u32)o[1], &b);
    o[0] = done(&b);
}
DEVICE_ALONE(1272, " %llu", 1, 1, 1, 0) {
    __shared__ __align__(16) u32 tile[64];
    __shared__ u64 b;
    init(&b, 1);
    expect(&b, 24);
    bulk_load(tile, memory, 24 + (u32)o[1], &b);
    o[0] = done(&b);
}
DEVICE_ALONE(1273, " %llu", 1, 1, 1, 0) {
    __shared__ __align__(16) u32 tile[64];
    __shared__ u64 b;
    init(&b, 1);
    expect(&b, 16);
    bulk_load(tile, memory + 2, 16, &b);
    o[0] = done(&b);
}

typedef CUresult (*Encode)(CUtensorMap *, CUtensorMapDataType, cuuint32_t, void *,
                           const cuuint64_t *, const cuuint64_t *, const cuuint32_t *,
                           const cuuint32_t *, CUtensorMapInterleave, CUtensorMapSwizzle,
                           CUtensorMapL2promotion, CUtensorMapFloatOOBfill);
struct Shape {
    CUtensorMapDataType type = CU_TENSOR_MAP_DATA_TYPE_UINT32;
    cuuint32_t rank = 1;
    cuuint64_t dims[6] = {32, 8, 4, 4, 4, 4}, strides[5] = {128, 1024, 4096, 16384, 65536};
    cuuint32_t box[6] = {32, 1, 1, 1, 1, 1}, steps[6] = {1, 1, 1, 1, 1, 1};
    int interleave = 0, swizzle = 0, promotion = 0, fill = 0;
    size_t offset = 0;
};
static void *entry(const char *name) {
    void *found = nullptr;
    cudaDriverEntryPointQueryResult status;
    cudaGetDriverEntryPointByVersion(name, &found, 12000, cudaEnableDefault, &status);
    return found;
}
static int encode(CUtensorMap *map, const Shape &s) {
    void *at = nullptr;
    cudaGetSymbolAddress(&at, memory);
    return ((Encode)entry("cuTensorMapEncodeTiled"))(
        map, s.type, s.rank, (char *)at + s.offset, s.dims, s.strides, s.box, s.steps,
        (CUtensorMapInterleave)s.interleave, (CUtensorMapSwizzle)s.swizzle,
        (CUtensorMapL2promotion)s.promotion, (CUtensorMapFloatOOBfill)s.fill);
}
// Loads a box at (x, y) and writes its words; `words` of them are expected.
static __global__ void load_box(const __grid_constant__ CUtensorMap map, u32 rank, int x, int y,
                                u32 bytes, u64 *o) {
    __shared__ __align__(1024) u32 tile[1024];
    __shared__ u64 b;
    for (int i = 0; i < 1024; i++) tile[i] = 0xEEEE;
    init(&b, 1);
    expect(&b, bytes);
    if (rank == 1)
        asm volatile(
            "cp.async.bulk.tensor.1d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
            "[%0], [%1, {%2}], [%3];" ::"r"(shared_of(tile)),
            "l"(&map), "r"(x), "r"(shared_of(&b))
            : "memory");
    else
        asm volatile(
            "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
            "[%0], [%1, {%2, %3}], [%4];" ::"r"(shared_of(tile)),
            "l"(&map), "r"(x), "r"(y), "r"(shared_of(&b))
            : "memory");
    o[1024] = done(&b);
    for (int i = 0; i < 1024; i++) o[i] = tile[i];
}
static void fill_memory() {
    static u32 values[4096];
    for (u32 i = 0; i < 4096; i++) values[i] = i;
    cudaMemcpyToSymbol(memory, values, sizeof values);
}
static u64 loaded[1025];
static int load(const Shape &s, u32 bytes, int x = 0, int y = 0) {
    CUtensorMap map;
    u64 *d_out;
    int error = encode(&map, s);
    if (error) return error;
    cudaMalloc(&d_out, sizeof loaded);
    load_box<<<1, 1>>>(map, s.rank, x, y, bytes, d_out);
    error = cudaMemcpy(loaded, d_out, sizeof loaded, cudaMemcpyDeviceToHost);
    cudaFree(d_out);
    return error;
}
ALONE(1274) {
    fill_memory();
    for (int x : {-300, 2147483647}) {
        u64 sum = 0;
        load(Shape(), 128, x);
        for (int i = 0; i < 32; i++) sum += loaded[i];
        say(" %llu", sum);
    }
    say(" %llu", loaded[1024]);
}
static __global__ void store_box(const __grid_constant__ CUtensorMap map, int x) {
    __shared__ __align__(128) u32 tile[32];
    for (int i = 0; i < 32; i++) tile[i] = 99999;
    asm volatile("fence.proxy.async;" ::: "memory");
    asm volatile(
        "cp.async.bulk.tensor.1d.global.shared::cta.tile.bulk_group [%0, {%1}], [%2];" ::"l"(&map),
        "r"(x), "r"(shared_of(tile))
        : "memory");
    finish_stores();
}
ALONE(1275) {
    static u32 values[4096];
    CUtensorMap map;
    int changed = 0;
    fill_memory();
    encode(&map, Shape());
    store_box<<<1, 1>>>(map, 500);
    store_box<<<1, 1>>>(map, -32);
    cudaMemcpyFromSymbol(values, memory, sizeof values);
    for (u32 i = 0; i < 4096; i++) changed += values[i] != i;
    say(" %d", changed);
}
static Shape flat(cuuint32_t box, int swizzle) {
    Shape s;
    s.rank = 2, s.box[0] = box, s.box[1] = 8, s.swizzle = swizzle;
    s.dims[0] = 1024, s.strides[0] = 128;
    return s;
}
static void say_code(const Shape &s) {
    CUtensorMap map;
    say(" %d", encode(&map, s));
}
ALONE(1276) {
    Shape a = flat(8, 1), b = flat(16, 1), c = flat(8, 0), d = flat(8, 0);
    a.interleave = 1, c.strides[0] = 136, d.offset = 8;
    for (Shape *s : {&a, &b, &c, &d}) say_code(*s);
}
ALONE(1277) {
    for (cuuint64_t dim : {1ull << 32, (1ull << 32) + 1, 0ull}) {
        Shape s;
        s.dims[0] = dim;
        say_code(s);
    }
    for (cuuint64_t stride : {1ull << 40, (1ull << 40) - 16}) {
        Shape s = flat(8, 0);
        s.strides[0] = stride;
        say_code(s);
    }
    Shape rank, box, step;
    rank.rank = 6, box.box[0] = 0, step.steps[0] = 0;
    for (Shape *s : {&rank, &box, &step}) say_code(*s);
}
ALONE(1278) {
    Shape s;
    s.box[0] = 8, s.steps[0] = 2;
    fill_memory();
    int error = load(s, 16);
    if (error) say(" e%d", error);
    for (int i = 0; i < 5; i++) say(" %llx", loaded[i]);
    say(" %llu", loaded[1024]);
}
// Where in its row the chunk of 16 bytes lies that begins with the word of `row`, `chunk`.
static void say_chunk(u32 words, int swizzle, u32 row, u32 chunk) {
    Shape s;
    s.rank = 2, s.dims[0] = words, s.dims[1] = 16, s.strides[0] = words * 4;
    s.box[0] = words, s.box[1] = 16, s.swizzle = swizzle;
    fill_memory();
    int error = load(s, words * 64);
    if (error) say(" e%d", error);
    u32 wanted = row * words + chunk * 4;
    for (u32 i = 0; i < 1024 && !error; i += 4)
        if (loaded[i] == wanted) say(" %u", i / 4 % (words / 4));
}
ALONE(1279) {
    say_chunk(32, 3, 1, 0);
    say_chunk(32, 3, 3, 5);
    say_chunk(32, 3, 9, 7);
}
ALONE(1280) {
    say_chunk(16, 2, 2, 0);
    say_chunk(16, 2, 3, 3);
    say_chunk(8, 1, 4, 0);
}
#define REDUCE(text, at, value)                                                                    \
    do {                                                                                           \
        for (int k = 0; k < 4; k++) tile[k] = (value);                                             \
        asm volatile("fence.proxy.async;" ::: "memory");                                           \
        asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group." text                    \
                     " [%0], [%1], 16;" ::"l"(memory + (at)),                                      \
                     "r"(shared_of(tile))                                                          \
                     : "memory");                                                                  \
        finish_stores();                                                                           \
    } while (0)
DEVICE_ALONE(1281, " %llu", 7, 1, 1, 0) {
    __shared__ __align__(16) u32 tile[4];
    u32 before[] = {5, 0, 12, 12, 12, 12, 12};
    for (int i = 0; i < 28; i++) memory[i] = before[i / 4];
    REDUCE("inc.u32", 0, 5);
    REDUCE("dec.u32", 4, 7);
    REDUCE("min.u32", 8, 10);
    REDUCE("max.u32", 12, 10);
    REDUCE("and.b32", 16, 10);
    REDUCE("or.b32", 20, 10);
    REDUCE("xor.b32", 24, 10);
    for (int i = 0; i < 7; i++) o[i] = ((volatile u32 *)memory)[4 * i];
}
DEVICE_ALONE(1282, " %llx", 4, 1, 1, 0) {
    __shared__ __align__(16) u32 tile[4];
    u32 before[] = {1, 0x4380, 0x8000, 71362};
    for (int i = 0; i < 16; i++) memory[i] = before[i / 4];
    REDUCE("add.noftz.f16", 0, 1);
    REDUCE("add.noftz.bf16", 4, 0x3F80);
    REDUCE("max.f16", 8, 0);
    REDUCE("add.f32", 12, 71362);
    for (int i = 0; i < 4; i++) o[i] = ((volatile u32 *)memory)[4 * i];
}
DEVICE_ALONE(1283, " %llx", 4, 1, 1, 0) {
    __shared__ __align__(16) u32 tile[4];
    u32 before[] = {0xFFFFFFFF, 0xFFFFFFFF, 0x80000000};
    for (int i = 0; i < 12; i++) memory[i] = before[i / 4];
    REDUCE("add.u32", 0, 2);
    REDUCE("add.u64", 4, k == 0);
    REDUCE("min.s32", 8, 5);
    o[0] = ((volatile u32 *)memory)[0];
    o[1] = ((volatile u32 *)memory)[4], o[2] = ((volatile u32 *)memory)[5];
    o[3] = ((volatile u32 *)memory)[8];
}
static __device__ void cluster_sync() {
    asm volatile("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;" ::: "memory");
}
static __global__ void __cluster_dims__(2) cast_to(u64 *o) {
    __shared__ __align__(16) u32 tile[4];
    __shared__ u64 b;
    u32 rank = blockIdx.x % 2, mask = blockIdx.x < 2 ? 3 : 2;
    tile[0] = 0, memory[0] = memory[1] = memory[2] = memory[3] = 5;
    init(&b, 1);
    if (mask >> rank & 1) expect(&b, 16);
    __threadfence();
    asm volatile("fence.proxy.async;" ::: "memory");
    cluster_sync();
    if (rank == 0)
        asm volatile(
            "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster "
            "[%0], [%1], 16, [%2], %3;" ::"r"(shared_of(tile)),
            "l"(memory), "r"(shared_of(&b)), "h"((short)mask)
            : "memory");
    if (mask >> rank & 1) done(&b);
    o[blockIdx.x] = *(volatile u32 *)tile;
    cluster_sync();
}
ALONE(1284) { launch(cast_to, " %llu", 4, 4, 1, 0); }
static __global__ void __cluster_dims__(2) to_other(u64 *o) {
    __shared__ __align__(16) u32 tile[4], from[4];
    __shared__ u64 b;
    u32 rank = blockIdx.x, to, barrier;
    tile[0] = 0, from[0] = 9;
    init(&b, 1);
    if (rank == 1) expect(&b, 16);
    cluster_sync();
    asm volatile("mapa.shared::cluster.u32 %0, %1, 1;" : "=r"(to) : "r"(shared_of(tile)));
    asm volatile("mapa.shared::cluster.u32 %0, %1, 1;" : "=r"(barrier) : "r"(shared_of(&b)));
    if (rank == 0)
        asm volatile(
            "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], [%1], "
            "16, [%2];" ::"r"(to),
            "r"(shared_of(from)), "r"(barrier)
            : "memory");
    if (rank == 1) o[1] = done(&b), o[0] = *(volatile u32 *)tile;
    cluster_sync();
}
ALONE(1285) { launch(to_other, " %llu", 2, 2, 1, 0); }
ALONE(1286) {
    Shape a, b, c, d, e;
    a.box[0] = 8, a.steps[0] = 8, b.box[0] = 9, b.steps[0] = 9;
    c.promotion = 4, d.fill = 2, e.swizzle = 9;
    for (Shape *s : {&a, &b, &c, &d, &e}) say_code(*s);
}
ALONE(1287) {
    CUtensorMap map;
    void *at = nullptr;
    typedef CUresult (*Replace)(CUtensorMap *, void *);
    cudaGetSymbolAddress(&at, memory);
    encode(&map, Shape());
    Replace replace = (Replace)entry("cuTensorMapReplaceAddress");
    say(" %d", replace(&map, (char *)at + 8));
    say(" %d", replace(&map, (char *)at + 16));
}
DEVICE(1288, " %llu", 1, 1, 1, 0) {
    asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
    asm volatile("cp.async.bulk.commit_group; cp.async.bulk.commit_group;" ::: "memory");
    asm volatile("cp.async.bulk.wait_group 1;" ::: "memory");
    o[0] = 1;
}
ALONE(1289) {
    for (CUtensorMapDataType type :
         {CU_TENSOR_MAP_DATA_TYPE_FLOAT16, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16,
          CU_TENSOR_MAP_DATA_TYPE_TFLOAT32, CU_TENSOR_MAP_DATA_TYPE_FLOAT64}) {
        Shape s;
        bool half =
            type == CU_TENSOR_MAP_DATA_TYPE_FLOAT16 || type == CU_TENSOR_MAP_DATA_TYPE_BFLOAT16;
        bool wide = type == CU_TENSOR_MAP_DATA_TYPE_FLOAT64;
        s.type = type, s.fill = 1;
        int error = load(s, half ? 64 : wide ? 256 : 128, -100);
        if (error) say(" e%d", error);
        if (!error) say(" %llx", half ? loaded[0] & 0xFFFF : loaded[wide]);
    }
}
ALONE(1290) {
    static u32 values[2] = {0x3F800001, 71362};
    struct {
        CUtensorMapDataType type;
        int index;
    } cases[] = {{CU_TENSOR_MAP_DATA_TYPE_TFLOAT32, 0},
                 {CU_TENSOR_MAP_DATA_TYPE_FLOAT32_FTZ, 1},
                 {CU_TENSOR_MAP_DATA_TYPE_TFLOAT32_FTZ, 1}};
    cudaMemcpyToSymbol(memory, values, sizeof values);
    for (auto &c : cases) {
        Shape s;
        s.type = c.type;
        int error = load(s, 128);
        if (error) say(" e%d", error);
        if (!error) say(" %llx", loaded[c.index]);
    }
}
