// SPDX-License-Identifier: MIT
// Bulk tensor copies on a device: boxes of tensors of every type, rank, swizzle and position are
// loaded, stored and reduced, with a hash of the bytes per line; then what the driver says to
// descriptions of tensors, and what mistakes end with.
//
//   tensor_program                prints a line per case
//   tensor_program --compare FILE compares with such lines; 1: they differ
//   tensor_program --section NAME prints the lines of one section
//   tensor_program --mistake NAME how a launch with this mistake ends: each needs its own process
#include <cuda.h>
#include <cuda_runtime.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 128, AXES = 5, SHARED_BYTES = 49152, TENSOR_BYTES = 1 << 20, LINES = 1024 };

static void must(cudaError_t status, const char *what) {
    if (status == cudaSuccess) return;
    fprintf(stderr, "tensor_program: %s: %s\n", what, cudaGetErrorString(status));
    exit(2);
}

// ---- Lines --------------------------------------------------------------------------------------

static FILE *golden;
static int lines_differ, line_count;

// Prints a line, or compares it with the next one of the golden file.
__attribute__((format(printf, 1, 2))) static void say(const char *format, ...) {
    char line[256], wanted[256] = "";
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    line_count++;
    if (!golden) {
        printf("%s\n", line);
        return;
    }
    do {
        if (!fgets(wanted, sizeof wanted, golden)) wanted[0] = '\0';
        wanted[strcspn(wanted, "\n")] = '\0';
    } while (wanted[0] == '#');
    if (strcmp(line, wanted) == 0) return;
    if (lines_differ++ < 20) printf("here: %s\ncard: %s\n", line, wanted);
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
    must(cudaMemcpy(h_out, d_out, bytes, cudaMemcpyDeviceToHost), name);
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
    must(cudaMemcpy(d_out, h_out, bytes, cudaMemcpyHostToDevice), name);
    must(cudaMemcpy(d_tensor, h_tensor, 65536, cudaMemcpyHostToDevice), name);
    sends[t->rank - 1]<<<1, THREADS, bytes>>>(d_out, map, coordinates_of(t), bytes, operation);
    must(cudaMemcpy(h_tensor, d_tensor, 65536, cudaMemcpyDeviceToHost), name);
    say("%s %s %s: %08x", operations[operation], numbers ? "numbers" : "bits", name,
        hash_of(h_tensor, 65536));
}

static void fill_tensor(int type, bool numbers) {
    fill(h_tensor, 65536, type, numbers);
    must(cudaMemcpy(d_tensor, h_tensor, 65536, cudaMemcpyHostToDevice), "tensor");
}

// ---- Cases --------------------------------------------------------------------------------------

// Somewhere around the tensor, where rows begin at multiples of 16 bytes.
static void move_box(tensor *t) {
    uint32_t unit = types[t->type].bytes < 16 ? 16 / types[t->type].bytes : 1;
    for (uint32_t i = 0; i < t->rank; i++) {
        int span = (int)(t->dims[i] + 2 * t->box[i]);
        t->at[i] = (int)(random_bits() % (uint32_t)span) - (int)t->box[i];
        if (i == 0) t->at[0] = t->at[0] / (int)unit * (int)unit;
    }
}

static void run_types(void) {
    for (int type = 0; type < (int)TYPES; type++) {
        uint32_t unit = 16 / types[type].bytes;
        uint32_t dims[] = {5 * unit + 1, 9}, box[] = {2 * unit, 4};
        fill_tensor(type, false);
        for (int fill_nan = 0; fill_nan < 2; fill_nan++) {
            tensor t = make(type, 2, dims, box, 16);
            t.fill = fill_nan;
            run_load(&t, false);
            t.at[0] = 4 * (int)unit;
            t.at[1] = 7;
            run_load(&t, fill_nan);
            t.at[0] = -(int)unit;
            t.at[1] = -2;
            run_load(&t, false);
        }
    }
}

static void run_shapes(void) {
    for (uint32_t rank = 1; rank <= AXES; rank++)
        for (int round = 0; round < 6; round++) {
            uint32_t dims[] = {13, 7, 5, 4, 3}, box[] = {8, 3, 2, 3, 2};
            for (uint32_t i = 0; i < rank; i++)
                box[i] = i ? 1 + random_bits() % 4 : 4 + 4 * (random_bits() % 3);
            tensor t = make(2, rank, dims, box, 16 * (round % 2));
            fill_tensor(2, false);
            for (uint32_t i = 1; i < rank && round > 2; i++) t.steps[i] = 1 + random_bits() % 3;
            move_box(&t);
            run_load(&t, false);
            if (round % 2) run_send(&t, STORE, false);
        }
}

static void run_swizzles(void) {
    for (int swizzle = 1; swizzle <= 3; swizzle++)
        for (uint32_t inner = 16; inner <= 16u << swizzle; inner += 16)
            for (int type = 0; type <= 6; type += 2) {
                uint32_t dims[] = {256 / types[type].bytes, 40};
                uint32_t box[] = {inner / types[type].bytes, 24 + inner / 16 % 3};
                tensor t = make(type, 2, dims, box, 0);
                t.swizzle = swizzle;
                t.at[0] = 16 / (int)types[type].bytes;
                t.at[1] = 2;
                fill_tensor(type, false);
                if (type == 2 || inner == 32) run_load(&t, false);
                if (type == 2) run_send(&t, STORE, false);
            }
}

static void run_strides(void) {
    for (uint32_t step = 1; step <= 8; step++)
        for (uint32_t rows = 5; rows <= 16; rows += 11) {
            uint32_t dims[] = {24, 60}, box[] = {8, rows};
            tensor t = make(2, 2, dims, box, 0);
            t.steps[0] = step % 3 ? 1 : 2; // ignored
            t.steps[1] = step;
            t.at[0] = 4;
            t.at[1] = step % 2 ? -3 : 50;
            fill_tensor(2, false);
            run_load(&t, false);
            run_send(&t, STORE, false);
        }
}

// The types of elements for which each reduction exists, as far as a card has shown. And .or, .xor
// are tried without a map.
static const int reduced[][12] = {
    {-1},                      // a store
    {2, 3, 4, 6, 7, 8, 9, -1}, // add
    {2, 3, 4, 5, 6, 9, -1},    // min
    {2, 3, 4, 5, 6, 9, -1},    // max
    {2, -1},
    {2, -1},
    {2, 3, 4, -1},
    {-1},
    {-1}, // inc, dec, and, or, xor
};

static void run_reductions(void) {
    for (int operation = ADD; operation <= XOR; operation++)
        for (int i = 0; reduced[operation][i] >= 0; i++) {
            int type = reduced[operation][i];
            uint32_t unit = 16 / types[type].bytes;
            uint32_t dims[] = {6 * unit, 12}, box[] = {4 * unit, 8};
            tensor t = make(type, 2, dims, box, 16);
            t.at[0] = 3 * (int)unit;
            t.at[1] = -1;
            bool is_float = type >= 6;
            run_send(&t, operation, is_float);
            if (is_float) run_send(&t, operation, false);
        }
}

// What conversions the float types make, if any.
static void run_conversions(void) {
    static const uint32_t words[] = {0x00000001, 0x80000001, 0x007FFFFF, 0x00800000, 0x3F800FFF,
                                     0x3F801000, 0x3F801001, 0x3F802FFF, 0x3F803000, 0x3F803001,
                                     0xBF801000, 0x7F7FFFFF, 0x7F800000, 0xFF800000, 0x7FC00001,
                                     0x7F800001, 0xFFFFFFFF, 0x3F80F000, 0x3F80EFFF, 0x00001000,
                                     0x00003000, 0x80800FFF, 0x00000FFF, 0x40490FDB};
    static const int list[] = {7, 10, 11, 12};
    for (int type : list) {
        uint32_t dims[] = {8, 3}, box[] = {8, 3};
        tensor t = make(type, 2, dims, box, 0);
        must(cudaMemcpy(d_tensor, words, sizeof words, cudaMemcpyHostToDevice), "words");
        run_load(&t, true);
        must(cudaMemset(d_tensor, 0, sizeof words), "words");
        CUtensorMap map;
        if (describe(&map, &t, d_tensor)) continue;
        must(cudaMemcpy(d_out, words, sizeof words, cudaMemcpyHostToDevice), "words");
        sends[1]<<<1, THREADS, 1024>>>(d_out, map, coordinates_of(&t), sizeof words, STORE);
        must(cudaMemcpy(h_out, d_tensor, sizeof words, cudaMemcpyDeviceToHost), "store");
        say("stored as %s: %08x, %s", types[type].name, hash_of(h_out, sizeof words),
            memcmp(h_out, words, sizeof words) ? "changed" : "the same");
        if (memcmp(h_out, words, sizeof words)) say_words(h_out, sizeof words);
    }
}

static void run_maps_elsewhere(void) {
    uint32_t dims[] = {20, 10}, box[] = {8, 4};
    tensor t = make(2, 2, dims, box, 0);
    CUtensorMap map, *d_map;
    fill_tensor(2, false);
    if (describe(&map, &t, d_tensor)) return;
    must(cudaMalloc(&d_map, 4 * sizeof map), "map");
    must(cudaMemcpy(d_map + 1, &map, sizeof map, cudaMemcpyHostToDevice), "map");
    must(cudaMemcpyToSymbol(constant_map, &map, sizeof map), "map");
    load_by_constant<<<1, THREADS, 1024>>>(d_out, coordinates_of(&t), box_bytes(&t), 1024);
    must(cudaMemcpy(h_out, d_out, 1024, cudaMemcpyDeviceToHost), "constant map");
    say("map in constant memory: %08x", hash_of(h_out, 1024));
    load_by_pointer<<<1, THREADS, 1024>>>(d_out, d_map + 1, coordinates_of(&t), box_bytes(&t),
                                          1024);
    must(cudaMemcpy(h_out, d_out, 1024, cudaMemcpyDeviceToHost), "global map");
    say("map in global memory: %08x", hash_of(h_out, 1024));
    say("another address: code %d", (int)replace(&map, d_tensor + 16));
    loads[1]<<<1, THREADS, 1024>>>(d_out, map, coordinates_of(&t), box_bytes(&t), 1024, 128);
    must(cudaMemcpy(h_out, d_out, 1024, cudaMemcpyDeviceToHost), "moved map");
    say("moved map: %08x", hash_of(h_out, 1024));
    say("misaligned address: code %d", (int)replace(&map, d_tensor + 8));
    cudaFree(d_map);
}

// ---- Clusters -----------------------------------------------------------------------------------

// Block 1 loads for both. Then each adds what it has to a tile of the other's, whose barrier counts
// the bytes.
__global__ void __cluster_dims__(2, 1, 1)
    cluster_kernel(uint8_t *out, const __grid_constant__ CUtensorMap map, uint32_t bytes) {
    extern __shared__ __align__(1024) uint8_t tile[];
    __shared__ uint64_t full, sent, ready;
    uint32_t rank = blockIdx.x % 2, remote_tile, remote_sent, remote_ready;
    if (threadIdx.x == 0) {
        init(&full, 1);
        init(&sent, 1);
        init(&ready, 1);
        expect(&full, bytes);
        expect(&sent, bytes);
    }
    asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
    if (threadIdx.x == 0 && rank == 1)
        asm volatile(
            "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
            ".multicast::cluster [%0], [%1, {%3, %4}], [%2], %5;" ::"r"(shared_of(tile)),
            "l"(&map), "r"(shared_of(&full)), "r"(4), "r"(1), "h"((uint16_t)3)
            : "memory");
    wait(&full, 0);
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;"
                 : "=r"(remote_tile)
                 : "r"(shared_of(tile + 1024)), "r"(1 - rank));
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;"
                 : "=r"(remote_sent)
                 : "r"(shared_of(&sent)), "r"(1 - rank));
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;"
                 : "=r"(remote_ready)
                 : "r"(shared_of(&ready)), "r"(1 - rank));
    if (threadIdx.x == 0) {
        for (uint32_t i = 0; i < bytes; i++) tile[1024 + i] = 7;
        tile[3] = (uint8_t)(10 * rank);
        asm volatile("fence.proxy.async;" ::: "memory");
        asm volatile(
            "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(remote_ready)
            : "memory");
        asm volatile(
            "{.reg .pred p;\nAGAIN: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 "
            "p, [%0], 0;\n@!p bra AGAIN;\n}" ::"r"(shared_of(&ready))
            : "memory");
        asm volatile("fence.proxy.async;" ::: "memory");
        asm volatile("cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes"
                     ".add.u32 [%0], [%1], %2, [%3];" ::"r"(remote_tile),
                     "r"(shared_of(tile)), "r"(bytes), "r"(remote_sent)
                     : "memory");
    }
    wait(&sent, 0);
    for (uint32_t i = threadIdx.x; i < bytes; i += THREADS) {
        out[2 * bytes * blockIdx.x + i] = tile[i];
        out[2 * bytes * blockIdx.x + bytes + i] = tile[1024 + i];
    }
    asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
}

static void run_cluster(void) {
    uint32_t dims[] = {20, 10}, box[] = {8, 4};
    tensor t = make(2, 2, dims, box, 0);
    CUtensorMap map;
    fill_tensor(2, false);
    if (describe(&map, &t, d_tensor)) return;
    uint32_t bytes = box_bytes(&t);
    cluster_kernel<<<4, THREADS, 2048>>>(d_out, map, bytes);
    must(cudaMemcpy(h_out, d_out, 8 * bytes, cudaMemcpyDeviceToHost), "cluster");
    for (int i = 0; i < 4; i++)
        say("block %d of clusters: %08x %08x", i, hash_of(h_out + 2 * i * bytes, bytes),
            hash_of(h_out + (2 * i + 1) * bytes, bytes));
}

// ---- Bulk reductions without a map --------------------------------------------------------------

static const struct {
    const char *name;
    int type;
} bulk_rows[] = {{"add.u32", 2},  {"add.s32", 3},       {"add.u64", 4},        {"add.f32", 7},
                 {"add.f64", 8},  {"add.noftz.f16", 6}, {"add.noftz.bf16", 9}, {"min.u32", 2},
                 {"max.s32", 3},  {"min.u64", 4},       {"max.s64", 5},        {"min.f16", 6},
                 {"max.bf16", 9}, {"inc.u32", 2},       {"dec.u32", 2},        {"and.b32", 2},
                 {"or.b64", 4},   {"xor.b32", 2}};

// The same rows.
__device__ static void reduce_bulk(uint8_t *to, const uint8_t *tile, int number) {
#define BULK(text)                                                                                 \
    asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group." text                        \
                 " [%0], [%1], %2;" ::"l"(to),                                                     \
                 "r"(shared_of(tile)), "r"(1024)                                                   \
                 : "memory")
    if (number == 0) BULK("add.u32");
    if (number == 1) BULK("add.s32");
    if (number == 2) BULK("add.u64");
    if (number == 3) BULK("add.f32");
    if (number == 4) BULK("add.f64");
    if (number == 5) BULK("add.noftz.f16");
    if (number == 6) BULK("add.noftz.bf16");
    if (number == 7) BULK("min.u32");
    if (number == 8) BULK("max.s32");
    if (number == 9) BULK("min.u64");
    if (number == 10) BULK("max.s64");
    if (number == 11) BULK("min.f16");
    if (number == 12) BULK("max.bf16");
    if (number == 13) BULK("inc.u32");
    if (number == 14) BULK("dec.u32");
    if (number == 15) BULK("and.b32");
    if (number == 16) BULK("or.b64");
    if (number == 17) BULK("xor.b32");
}

__global__ void bulk_kernel(uint8_t *to, const uint8_t *in, int number) {
    extern __shared__ __align__(1024) uint8_t tile[];
    for (uint32_t i = threadIdx.x; i < 1024; i += THREADS) tile[i] = in[i];
    asm volatile("fence.proxy.async;" ::: "memory");
    __syncthreads();
    if (threadIdx.x != 0) return;
    reduce_bulk(to, tile, number);
    asm volatile("cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;" ::: "memory");
}

static void run_bulk(void) {
    for (int i = 0; i < (int)(sizeof bulk_rows / sizeof bulk_rows[0]); i++)
        for (int numbers = 0; numbers < 2; numbers++) {
            if (numbers && bulk_rows[i].type < 6) continue;
            fill(h_out, 1024, bulk_rows[i].type, numbers);
            fill(h_tensor, 1024, bulk_rows[i].type, numbers);
            must(cudaMemcpy(d_out, h_out, 1024, cudaMemcpyHostToDevice), "bulk");
            must(cudaMemcpy(d_tensor, h_tensor, 1024, cudaMemcpyHostToDevice), "bulk");
            bulk_kernel<<<1, THREADS, 1024>>>(d_tensor, d_out, i);
            must(cudaMemcpy(h_tensor, d_tensor, 1024, cudaMemcpyDeviceToHost), bulk_rows[i].name);
            say("bulk %s %s: %08x", bulk_rows[i].name, numbers ? "numbers" : "bits",
                hash_of(h_tensor, 1024));
        }
}

// ---- Descriptions -------------------------------------------------------------------------------

static void tell(const char *what, const tensor *t, size_t shift) {
    CUtensorMap map;
    say("%s: code %d", what, (int)describe(&map, t, d_tensor + shift));
}

static tensor plain(void) {
    uint32_t dims[] = {64, 32, 8, 4, 2}, box[] = {16, 8, 4, 2, 1};
    return make(7, 3, dims, box, 0);
}

#define TELL(what, shift, change)                                                                  \
    do {                                                                                           \
        tensor t = plain();                                                                        \
        change;                                                                                    \
        tell(what, &t, shift);                                                                     \
    } while (0)

static void run_descriptions(void) {
    TELL("plain", 0, (void)0);
    TELL("rank 0", 0, t.rank = 0);
    TELL("rank 5", 0, t.rank = 5; for (int i = 3; i < 5; i++) t.dims[i] = t.box[i] = t.steps[i] = 1;
         t.strides[2] = t.strides[3] = 1 << 20);
    TELL("rank 6", 0, t.rank = 6);
    for (int type = 0; type < 17; type++) {
        char text[32];
        snprintf(text, sizeof text, "type %d", type);
        TELL(text, 0, t.type = type; t.dims[0] = 128; t.box[0] = 128; t.strides[0] = 1024;
             t.strides[1] = 65536; t.box[1] = 1);
    }
    TELL("type -1", 0, t.type = -1);
    TELL("address at 8", 8, (void)0);
    TELL("address at 16", 16, (void)0);
    TELL("dimension 0", 0, t.dims[1] = 0);
    TELL("dimension 2^32", 0, t.dims[1] = 1ull << 32);
    TELL("dimension 2^32 + 1", 0, t.dims[1] = (1ull << 32) + 1);
    TELL("stride 8", 0, t.strides[0] = 8);
    TELL("stride 16, rows overlap", 0, t.strides[0] = 16);
    TELL("stride 0", 0, t.strides[0] = 0);
    TELL("stride 264", 0, t.strides[0] = 264);
    TELL("stride 2^40", 0, t.strides[1] = 1ull << 40);
    TELL("stride 2^40 - 16", 0, t.strides[1] = (1ull << 40) - 16);
    TELL("outer stride below inner", 0, t.strides[1] = 128);
    TELL("outer stride not a multiple of inner", 0, t.strides[1] = t.strides[0] * 32 + 16);
    TELL("unused stride odd", 0, t.strides[2] = 3);
    TELL("box 0", 0, t.box[1] = 0);
    TELL("box 256", 0, t.box[1] = 256);
    TELL("box 257", 0, t.box[1] = 257);
    TELL("box above the dimension", 0, t.box[1] = 40);
    TELL("box of 256 x 256 x 256", 0, t.box[0] = t.box[1] = t.box[2] = 256);
    TELL("box of 256 x 64 words", 0, t.box[0] = 256; t.box[1] = 64; t.box[2] = 1);
    TELL("box of 256 x 128 words", 0, t.box[0] = 256; t.box[1] = 128; t.box[2] = 1);
    TELL("box of 256 x 227 words", 0, t.box[0] = 256; t.box[1] = 227; t.box[2] = 1);
    TELL("box of 256 x 228 words", 0, t.box[0] = 256; t.box[1] = 228; t.box[2] = 1);
    TELL("box of 256 x 255 words", 0, t.box[0] = 256; t.box[1] = 255; t.box[2] = 1);
    TELL("box of 256 x 256 words", 0, t.box[0] = 256; t.box[1] = 256; t.box[2] = 1);
    TELL("box of 256 x 256 x 2 bytes", 0, t.box[0] = 256; t.box[1] = 256; t.box[2] = 2; t.type = 0);
    TELL("box of 256 x 256 x 3 bytes", 0, t.box[0] = 256; t.box[1] = 256; t.box[2] = 3; t.type = 0);
    TELL("box of 256 x 256 x 4 bytes", 0, t.box[0] = 256; t.box[1] = 256; t.box[2] = 4; t.type = 0);
    TELL("box of 256 x 256 x 8 bytes", 0, t.box[0] = 256; t.box[1] = 256; t.box[2] = 8; t.type = 0);
    TELL("box of 256 x 256 words, every 8th row", 0, t.box[0] = t.box[1] = 256; t.box[2] = 1;
         t.steps[1] = 8);
    TELL("inner box of 8 bytes", 0, t.box[0] = 2);
    TELL("inner box of 24 bytes", 0, t.box[0] = 6);
    TELL("element stride 0", 0, t.steps[1] = 0);
    TELL("element stride 8", 0, t.steps[1] = 8);
    TELL("element stride 9", 0, t.steps[1] = 9);
    TELL("inner element stride 0", 0, t.steps[0] = 0);
    TELL("inner element stride 2", 0, t.steps[0] = 2);
    TELL("inner element stride 9", 0, t.steps[0] = 9);
    TELL("swizzle 32, 32 bytes", 0, t.swizzle = 1; t.box[0] = 8);
    TELL("swizzle 32, 64 bytes", 0, t.swizzle = 1);
    TELL("swizzle 64, 64 bytes", 0, t.swizzle = 2);
    TELL("swizzle 64, 128 bytes", 0, t.swizzle = 2; t.box[0] = 32);
    TELL("swizzle 128, 128 bytes", 0, t.swizzle = 3; t.box[0] = 32);
    TELL("swizzle 128, 256 bytes", 0, t.swizzle = 3; t.box[0] = 64);
    for (int swizzle = 4; swizzle < 8; swizzle++) {
        char text[32];
        snprintf(text, sizeof text, "swizzle number %d", swizzle);
        TELL(text, 0, t.swizzle = swizzle);
    }
    TELL("interleave 3", 0, t.interleave = 3);
    TELL("promotion 3", 0, t.promotion = 3);
    TELL("promotion 4", 0, t.promotion = 4);
    TELL("fill 1", 0, t.fill = 1);
    TELL("fill 1 of integers", 0, t.fill = 1; t.type = 2);
    TELL("fill 2", 0, t.fill = 2);
    tensor t = plain();
    CUtensorMap map[2];
    say("no map: code %d", (int)describe(NULL, &t, d_tensor));
    say("map at 8: code %d", (int)describe((CUtensorMap *)((char *)map + 8), &t, d_tensor));
    say("no dimensions: code %d",
        (int)encode(map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, d_tensor, NULL, t.strides, t.box,
                    t.steps, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
                    CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE));
    say("no strides of one dimension: code %d",
        (int)encode(map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 1, d_tensor, t.dims, NULL, t.box, t.steps,
                    CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
                    CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE));
    say("no address: code %d", (int)describe(map, &t, NULL));
    say("host's address: code %d", (int)describe(map, &t, h_tensor));
}

// ---- Mistakes -----------------------------------------------------------------------------------

__global__ void load_misplaced(uint8_t *out, const __grid_constant__ CUtensorMap map, coordinates c,
                               uint32_t bytes) {
    load_box<1>(out, &map, c, bytes, 2048, 0);
}

static int run_mistake(const char *name) {
    uint32_t dims[] = {64, 32}, box[] = {16, 8}, offset = 0;
    tensor t = make(7, 2, dims, box, 0);
    CUtensorMap map, zeros = {}, *d_map;
    coordinates c = {};
    auto is = [name](const char *text) { return strcmp(name, text) == 0; };
    must(cudaMalloc(&d_map, 4096), "map");
    if (is("behind")) t.dims[1] = 1 << 28;
    CUresult code = describe(&map, &t, d_tensor);
    must(cudaMemcpy((char *)d_map + 16, &map, sizeof map, cudaMemcpyHostToDevice), "map");
    must(cudaMemcpy((char *)d_map + 2048 + 64, &map, sizeof map, cudaMemcpyHostToDevice), "map");
    if (is("x1")) c.at[0] = 1;
    if (is("x2")) c.at[0] = 2;
    if (is("x-1")) c.at[0] = -1;
    if (is("x-17")) c.at[0] = -17; // wholly outside
    if (is("x65")) c.at[0] = 65;
    if (is("shared16")) offset = 16;
    if (is("shared64")) offset = 64;
    if (is("behind")) c.at[1] = 1 << 27;
    int reduces = strcmp(name, "add s64") == 0 || strcmp(name, "min f32") == 0 ||
                  strcmp(name, "inc s32") == 0 || strcmp(name, "and f32") == 0;
    if (reduces) {
        t.type = is("add s64") ? 5 : is("inc s32") ? 3 : 7;
        if (is("add s64")) t.box[0] = 8;
        describe(&map, &t, d_tensor);
    }
    int operation = is("add s64")   ? ADD
                    : is("min f32") ? MIN
                    : is("inc s32") ? INC
                    : is("and f32") ? AND
                    : is("store x-4") || is("store y-1") || is("store z-1") || is("store y99")
                        ? STORE
                    : is("add x-4") || is("add y-1") ? ADD
                    : is("add x2")                   ? ADD
                                                     : -1;
    if (strstr(name, "x-4")) c.at[0] = -4;
    if (strstr(name, "y-1")) c.at[1] = -1;
    if (strstr(name, "y99")) c.at[1] = 99;
    if (is("add x2")) c.at[0] = 2;
    if (is("prefetch x2")) c.at[0] = 2;
    if (operation >= 0)
        sends[1]<<<1, THREADS, 2048>>>(d_out, map, c, 512, operation);
    else if (is("rank"))
        load_misplaced<<<1, THREADS, 2048>>>(d_out, map, c, box_bytes(&t));
    else if (is("map16"))
        load_by_pointer<<<1, THREADS, 2048>>>(d_out, (CUtensorMap *)((char *)d_map + 16), c,
                                              box_bytes(&t), 2048);
    else if (is("map64"))
        load_by_pointer<<<1, THREADS, 2048>>>(d_out, (CUtensorMap *)((char *)d_map + 2048 + 64), c,
                                              box_bytes(&t), 2048);
    else if (is("nullmap"))
        load_by_pointer<<<1, THREADS, 2048>>>(d_out, NULL, c, box_bytes(&t), 2048);
    else
        loads[1]<<<1, THREADS, 2048>>>(d_out, is("zeros") ? zeros : map, c, box_bytes(&t), 2048,
                                       offset);
    cudaError_t status = cudaGetLastError();
    if (!status) status = cudaDeviceSynchronize();
    say("mistake %s: code %d, %s", name, (int)code, cudaGetErrorName(status));
    return 0;
}

// -------------------------------------------------------------------------------------------------

static const struct {
    const char *name;
    void (*run)(void);
} sections[] = {{"descriptions", run_descriptions},
                {"types", run_types},
                {"conversions", run_conversions},
                {"maps", run_maps_elsewhere},
                {"shapes", run_shapes},
                {"swizzles", run_swizzles},
                {"strides", run_strides},
                {"cluster", run_cluster},
                {"reductions", run_reductions},
                {"bulk", run_bulk}};

static void *entry(const char *name) {
    void *function = NULL;
    cudaDriverEntryPointQueryResult result;
    must(cudaGetDriverEntryPointByVersion(name, &function, 12000, cudaEnableDefault, &result),
         name);
    return function;
}

int main(int argc, char **argv) {
    bool compares = argc == 3 && strcmp(argv[1], "--compare") == 0;
    bool mistakes = argc == 3 && strcmp(argv[1], "--mistake") == 0;
    const char *one = argc == 3 && strcmp(argv[1], "--section") == 0 ? argv[2] : NULL;
    if (argc != 1 && !compares && !mistakes && !one) {
        fprintf(stderr, "usage: %s [--compare FILE | --section NAME | --mistake NAME]\n", argv[0]);
        return 2;
    }
    if (compares && !(golden = fopen(argv[2], "r"))) {
        fprintf(stderr, "tensor_program: cannot read %s\n", argv[2]);
        return 2;
    }
    encode = (decltype(encode))entry("cuTensorMapEncodeTiled");
    replace = (decltype(replace))entry("cuTensorMapReplaceAddress");
    if (!encode || !replace) return 2;
    if (!mistakes && !one) {
        tensor t = plain();
        CUtensorMap map;
        say("without a context: code %d", (int)describe(&map, &t, NULL));
    }
    must(cudaFree(0), "context");
    must(cudaMalloc(&d_tensor, TENSOR_BYTES), "tensor");
    must(cudaMalloc(&d_out, TENSOR_BYTES), "out");
    h_tensor = (uint8_t *)calloc(1, TENSOR_BYTES);
    h_out = (uint8_t *)calloc(1, TENSOR_BYTES);
    if (mistakes) return run_mistake(argv[2]);
    for (size_t i = 0; i < sizeof sections / sizeof sections[0]; i++) {
        if (one && strcmp(one, sections[i].name) != 0) continue;
        random_state = (uint32_t)i + 1;
        sections[i].run();
    }
    if (golden && fclose(golden) != 0) return 2;
    if (compares) printf("%d lines, %d differ\n", line_count, lines_differ);
    return lines_differ ? 1 : 0;
}
