// Products of matrices of 4-bit integers and of single bits, by wmma and by mma, against plain
// loops.
#include <mma.h>

#include <cstdint>
#include <cstring>

#include "../check.h"

namespace sub = nvcuda::wmma::experimental;
using namespace nvcuda;
enum { SIDE = 8, K4 = 32, K1 = 128, TALL = 16, K_MMA = 64, K_BITS = 256 };

template <typename T> __device__ void nibbles(const void *a, const void *b, int *c) {
    wmma::fragment<wmma::matrix_a, SIDE, SIDE, K4, T, wmma::row_major> left;
    wmma::fragment<wmma::matrix_b, SIDE, SIDE, K4, T, wmma::col_major> right;
    wmma::fragment<wmma::accumulator, SIDE, SIDE, K4, int> sum;
    wmma::fill_fragment(sum, 100);
    wmma::load_matrix_sync(left, a, K4);
    wmma::load_matrix_sync(right, b, K4);
    wmma::mma_sync(sum, left, right, sum);
    wmma::store_matrix_sync(c, sum, SIDE, wmma::mem_row_major);
}
__global__ void signed_nibbles(const void *a, const void *b, int *c) {
    nibbles<sub::precision::s4>(a, b, c);
}
__global__ void unsigned_nibbles(const void *a, const void *b, int *c) {
    nibbles<sub::precision::u4>(a, b, c);
}

__global__ void bits(const void *a, const void *b, int *c, bool ands) {
    wmma::fragment<wmma::matrix_a, SIDE, SIDE, K1, sub::precision::b1, wmma::row_major> left;
    wmma::fragment<wmma::matrix_b, SIDE, SIDE, K1, sub::precision::b1, wmma::col_major> right;
    wmma::fragment<wmma::accumulator, SIDE, SIDE, K1, int> sum;
    wmma::fill_fragment(sum, 0);
    wmma::load_matrix_sync(left, a, K1);
    wmma::load_matrix_sync(right, b, K1);
    if (ands) wmma::bmma_sync(sum, left, right, sum, sub::bmmaBitOpAND);
    else wmma::bmma_sync(sum, left, right, sum, sub::bmmaBitOpXOR);
    wmma::store_matrix_sync(c, sum, SIDE, wmma::mem_row_major);
}

// Fragments as PTX lays them out: lane / 4 is the row of A and the column of B, a register holds
// neighbours along k.
#define TALL_KERNEL(name, text, words_a_row)                                                       \
    __global__ void name(const uint32_t *a, const uint32_t *b, int *c) {                           \
        uint32_t group = threadIdx.x / 4, inner = threadIdx.x % 4, half = words_a_row / 2;         \
        const uint32_t *top = a + group * words_a_row, *low = top + 8 * words_a_row;               \
        const uint32_t *right = b + group * words_a_row;                                           \
        int d[4];                                                                                  \
        asm("mma.sync.aligned." text " {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%10,%10,%10,%10};"  \
            : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3])                                       \
            : "r"(top[inner]), "r"(low[inner]), "r"(top[half + inner]), "r"(low[half + inner]),    \
              "r"(right[inner]), "r"(right[half + inner]), "r"(7));                                \
        for (int i = 0; i < 4; i++) c[(group + i / 2 * 8) * SIDE + inner * 2 + i % 2] = d[i];      \
    }
TALL_KERNEL(tall_nibbles, "m16n8k64.row.col.s32.s4.u4.s32", 8)
TALL_KERNEL(tall_bits, "m16n8k256.row.col.s32.b1.b1.s32.and.popc", 8)

static int nibble(const uint8_t *bytes, int index, bool is_signed) {
    int value = bytes[index / 2] >> (index % 2 * 4) & 15;
    return is_signed && value > 7 ? value - 16 : value;
}
static int bit(const uint8_t *bytes, int index) { return bytes[index / 8] >> (index % 8) & 1; }

enum product { NIBBLES_S, NIBBLES_U, NIBBLES_MIXED, BITS_XOR, BITS_AND };

// Rows of A and columns of B lie one after the other.
static int expected(product kind, const uint8_t *a, const uint8_t *b, int row, int column, int k) {
    int sum = 0;
    for (int i = 0; i < k; i++) {
        int x = row * k + i, y = column * k + i;
        if (kind == BITS_XOR) sum += bit(a, x) ^ bit(b, y);
        if (kind == BITS_AND) sum += bit(a, x) & bit(b, y);
        if (kind < BITS_XOR)
            sum += nibble(a, x, kind != NIBBLES_U) * nibble(b, y, kind == NIBBLES_S);
    }
    return sum;
}

static void check(const char *name, product kind, const uint8_t *a, const uint8_t *b, int *c,
                  int rows, int k, int start) {
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaDeviceSynchronize());
    for (int row = 0; row < rows; row++)
        for (int column = 0; column < SIDE; column++) {
            int want = start + expected(kind, a, b, row, column, k), got = c[row * SIDE + column];
            if (got == want) continue;
            fprintf(stderr, "%s: row %d, column %d: %d, not %d\n", name, row, column, got, want);
            exit(1);
        }
    memset(c, 0x55, TALL * SIDE * sizeof *c);
}

int main() {
    uint8_t *a, *b;
    int *c;
    uint32_t state = 12345;
    CUDA_CHECK(cudaMallocManaged(&a, TALL * K_BITS / 8));
    CUDA_CHECK(cudaMallocManaged(&b, TALL * K_BITS / 8));
    CUDA_CHECK(cudaMallocManaged(&c, TALL * SIDE * sizeof *c));
    for (int i = 0; i < TALL * K_BITS / 8; i++) {
        a[i] = (uint8_t)((state = state * 1664525u + 1013904223u) >> 24);
        b[i] = (uint8_t)((state = state * 1664525u + 1013904223u) >> 24);
    }
    signed_nibbles<<<1, 32>>>(a, b, c);
    check("s4", NIBBLES_S, a, b, c, SIDE, K4, 100);
    unsigned_nibbles<<<1, 32>>>(a, b, c);
    check("u4", NIBBLES_U, a, b, c, SIDE, K4, 100);
    bits<<<1, 32>>>(a, b, c, false);
    check("b1 xor", BITS_XOR, a, b, c, SIDE, K1, 0);
    bits<<<1, 32>>>(a, b, c, true);
    check("b1 and", BITS_AND, a, b, c, SIDE, K1, 0);
    tall_nibbles<<<1, 32>>>((uint32_t *)a, (uint32_t *)b, c);
    check("m16n8k64", NIBBLES_MIXED, a, b, c, TALL, K_MMA, 7);
    tall_bits<<<1, 32>>>((uint32_t *)a, (uint32_t *)b, c);
    check("m16n8k256", BITS_AND, a, b, c, TALL, K_BITS, 7);
    printf("ok\n");
    return 0;
}
