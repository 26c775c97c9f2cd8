// Products of 4-, 6- and 8-bit floats, with factors and of sparse matrices, and matrices of bytes
// moved between shared memory and registers (PTX ISA 9.1, "mma", "ldmatrix", "stmatrix"), against
// 64-bit integers. From the manual, not compared with a card.
// since: 12.9
// architectures: 120a
// environment: LADDER_SIM_DEVICE=rtx5090
#include <cstdint>
#include <random>

#include "../check.h"

static std::mt19937 rng(11);

// ---- Formats ------------------------------------------------------------------------------------

enum type { E4M3, E5M2, E2M3, E3M2, E2M1, PAIRS, UE8M0, UE4M3 }; // PAIRS: e2m1, two in a byte
enum { UNIT = 3 };                                               // values are multiples of 2^-UNIT

// The value of an element in units; false: it is not a multiple of one, or larger than 8.
static bool value_of(type of, int bits, int64_t *out) {
    static const int fractions[] = {3, 2, 3, 2, 1, 1, 0, 3}, exponents[] = {4, 5, 2, 3, 2, 2, 8, 4};
    int fraction = fractions[of], bias = (1 << (exponents[of] - 1)) - 1;
    if (of == E2M1) bits >>= 2; // in the middle of its byte
    int sign = of < UE8M0 ? bits >> (fraction + exponents[of]) & 1 : 0;
    int exponent = bits >> fraction & ((1 << exponents[of]) - 1);
    int digits = bits & ((1 << fraction) - 1);
    if (exponent || of == UE8M0) digits |= 1 << fraction;
    else exponent = 1;
    double value = ldexp(digits, exponent - bias - fraction + UNIT);
    *out = int64_t(sign ? -value : value);
    return value <= 8 << UNIT && value == floor(value);
}
static uint32_t random_element(type of) {
    static const uint32_t masks[] = {0xFF, 0xFF, 0x3F, 0x3F, 0x3C, 0xF, 0xFF, 0x7F};
    int64_t value;
    uint32_t bits;
    do bits = rng() & masks[of];
    while (!value_of(of, int(bits), &value) || (of >= UE8M0 && value == 0));
    return bits;
}

// ---- Products -----------------------------------------------------------------------------------

struct lane {
    uint32_t a[4], b[4], metadata, factors[2];
    float c[4];
};

// N, words, types of A and B, of factors, how many, sparse, sums of half, byte and lane of A's and
// B's factors.
#define SPARSE ".sp::ordered_metadata.sync.aligned.m16n8"
#define PRODUCTS(X)                                                                                \
    X(0, ".sync.aligned.m16n8k32.row.col.kind::f8f6f4.f32.e4m3.e5m2.f32", E4M3, E5M2, UE8M0, 0)    \
    X(1, ".sync.aligned.m16n8k32.row.col.kind::f8f6f4.f32.e5m2.e2m3.f32", E5M2, E2M3, UE8M0, 0)    \
    X(2, ".sync.aligned.m16n8k32.row.col.kind::f8f6f4.f32.e2m3.e3m2.f32", E2M3, E3M2, UE8M0, 0)    \
    X(3, ".sync.aligned.m16n8k32.row.col.kind::f8f6f4.f32.e3m2.e2m1.f32", E3M2, E2M1, UE8M0, 0)    \
    X(4, ".sync.aligned.m16n8k32.row.col.kind::f8f6f4.f32.e2m1.e4m3.f32", E2M1, E4M3, UE8M0, 0)
#define SPARSE_PRODUCTS(X)                                                                         \
    X(5, SPARSE "k64.row.col.kind::f8f6f4.f32.e2m1.e3m2.f32", E2M1, E3M2, UE8M0, 0)                \
    X(6, SPARSE "k64.row.col.kind::f8f6f4.f32.e5m2.e4m3.f32", E5M2, E4M3, UE8M0, 0)
#define SCALED_PRODUCTS(X)                                                                         \
    X(7, "mxf8f6f4.block_scale.scale_vec::1X.f32.e4m3.e2m3.f32.ue8m0", E4M3, E2M3, UE8M0, 1, 32)   \
    X(8, "mxf8f6f4.block_scale.f32.e2m1.e5m2.f32.ue8m0", E2M1, E5M2, UE8M0, 1, 32)                 \
    X(9, "mxf4.block_scale.f32.e2m1.e2m1.f32.ue8m0", PAIRS, PAIRS, UE8M0, 2, 64)                   \
    X(10, "mxf4nvf4.block_scale.scale_vec::2X.f32.e2m1.e2m1.f32.ue8m0", PAIRS, PAIRS, UE8M0, 2,    \
      64)                                                                                          \
    X(11, "mxf4nvf4.block_scale.scale_vec::4X.f32.e2m1.e2m1.f32.ue4m3", PAIRS, PAIRS, UE4M3, 4, 64)
#define SPARSE_SCALED_PRODUCTS(X)                                                                  \
    X(12, "mxf8f6f4.block_scale.f32.e3m2.e4m3.f32.ue8m0", E3M2, E4M3, UE8M0, 1, 64)                \
    X(13, "mxf4.block_scale.f32.e2m1.e2m1.f32.ue8m0", PAIRS, PAIRS, UE8M0, 2, 128)                 \
    X(14, "mxf4nvf4.block_scale.scale_vec::4X.f32.e2m1.e2m1.f32.ue4m3", PAIRS, PAIRS, UE4M3, 4, 128)

struct product {
    type a, b, factor;
    int factors, depth;
    bool sparse;
    int pairs() const { return a == PAIRS; }
};
#define DENSE_ROW(n, words, a, b, factor, count)                {a, b, factor, count, 32, false},
#define SPARSE_ROW(n, words, a, b, factor, count)               {a, b, factor, count, 64, true},
#define SCALED_ROW(n, words, a, b, factor, count, depth)        {a, b, factor, count, depth, false},
#define SPARSE_SCALED_ROW(n, words, a, b, factor, count, depth) {a, b, factor, count, depth, true},
static const product products[] = {PRODUCTS(DENSE_ROW) SPARSE_PRODUCTS(SPARSE_ROW) SCALED_PRODUCTS(
    SCALED_ROW) SPARSE_SCALED_PRODUCTS(SPARSE_SCALED_ROW)};
enum { COUNT = sizeof products / sizeof *products };

#define SUMS      "{%0, %1, %2, %3}"
#define DENSE     ", {%4, %5, %6, %7}, {%8, %9}, " SUMS
#define HALF      ", {%4, %5, %6, %7}, {%8, %9, %10, %11}, " SUMS ", %12, 0"
#define STRING(x) #x
#define TEXT(x)   STRING(x)
#define OPERANDS                                                                                   \
    : "+f"(l.c[0]), "+f"(l.c[1]), "+f"(l.c[2]), "+f"(l.c[3])                                       \
    : "r"(l.a[0]), "r"(l.a[1]), "r"(l.a[2]), "r"(l.a[3]), "r"(l.b[0]), "r"(l.b[1]), "r"(l.b[2]),   \
      "r"(l.b[3]), "r"(l.metadata), "r"(l.factors[0]), "r"(l.factors[1]), "h"(where[0]),           \
      "h"(where[1]), "h"(where[2]), "h"(where[3])
#define FACTORS ", %13, {%15, %16}, %14, {%17, %18};"
#define CASE(n, words, ...)                                                                        \
    case n:                                                                                        \
        asm volatile("mma" words " " SUMS DENSE ";" OPERANDS);                                     \
        break;
#define SPARSE_CASE(n, words, ...)                                                                 \
    case n:                                                                                        \
        asm volatile("mma" words " " SUMS HALF ";" OPERANDS);                                      \
        break;
#define SCALED_CASE(n, words, a, b, f, count, k)                                                   \
    case n:                                                                                        \
        asm volatile("mma.sync.aligned.m16n8k" TEXT(k) ".row.col.kind::" words                     \
                                                       " " SUMS DENSE FACTORS OPERANDS);           \
        break;
#define SPARSE_SCALED_CASE(n, words, a, b, f, count, k)                                            \
    case n:                                                                                        \
        asm volatile("mma" SPARSE "k" TEXT(k) ".row.col.kind::" words                              \
                                              " " SUMS HALF FACTORS OPERANDS);                     \
        break;

// where: byte and lane of A's factors, and of B's.
static __global__ void multiply(int which, lane *lanes, ushort4 at) {
    lane &l = lanes[threadIdx.x];
    const uint16_t where[] = {at.x, at.y, at.z, at.w};
    switch (which) {
        PRODUCTS(CASE)
        SPARSE_PRODUCTS(SPARSE_CASE)
        SCALED_PRODUCTS(SCALED_CASE)
        SPARSE_SCALED_PRODUCTS(SPARSE_SCALED_CASE)
    default: { // sums of half, of the types of product 4
        uint32_t low = l.a[0];
        asm volatile(
            "{ .reg .b32 c, d; mov.b32 c, %0; mov.b32 d, %1;\n\t"
            "mma.sync.aligned.m16n8k32.row.col.kind::f8f6f4.f16.e2m1.e4m3.f16 {c, d}, "
            "{%4, %5, %6, %7}, {%8, %9}, {c, d}; mov.b32 %0, c; mov.b32 %1, d; }" OPERANDS);
        l.a[0] = low;
    }
    }
}

struct matrices { // in units
    int64_t a[16][128], b[128][8], factors_a[16][4], factors_b[8][4];
};

static uint32_t field(uint32_t word, int index, int width) {
    return word >> index * width & ((1u << width) - 1);
}

// Elements as they lie in registers; of a sparse A with zeros where it holds none.
static void unpack(const product &p, const lane *lanes, const int *where, matrices *m) {
    int width = p.pairs() ? 4 : 8, each = 32 / width, held = p.pairs() ? 4 : 2;
    memset(m, 0, sizeof *m);
    for (int t = 0; t < 32; t++) {
        for (int r = 0; r < 4; r++)
            for (int e = 0; e < each; e++) {
                int row = t / 4 + r % 2 * 8, k = t % 4 * each + r / 2 * 4 * each + e;
                if (p.sparse) { // four bits of metadata for each `held` elements
                    int group = k / held, inside = k % held, tall = row / 8;
                    int from = row % 8 * 4 + group / 8 * 2 + tall;
                    uint32_t picks = field(lanes[from].metadata, group % 8, 4);
                    int place = held == 2 ? field(picks, inside, 2)
                                          : field(picks, inside / 2, 2) * 2 + inside % 2;
                    k = group * 2 * held + place;
                }
                value_of(p.a, int(field(lanes[t].a[r], e, width)), &m->a[row][k]);
            }
        for (int r = 0; r < (p.sparse ? 4 : 2); r++)
            for (int e = 0; e < each; e++)
                value_of(p.b, int(field(lanes[t].b[r], e, width)),
                         &m->b[t % 4 * each + r * 4 * each + e][t / 4]);
    }
    for (int i = 0; i < p.factors; i++) {
        for (int row = 0; row < 16; row++)
            value_of(
                p.factor,
                int(field(lanes[row % 8 * 4 + where[1] * 2 + row / 8].factors[0], where[0] + i, 8)),
                &m->factors_a[row][i]);
        for (int column = 0; column < 8; column++)
            value_of(p.factor, int(field(lanes[column * 4 + where[3]].factors[1], where[2] + i, 8)),
                     &m->factors_b[column][i]);
    }
}

static void fill(const product &p, lane *lanes) {
    int width = p.pairs() ? 4 : 8;
    for (int t = 0; t < 32; t++) {
        lane &l = lanes[t] = {};
        for (int r = 0; r < 4; r++)
            for (int at = 0; at < 32; at += width) {
                l.a[r] |= random_element(p.a) << at;
                l.b[r] |= random_element(p.b) << at;
            }
        for (int at = 0; at < 32; at += 8) {
            l.factors[0] |= random_element(p.factor) << at;
            l.factors[1] |= random_element(p.factor) << at;
        }
        static const uint32_t picks[] = {0x4, 0x8, 0xC, 0x9, 0xD, 0xE}; // two of four, in order
        for (int at = 0; at < 32; at += 4) l.metadata |= picks[rng() % 6] << at;
        for (float &c : l.c) c = float(int(rng() % 101) - 50);
    }
}

// Exact: no sum has more than 24 bits.
static void check_product(int which, const int *where) {
    const product &p = products[which];
    lane lanes[32], *device;
    matrices m;
    fill(p, lanes);
    unpack(p, lanes, where, &m);
    CUDA_CHECK(cudaMalloc(&device, sizeof lanes));
    CUDA_CHECK(cudaMemcpy(device, lanes, sizeof lanes, cudaMemcpyDefault));
    multiply<<<1, 32>>>(which, device,
                        make_ushort4(uint16_t(where[0]), uint16_t(where[1]), uint16_t(where[2]),
                                     uint16_t(where[3])));
    lane found[32];
    CUDA_CHECK(cudaMemcpy(found, device, sizeof found, cudaMemcpyDefault));
    CUDA_CHECK(cudaFree(device));
    for (int t = 0; t < 32; t++)
        for (int e = 0; e < 4; e++) {
            int row = t / 4 + e / 2 * 8, column = t % 4 * 2 + e % 2;
            int parts = p.factors ? p.factors : 1, length = p.depth / parts;
            int64_t sum = 0;
            for (int i = 0; i < parts; i++) {
                int64_t part = 0;
                for (int k = i * length; k < (i + 1) * length; k++)
                    part += m.a[row][k] * m.b[k][column];
                sum += part * (p.factors ? m.factors_a[row][i] * m.factors_b[column][i] : 1);
            }
            double exact = ldexp(double(sum), (p.factors ? -4 : -2) * UNIT);
            EXPECT(found[t].c[e] == float(exact + double(lanes[t].c[e])));
        }
}

// Sums of half: 1 to 32 ones, to what half adds exactly.
static void check_halves() {
    lane lanes[32] = {}, *device;
    for (lane &l : lanes) {
        for (int r = 0; r < 4; r++) l.a[r] = 0x08080808, l.b[r] = 0x38383838; // ones
        uint32_t ones = 0x3C003C00, two = 0x40004000;
        memcpy(&l.c[0], &ones, 4);
        memcpy(&l.c[1], &two, 4);
    }
    CUDA_CHECK(cudaMalloc(&device, sizeof lanes));
    CUDA_CHECK(cudaMemcpy(device, lanes, sizeof lanes, cudaMemcpyDefault));
    multiply<<<1, 32>>>(COUNT, device, make_ushort4(0, 0, 0, 0));
    CUDA_CHECK(cudaMemcpy(lanes, device, sizeof lanes, cudaMemcpyDefault));
    CUDA_CHECK(cudaFree(device));
    for (const lane &l : lanes) {
        uint32_t sums[2];
        memcpy(sums, l.c, sizeof sums);
        EXPECT(sums[0] == 0x50205020 && sums[1] == 0x50405040); // 33 and 34
    }
}

// ---- Moves --------------------------------------------------------------------------------------

#define LOAD(n, words, list, ...)                                                                  \
    case n:                                                                                        \
        asm volatile("ldmatrix.sync.aligned." words " " list ", [%4];"                             \
                     : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])                              \
                     : "r"(at)                                                                     \
                     : "memory");                                                                  \
        break;
// N, words, registers; rows of a matrix, bits of an element.
#define LOADS(X)                                                                                   \
    X(0, "m16n16.x2.trans.shared.b8", "{%0, %1, %2, %3}", 16, 8, 4)                                \
    X(1, "m16n16.x1.trans.shared.b8x16.b6x16_p32", "{%0, %1}", 16, 6, 2)                           \
    X(2, "m16n16.x2.trans.shared.b8x16.b4x16_p64", "{%0, %1, %2, %3}", 16, 4, 4)                   \
    X(3, "m8n16.x4.shared.b8x16.b6x16_p32", "{%0, %1, %2, %3}", 8, 6, 4)                           \
    X(4, "m8n16.x2.shared.b8x16.b4x16_p64", "{%0, %1}", 8, 4, 2)                                   \
    X(5, "m8n16.x1.shared.b8x16.b4x16_p64", "{%0}", 8, 4, 1)

// memory: [32][16], rows in the order of the lanes; registers: [32][4]. LOADS, or behind them a
// store of four matrices.
enum { LOAD_COUNT = 6 };
static __global__ void move(int which, uint8_t *memory, uint32_t *registers) {
    __shared__ alignas(16) uint8_t rows[32][16];
    uint32_t r[4] = {}, at = uint32_t(__cvta_generic_to_shared(rows[threadIdx.x]));
    for (int i = 0; i < 16; i++) rows[threadIdx.x][i] = memory[threadIdx.x * 16 + i];
    for (int i = 0; i < 4; i++) r[i] = registers[threadIdx.x * 4 + i];
    __syncwarp();
    switch (which) {
        LOADS(LOAD)
    default:
        asm volatile("stmatrix.sync.aligned.m16n8.x4.trans.shared.b8 [%0], {%1, %2, %3, %4};"
                     :
                     : "r"(at), "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3])
                     : "memory");
    }
    __syncwarp();
    for (int i = 0; i < 16; i++) memory[threadIdx.x * 16 + i] = rows[threadIdx.x][i];
    for (int i = 0; i < 4; i++) registers[threadIdx.x * 4 + i] = r[i];
}

static void check_moves() {
#define MOVE_ROW(n, words, list, high, bits, count) {high, bits, count},
    static const struct { int high, bits, registers; } loads[] = {LOADS(MOVE_ROW)};
    uint8_t memory[32][16], before[32][16], *d_memory;
    uint32_t registers[32][4], *d_registers;
    CUDA_CHECK(cudaMalloc(&d_memory, sizeof memory));
    CUDA_CHECK(cudaMalloc(&d_registers, sizeof registers));
    for (int which = 0; which <= LOAD_COUNT; which++) {
        for (auto &row : memory)
            for (uint8_t &byte : row) byte = uint8_t(rng());
        for (auto &lane : registers)
            for (uint32_t &word : lane) word = rng();
        memcpy(before, memory, sizeof before);
        CUDA_CHECK(cudaMemcpy(d_memory, memory, sizeof memory, cudaMemcpyDefault));
        CUDA_CHECK(cudaMemcpy(d_registers, registers, sizeof registers, cudaMemcpyDefault));
        move<<<1, 32>>>(which, d_memory, d_registers);
        CUDA_CHECK(cudaMemcpy(memory, d_memory, sizeof memory, cudaMemcpyDefault));
        CUDA_CHECK(cudaMemcpy(registers, d_registers, sizeof registers, cudaMemcpyDefault));
        for (int t = 0; t < 32; t++)
            for (int e = 0; e < 4; e++)
                for (int r = 0; r < (which < LOAD_COUNT ? loads[which].registers : 4); r++) {
                    uint32_t byte = registers[t][r] >> 8 * e & 0xFF;
                    if (which == LOAD_COUNT) { // 16 x 8: rows are columns in memory
                        int row = t / 4 + e / 2 * 8, column = t % 4 * 2 + e % 2;
                        EXPECT(memory[r * 8 + column][row] == byte);
                        continue;
                    }
                    int row = r * 8 + t / 4, i = t % 4 * 4 + e, bits = loads[which].bits;
                    if (loads[which].high == 16) row = r / 2 * 16 + i, i = t / 4 + r % 2 * 8;
                    uint64_t halves[2];
                    memcpy(halves, before[row], sizeof halves);
                    uint64_t wanted = halves[i * bits / 64] >> i * bits % 64;
                    if (i * bits % 64 + bits > 64) wanted |= halves[1] << (64 - i * bits % 64);
                    EXPECT(byte == (wanted & ((1u << bits) - 1)));
                }
    }
    CUDA_CHECK(cudaFree(d_memory));
    CUDA_CHECK(cudaFree(d_registers));
}

int main() {
    for (int which = 0; which < COUNT; which++)
        for (int round = 0; round < 8; round++) {
            int step = products[which].factors ? products[which].factors : 4;
            const int where[] = {round * step % 4, round % 2, (round + 1) * step % 4, round % 4};
            check_product(which, where);
        }
    check_halves();
    check_moves();
    printf("ok\n");
    return 0;
}
