// Results of mma.sync and mma.sp on random matrices (matrix_cases.def):
//   matrix_program          prints hashes of the results of each product, 16 per line
//   matrix_program CASE     prints the results of a case, a product per line
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "../check.h"

// Random operands of the matrix cases (matrix_cases.def): kinds of elements, domains of values. The
// same sequence on every machine; nothing of it is stored.
struct matrix_kind {
    int bits, exponent; // of an element; exponent 0: any bits
};
static const matrix_kind F16 = {16, 5}, BF16 = {16, 8}, F32 = {32, 8}, F64 = {64, 11},
                         E4M3 = {8, 4}, E5M2 = {8, 5}, BITS = {32, 0};

enum matrix_domain {
    FRACTIONS, // exponents around that of 1, the same at first, more and more scattered later
    SMALL,     // A at the lower end of its range, and C where the products are
    SPECIAL,   // fractions; one element in 64 is infinite, no number, largest, smallest or zero
    ZEROS      // zeros of both signs, 1 and -1
};
enum matrix_part { PART_A, PART_B, PART_C };

struct matrix_row {
    matrix_kind kinds[3]; // by part
    matrix_domain domain;
};

struct matrix_random {
    uint64_t state;
    uint32_t next() {
        state = state * 6364136223846793005ull + 1442695040888963407ull;
        return (uint32_t)(state >> 32);
    }
    uint64_t next64() {
        uint64_t high = next();
        return high << 32 | next();
    }
};

static uint64_t matrix_special(matrix_random *random, matrix_kind kind) {
    int fraction = kind.bits - 1 - kind.exponent;
    uint64_t top = (1ull << kind.exponent) - 1, ones = (1ull << fraction) - 1;
    uint64_t sign = (uint64_t)(random->next() & 1) << (kind.bits - 1);
    switch (random->next() % 6) {
    case 0: return sign | top << fraction;              // infinity (e4m3: a number)
    case 1: return sign | top << fraction | ones;       // NaN
    case 2: return sign | (top - 1) << fraction | ones; // the largest number
    case 3: return sign | 1;                            // the smallest one
    case 4: return sign | ones;                         // the largest subnormal one
    default: return sign;
    }
}

// An element whose biased exponent lies in [low, high], cut to the finite ones.
static uint64_t matrix_number(matrix_random *random, matrix_kind kind, int low, int high) {
    int fraction = kind.bits - 1 - kind.exponent, bias = (1 << (kind.exponent - 1)) - 1;
    int exponent = low + (int)(random->next() % (uint32_t)(high - low + 1));
    if (exponent < 0) exponent = 0;
    if (exponent > 2 * bias) exponent = 2 * bias;
    uint64_t sign = random->next() & 1;
    uint64_t digits =
        (fraction > 32 ? random->next64() : random->next()) & ((1ull << fraction) - 1);
    return sign << (kind.bits - 1) | (uint64_t)exponent << fraction | digits;
}

// `stage` grows from 0 to 7 over the products of a case.
static uint64_t matrix_element(matrix_random *random, const matrix_row *row, matrix_part part,
                               int stage) {
    matrix_kind kind = row->kinds[part];
    bool wide = part == PART_C && kind.bits == 32; // accumulators scatter as products do
    int bias = kind.exponent ? (1 << (kind.exponent - 1)) - 1 : 0,
        spread = wide ? 2 * stage : stage;
    if (kind.exponent == 0) return random->next();
    if (row->domain == ZEROS) {
        uint32_t draw = random->next() % 8;
        uint64_t one = (uint64_t)bias << (kind.bits - 1 - kind.exponent);
        return (uint64_t)(draw & 1) << (kind.bits - 1) | (draw >= 6 ? one : 0);
    }
    if (row->domain == SPECIAL && random->next() % 64 == 0) return matrix_special(random, kind);
    if (row->domain == SMALL && part == PART_A) return matrix_number(random, kind, 0, 3);
    if (row->domain == SMALL && part == PART_C) {
        int low =
            bias - ((1 << (row->kinds[PART_A].exponent - 1)) - 2); // of A's smallest normal number
        return matrix_number(random, kind, low - 4, low + 8);
    }
    return matrix_number(random, kind, bias - spread, bias + spread);
}

// One 32-bit register full of elements, or one 64-bit element.
static uint64_t matrix_word(matrix_random *random, const matrix_row *row, matrix_part part,
                            int stage) {
    int bits = row->kinds[part].bits;
    uint64_t word = 0;
    if (bits == 64) return matrix_element(random, row, part, stage);
    for (int at = 0; at < 32; at += bits) word |= matrix_element(random, row, part, stage) << at;
    return word;
}

enum { LANES = 32, UNITS = 16, RESULTS = 4, HASHES_A_LINE = 16, MAX_PRODUCTS = 512 };

// A lane's registers lie side by side: a, b, c from the units (words, or doubles) at PLACES.
#define UNIT(type)   ((const type *)in + (blockIdx.x * LANES + threadIdx.x) * UNITS)
#define RESULT(type) ((type *)out + (blockIdx.x * LANES + threadIdx.x) * RESULTS)

#define KERNEL(name, type, text, results, ...)                                                     \
    __global__ void name(void *out, const void *in) {                                              \
        const type *x = UNIT(type);                                                                \
        type *d = RESULT(type);                                                                    \
        asm("mma." text:results : __VA_ARGS__);                                                    \
    }
// Results, and operands from an index on: words, or doubles.
#define D2     "=r"(d[0]), "=r"(d[1])
#define D4     D2, "=r"(d[2]), "=r"(d[3])
#define W1(i)  "r"(x[i])
#define W2(i)  W1(i), W1(i + 1)
#define W4(i)  W2(i), W2(i + 2)
#define DF2    "=d"(d[0]), "=d"(d[1])
#define DF4    DF2, "=d"(d[2]), "=d"(d[3])
#define F1(i)  "d"(x[i])
#define F2(i)  F1(i), F1(i + 1)
#define F4(i)  F2(i), F2(i + 2)
#define SYNC   "sync.aligned."
#define SPARSE "sp::ordered_metadata.sync.aligned."

#define KERNEL_4424(name, text)                                                                    \
    KERNEL(name, uint32_t, SYNC text " {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%10,%11,%12,%13};", \
           D4, W4(0), W2(4), W4(8))
#define KERNEL_4214(name, text)                                                                    \
    KERNEL(name, uint32_t, SYNC text " {%0,%1,%2,%3}, {%4,%5}, {%6}, {%7,%8,%9,%10};", D4, W2(0),  \
           W1(4), W4(8))
#define KERNEL_2422(name, text)                                                                    \
    KERNEL(name, uint32_t, SYNC text " {%0,%1}, {%2,%3,%4,%5}, {%6,%7}, {%8,%9};", D2, W4(0), W4(4))
#define KERNEL_2212(name, text)                                                                    \
    KERNEL(name, uint32_t, SYNC text " {%0,%1}, {%2,%3}, {%4}, {%5,%6};", D2, W2(0), W1(4), W2(6))
#define KERNEL_2112(name, text)                                                                    \
    KERNEL(name, uint32_t, SYNC text " {%0,%1}, {%2}, {%3}, {%4,%5};", D2, W1(0), W1(4), W2(8))
#define KERNEL_DOUBLE_2112(name, text)                                                             \
    KERNEL(name, double, SYNC text " {%0,%1}, {%2}, {%3}, {%4,%5};", DF2, F1(0), F1(8), F2(12))
#define KERNEL_DOUBLE_4214(name, text)                                                             \
    KERNEL(name, double, SYNC text " {%0,%1,%2,%3}, {%4,%5}, {%6}, {%7,%8,%9,%10};", DF4, F2(0),   \
           F1(8), F4(12))
#define KERNEL_DOUBLE_4424(name, text)                                                             \
    KERNEL(name, double, SYNC text " {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%10,%11,%12,%13};",   \
           DF4, F4(0), F2(8), F4(12))
#define KERNEL_DOUBLE_4844(name, text)                                                             \
    KERNEL(name, double,                                                                           \
           SYNC text                                                                               \
           " {%0,%1,%2,%3}, {%4,%5,%6,%7,%8,%9,%10,%11}, {%12,%13,%14,%15}, {%16,%17,%18,%19};",   \
           DF4, F4(0), F4(4), F4(8), F4(12))
// Products with a sparse A, whose metadata lie behind C. SELECTOR: which lanes' metadata count.
#define KERNEL_SPARSE_4444(name, text, selector)                                                   \
    KERNEL(name, uint32_t,                                                                         \
           SPARSE text                                                                             \
           " {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9,%10,%11}, {%12,%13,%14,%15}, %16, " selector     \
           ";",                                                                                    \
           D4, W4(0), W4(4), W4(8), W1(12))
#define KERNEL_SPARSE_4224(name, text, selector)                                                   \
    KERNEL(name, uint32_t,                                                                         \
           SPARSE text " {%0,%1,%2,%3}, {%4,%5}, {%6,%7}, {%8,%9,%10,%11}, %12, " selector ";",    \
           D4, W2(0), W2(4), W4(8), W1(12))
#define KERNEL_SPARSE_2442(name, text, selector)                                                   \
    KERNEL(name, uint32_t,                                                                         \
           SPARSE text " {%0,%1}, {%2,%3,%4,%5}, {%6,%7,%8,%9}, {%10,%11}, %12, " selector ";",    \
           D2, W4(0), W4(4), W2(8), W1(12))
#define KERNEL_S0_4444(name, text)                               KERNEL_SPARSE_4444(name, text, "0")
#define KERNEL_S1_4444(name, text)                               KERNEL_SPARSE_4444(name, text, "1")
#define KERNEL_S0_4224(name, text)                               KERNEL_SPARSE_4224(name, text, "0")
#define KERNEL_S1_4224(name, text)                               KERNEL_SPARSE_4224(name, text, "1")
#define KERNEL_S3_4224(name, text)                               KERNEL_SPARSE_4224(name, text, "3")
#define KERNEL_S1_2442(name, text)                               KERNEL_SPARSE_2442(name, text, "1")
#define MATRIX_CASE(name, form, text, a, b, c, domain, products) KERNEL_##form(product_##name, text)
#include "matrix_cases.def"
#undef MATRIX_CASE

struct matrix_case {
    const char *name;
    void (*kernel)(void *, const void *);
    matrix_row row;
    int products;
    bool sparse;
};
static const matrix_case cases[] = {
#define MATRIX_CASE(name, form, text, a, b, c, domain, products)                                   \
    {#name, product_##name, {{a, b, c}, domain}, products, #form[0] == 'S'},
#include "matrix_cases.def"
#undef MATRIX_CASE
};

// Which matrix the unit at `place` of a lane belongs to; halves as accumulators lie right behind B.
static matrix_part part_of(const matrix_row *row, int place) {
    int unit_bits = row->kinds[PART_A].bits == 64 ? 64 : 32;
    int b = unit_bits == 64 ? 8 : 4, c = unit_bits == 64                 ? 12
                                         : row->kinds[PART_C].bits == 16 ? 6
                                                                         : 8;
    return place >= c                                                      ? PART_C
           : place >= b && place < b + 4 && (unit_bits == 64 || place < 6) ? PART_B
                                                                           : PART_A;
}

// Metadata of a sparse A: two different positions of four, ascending, or one half of four (tf32).
static uint32_t metadata(matrix_random *random, const matrix_row *row) {
    static const uint8_t pairs[] = {0x4, 0x8, 0xC, 0x9, 0xD, 0xE};
    uint32_t word = 0;
    for (int at = 0; at < 32; at += 4)
        word |= (uint32_t)(row->kinds[PART_A].bits == 32 && row->kinds[PART_A].exponent
                               ? pairs[random->next() % 2 * 5]
                               : pairs[random->next() % 6])
                << at;
    return word;
}

static void fill(matrix_random *random, const matrix_case *item, void *in) {
    size_t units = (size_t)item->products * LANES * UNITS;
    for (size_t i = 0; i < units; i++) {
        int stage = (int)(i / (units / 8));
        int place = (int)(i % UNITS);
        matrix_part part = part_of(&item->row, place);
        if (item->sparse) part = place < 4 ? PART_A : place < 8 ? PART_B : PART_C;
        uint64_t word = matrix_word(random, &item->row, part, stage);
        if (item->row.kinds[part].bits == 64) ((uint64_t *)in)[i] = word;
        else ((uint32_t *)in)[i] = (uint32_t)word;
        if (item->sparse && place == 12) ((uint32_t *)in)[i] = metadata(random, &item->row);
    }
}

// FNV-1a over bytes, folded to 32 bits.
static uint32_t hash_of(const uint8_t *bytes, size_t count) {
    uint64_t hash = 14695981039346656037ull;
    for (size_t i = 0; i < count; i++) hash = (hash ^ bytes[i]) * 1099511628211ull;
    return (uint32_t)(hash ^ hash >> 32);
}

static size_t result_bytes(const matrix_case *item) {
    return (item->row.kinds[PART_A].bits == 64 ? 8u : 4u) * LANES * RESULTS;
}

// Operands and results of the case that runs, here and on the device.
struct buffers {
    uint8_t *h_in, *h_out;
    void *d_in, *d_out;
};
static const size_t in_bytes = (size_t)MAX_PRODUCTS * LANES * UNITS * 8;
static const size_t out_bytes = (size_t)MAX_PRODUCTS * LANES * RESULTS * 8;

static buffers make_buffers() {
    buffers made = {(uint8_t *)calloc(1, in_bytes), (uint8_t *)calloc(1, out_bytes), NULL, NULL};
    CHECK(cudaMalloc(&made.d_in, in_bytes));
    CHECK(cudaMalloc(&made.d_out, out_bytes));
    return made;
}

static void run_case(matrix_random *random, const matrix_case *item, const buffers *at) {
    fill(random, item, at->h_in);
    CHECK(cudaMemcpy(at->d_in, at->h_in, in_bytes, cudaMemcpyHostToDevice));
    CHECK(cudaMemset(at->d_out, 0, out_bytes));
    item->kernel<<<item->products, LANES>>>(at->d_out, at->d_in);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(at->h_out, at->d_out, out_bytes, cudaMemcpyDeviceToHost));
}

static void print_hashes(const matrix_case *item, const uint8_t *results) {
    for (int i = 0; i < item->products; i++) {
        if (i % HASHES_A_LINE == 0) printf("%s%s %d", i ? "\n" : "", item->name, i);
        printf(" %08x", (unsigned)hash_of(results + i * result_bytes(item), result_bytes(item)));
    }
    printf("\n");
}

static void print_case(const matrix_case *item, const uint8_t *results) {
    for (int i = 0; i < item->products; i++) {
        printf("%s %d", item->name, i);
        for (size_t at = 0; at < result_bytes(item); at += 4) {
            uint32_t word;
            memcpy(&word, results + i * result_bytes(item) + at, sizeof word);
            printf(" %08x", (unsigned)word);
        }
        printf("\n");
    }
}

int main(int argc, char **argv) {
    cudaDeviceProp device;
    CHECK(cudaGetDeviceProperties(&device, 0));
    if (argc == 1) printf("# Hashes of results, 16 products per line. Device: %s\n", device.name);
    buffers at = make_buffers();
    matrix_random random = {42};
    for (const matrix_case &item : cases) {
        run_case(&random, &item, &at);
        if (argc == 1) print_hashes(&item, at.h_out);
        else if (strcmp(argv[1], item.name) == 0) print_case(&item, at.h_out);
    }
    return 0;
}
