// What a case of tensor_program.cu is made of: the line that it prints, the tensor, the kernels
// that move its box, and the memory of both sides.
#pragma once

#include <cuda.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include "../../check.h"

enum { THREADS = 128, AXES = 5, SHARED_BYTES = 49152, TENSOR_BYTES = 1 << 20 };

__attribute__((format(printf, 1, 2))) static void say(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vprintf(format, arguments);
    va_end(arguments);
    printf("\n");
}

static uint32_t hash_of(const uint8_t *bytes, size_t count) {
    uint32_t hash = 2166136261u;
    for (size_t i = 0; i < count; i++) hash = (hash ^ bytes[i]) * 16777619u;
    return hash;
}

static uint32_t random_state = 1;
static uint32_t random_bits(void) {
    random_state = random_state * 1664525u + 1013904223u;
    return random_state >> 8;
}

// ---- Tensors ------------------------------------------------------------------------------------

static const struct {
    const char *name;
    uint32_t bytes;
} types[] = {{"u8", 1},     {"u16", 2},  {"u32", 4},    {"s32", 4}, {"u64", 8},
             {"s64", 8},    {"f16", 2},  {"f32", 4},    {"f64", 8}, {"bf16", 2},
             {"f32ftz", 4}, {"tf32", 4}, {"tf32ftz", 4}};
enum { TYPES = sizeof types / sizeof types[0] };

struct tensor {
    int type;
    uint32_t rank;
    cuuint64_t dims[AXES], strides[AXES];
    cuuint32_t box[AXES], steps[AXES];
    int swizzle, fill, interleave, promotion;
    int at[AXES];
};

static decltype(cuTensorMapEncodeTiled) *encode;
static decltype(cuTensorMapReplaceAddress) *replace;

static CUresult describe(CUtensorMap *map, const tensor *t, void *address) {
    return encode(map, (CUtensorMapDataType)t->type, t->rank, address, t->dims, t->strides, t->box,
                  t->steps, (CUtensorMapInterleave)t->interleave, (CUtensorMapSwizzle)t->swizzle,
                  (CUtensorMapL2promotion)t->promotion, (CUtensorMapFloatOOBfill)t->fill);
}

// `extra` bytes, a multiple of 16, follow each row.
static tensor make(int type, uint32_t rank, const uint32_t *dims, const uint32_t *box,
                   uint32_t extra) {
    tensor t = {};
    t.type = type;
    t.rank = rank;
    uint64_t stride = (dims[0] * types[type].bytes + 15) / 16 * 16 + extra;
    for (uint32_t i = 0; i < rank; i++) {
        t.dims[i] = dims[i];
        t.box[i] = box[i];
        t.steps[i] = 1;
        t.strides[i] = stride;
        if (i + 1 < rank) stride *= dims[i + 1];
    }
    return t;
}

// ---- Kernels ------------------------------------------------------------------------------------

struct coordinates {
    int at[AXES];
};
enum operation { STORE, ADD, MIN, MAX, INC, DEC, AND, OR, XOR };
static const char *const operations[] = {"store", "add", "min", "max", "inc",
                                         "dec",   "and", "or",  "xor"};

__device__ static uint32_t shared_of(const void *pointer) {
    return (uint32_t)__cvta_generic_to_shared(pointer);
}
__device__ static void init(uint64_t *barrier, uint32_t count) {
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(shared_of(barrier)), "r"(count)
                 : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    asm volatile("fence.proxy.async;" ::: "memory");
}
__device__ static void expect(uint64_t *barrier, uint32_t bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(shared_of(barrier)),
                 "r"(bytes)
                 : "memory");
}
__device__ static void wait(uint64_t *barrier, uint32_t parity) {
    asm volatile("{.reg .pred p;\nAGAIN: mbarrier.try_wait.parity.shared.b64 p, [%0], %1;\n"
                 "@!p bra AGAIN;\n}" ::"r"(shared_of(barrier)),
                 "r"(parity)
                 : "memory");
}

#define LOAD(rank, list)                                                                           \
    asm volatile("cp.async.bulk.tensor." #rank                                                     \
                 "d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {" list    \
                 "}], [%2];" ::"r"(to),                                                            \
                 "l"(map), "r"(barrier), "r"(c.at[0]), "r"(c.at[1]), "r"(c.at[2]), "r"(c.at[3]),   \
                 "r"(c.at[4])                                                                      \
                 : "memory")
template <int RANK>
__device__ static void load(uint32_t to, const void *map, coordinates c, uint32_t barrier) {
    if (RANK == 1) LOAD(1, "%3");
    if (RANK == 2) LOAD(2, "%3, %4");
    if (RANK == 3) LOAD(3, "%3, %4, %5");
    if (RANK == 4) LOAD(4, "%3, %4, %5, %6");
    if (RANK == 5) LOAD(5, "%3, %4, %5, %6, %7");
}

#define SEND(opcode, rank, suffix, list)                                                           \
    asm volatile(opcode ".async.bulk.tensor." #rank "d.global.shared::cta" suffix                  \
                        ".tile.bulk_group [%0, {" list "}], [%1];" ::"l"(map),                     \
                 "r"(from), "r"(c.at[0]), "r"(c.at[1]), "r"(c.at[2]), "r"(c.at[3]), "r"(c.at[4])   \
                 : "memory")
#define SEND_ANY(opcode, suffix)                                                                   \
    do {                                                                                           \
        if (RANK == 1) SEND(opcode, 1, suffix, "%2");                                              \
        if (RANK == 2) SEND(opcode, 2, suffix, "%2, %3");                                          \
        if (RANK == 3) SEND(opcode, 3, suffix, "%2, %3, %4");                                      \
        if (RANK == 4) SEND(opcode, 4, suffix, "%2, %3, %4, %5");                                  \
        if (RANK == 5) SEND(opcode, 5, suffix, "%2, %3, %4, %5, %6");                              \
    } while (0)
template <int RANK>
__device__ static void send(const void *map, uint32_t from, coordinates c, int operation) {
    switch (operation) {
    case STORE: SEND_ANY("cp", ""); break;
    case ADD: SEND_ANY("cp.reduce", ".add"); break;
    case MIN: SEND_ANY("cp.reduce", ".min"); break;
    case MAX: SEND_ANY("cp.reduce", ".max"); break;
    case INC: SEND_ANY("cp.reduce", ".inc"); break;
    case DEC: SEND_ANY("cp.reduce", ".dec"); break;
    case AND: SEND_ANY("cp.reduce", ".and"); break;
    case OR: SEND_ANY("cp.reduce", ".or"); break;
    case XOR: SEND_ANY("cp.reduce", ".xor"); break;
    }
}

// The box's bytes as they lie in shared memory, and what else of `bytes` was there.
template <int RANK>
__device__ static void load_box(uint8_t *out, const void *map, coordinates c, uint32_t box_bytes,
                                uint32_t bytes, uint32_t offset) {
    extern __shared__ __align__(1024) uint8_t tile[];
    __shared__ uint64_t barrier;
    for (uint32_t i = threadIdx.x; i < bytes; i += THREADS) tile[i] = 0xAB;
    asm volatile("fence.proxy.async;" ::: "memory");
    if (threadIdx.x == 0) init(&barrier, 1);
    __syncthreads();
    if (threadIdx.x == 0) {
        expect(&barrier, box_bytes);
        load<RANK>(shared_of(tile + offset), map, c, shared_of(&barrier));
    }
    wait(&barrier, 0);
    for (uint32_t i = threadIdx.x; i < bytes; i += THREADS) out[i] = tile[i];
}
template <int RANK>
__global__ void load_kernel(uint8_t *out, const __grid_constant__ CUtensorMap map, coordinates c,
                            uint32_t box_bytes, uint32_t bytes, uint32_t offset) {
    load_box<RANK>(out, &map, c, box_bytes, bytes, offset);
}
__constant__ CUtensorMap constant_map;
__global__ void load_by_constant(uint8_t *out, coordinates c, uint32_t box_bytes, uint32_t bytes) {
    load_box<2>(out, &constant_map, c, box_bytes, bytes, 0);
}
__global__ void load_by_pointer(uint8_t *out, const CUtensorMap *map, coordinates c,
                                uint32_t box_bytes, uint32_t bytes) {
    load_box<2>(out, map, c, box_bytes, bytes, 0);
}

template <int RANK>
__global__ void send_kernel(const uint8_t *in, const __grid_constant__ CUtensorMap map,
                            coordinates c, uint32_t bytes, int operation) {
    extern __shared__ __align__(1024) uint8_t tile[];
    for (uint32_t i = threadIdx.x; i < bytes; i += THREADS) tile[i] = in[i];
    asm volatile("fence.proxy.async;" ::: "memory");
    __syncthreads();
    if (threadIdx.x != 0) return;
    send<RANK>(&map, shared_of(tile), c, operation);
    asm volatile("cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;" ::: "memory");
}

typedef void (*load_function)(uint8_t *, const CUtensorMap, coordinates, uint32_t, uint32_t,
                              uint32_t);
typedef void (*send_function)(const uint8_t *, const CUtensorMap, coordinates, uint32_t, int);
static const load_function loads[] = {load_kernel<1>, load_kernel<2>, load_kernel<3>,
                                      load_kernel<4>, load_kernel<5>};
static const send_function sends[] = {send_kernel<1>, send_kernel<2>, send_kernel<3>,
                                      send_kernel<4>, send_kernel<5>};

// ---- Running a case -----------------------------------------------------------------------------

static uint8_t *d_tensor, *d_out, *h_tensor, *h_out;

static uint32_t box_bytes(const tensor *t) {
    uint32_t bytes = types[t->type].bytes;
    for (uint32_t i = 0; i < t->rank; i++)
        bytes *= (t->box[i] + (i ? t->steps[i] : 1) - 1) / (i ? t->steps[i] : 1);
    return bytes;
}

static void name_of(const tensor *t, char *text, size_t size) {
    int used = snprintf(text, size, "%s z%d f%d", types[t->type].name, t->swizzle, t->fill);
    const char *separator = " box ";
    for (uint32_t i = 0; i < t->rank; i++, separator = "x")
        used += snprintf(text + used, size - used, "%s%u", separator, t->box[i]);
    separator = " at ";
    for (uint32_t i = 0; i < t->rank; i++, separator = ",")
        used += snprintf(text + used, size - used, "%s%d", separator, t->at[i]);
    separator = " step ";
    for (uint32_t i = 0; i < t->rank; i++, separator = ",")
        used += snprintf(text + used, size - used, "%s%u", separator, t->steps[i]);
}

// Numbers whose sums are exact, or any bits.
static void fill(uint8_t *bytes, size_t count, int type, bool numbers) {
    for (size_t i = 0; i + 8 <= count; i += 8) {
        uint32_t half[] = {random_bits() << 12 ^ random_bits(),
                           random_bits() << 12 ^ random_bits()};
        memcpy(bytes + i, half, 8);
        if (!numbers) continue;
        int value = (int)(random_bits() % 513) - 256;
        uint16_t words[4];
        float narrow[2];
        double wide = value * 0.25;
        for (int k = 0; k < 2; k++) narrow[k] = (value + k) * 0.25f;
        for (int k = 0; k < 4; k++) { // f16 of small integers; bf16 of the same
            uint32_t bits;
            float small = (float)(value % 32 + k);
            memcpy(&bits, &small, 4);
            uint32_t exponent = bits >> 23 & 255, sign = bits >> 16 & 0x8000;
            words[k] = type == 9 ? (uint16_t)(bits >> 16)
                       : small == 0
                           ? (uint16_t)sign
                           : (uint16_t)(sign | (exponent - 112) << 10 | (bits >> 13 & 1023));
        }
        if (types[type].bytes == 2 && (type == 6 || type == 9)) memcpy(bytes + i, words, 8);
        if (type == 7 || type >= 10) memcpy(bytes + i, narrow, 8);
        if (type == 8) memcpy(bytes + i, &wide, 8);
    }
}

static coordinates coordinates_of(const tensor *t) {
    coordinates c = {};
    memcpy(c.at, t->at, sizeof c.at);
    return c;
}

// Shared memory that the box may take: a swizzle has a row of its whole span for each row.
static uint32_t tile_bytes(const tensor *t) {
    uint32_t row = t->box[0] * types[t->type].bytes;
    uint32_t pitch = t->swizzle ? 16u << t->swizzle : row;
    return (box_bytes(t) / row * pitch + 1023) / 1024 * 1024;
}

static void say_words(const uint8_t *bytes, uint32_t count) {
    for (uint32_t i = 0; i < count; i += 32) {
        uint32_t w[8];
        memcpy(w, bytes + i, sizeof w);
        say(" %08x %08x %08x %08x %08x %08x %08x %08x", w[0], w[1], w[2], w[3], w[4], w[5], w[6],
            w[7]);
    }
}

static void run_load(const tensor *t, bool whole) {
    CUtensorMap map;
    char name[160];
    name_of(t, name, sizeof name);
    CUresult code = describe(&map, t, d_tensor);
    if (code) {
        say("load %s: code %d", name, (int)code);
        return;
    }
    uint32_t bytes = tile_bytes(t);
    loads[t->rank - 1]<<<1, THREADS, bytes>>>(d_out, map, coordinates_of(t), box_bytes(t), bytes,
                                              0);
    CHECK(cudaMemcpy(h_out, d_out, bytes, cudaMemcpyDeviceToHost));
    say("load %s: %08x", name, hash_of(h_out, bytes));
    if (!whole) return;
    say_words(h_out, box_bytes(t));
}

// A store's box must not begin before the tensor.
static void run_send(const tensor *where, int operation, bool numbers) {
    CUtensorMap map;
    char name[160];
    tensor moved = *where, *t = &moved;
    for (uint32_t i = 0; i < t->rank; i++) t->at[i] = abs(t->at[i]);
    name_of(t, name, sizeof name);
    CUresult code = describe(&map, t, d_tensor);
    if (code) {
        say("%s %s: code %d", operations[operation], name, (int)code);
        return;
    }
    uint32_t bytes = tile_bytes(t);
    fill(h_out, bytes, t->type, numbers);
    fill(h_tensor, 65536, t->type, numbers);
    CHECK(cudaMemcpy(d_out, h_out, bytes, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(d_tensor, h_tensor, 65536, cudaMemcpyHostToDevice));
    sends[t->rank - 1]<<<1, THREADS, bytes>>>(d_out, map, coordinates_of(t), bytes, operation);
    CHECK(cudaMemcpy(h_tensor, d_tensor, 65536, cudaMemcpyDeviceToHost));
    say("%s %s %s: %08x", operations[operation], numbers ? "numbers" : "bits", name,
        hash_of(h_tensor, 65536));
}

static void fill_tensor(int type, bool numbers) {
    fill(h_tensor, 65536, type, numbers);
    CHECK(cudaMemcpy(d_tensor, h_tensor, 65536, cudaMemcpyHostToDevice));
}
