// SPDX-License-Identifier: MIT
// Products of 16-bit floats with sums in float, the usual shapes, eight columns at a time. The
// results are those of matrix_product.c, which has the rules; it also computes what is rare here:
// infinities, NaNs and sums below the normal numbers.
//
// A factor is an integer times a power of two. Products are integers of 27 bits once they are
// shifted to where the adder has its last bit (26 bits below the largest exponent, a product of two
// significands having one more): 16 of them and what is kept of the sum fit into an int64_t.
#include <string.h>

#include "ops/matrix_half.h"
#include "ops/matrix_product.h"
#include "warps/lanes.h"

#ifdef __AVX2__
#include <immintrin.h>
#endif

// Vectors are passed between functions of this file alone, whatever a processor without AVX does
// with them.
#pragma GCC diagnostic ignored "-Wpsabi"

enum { ROWS = 16, COLUMNS = 8, DEPTH = 16, NOTHING = -4096 /* exponent of 0 */ };

typedef int32_t ints __attribute__((vector_size(4 * COLUMNS)));
typedef int64_t longs __attribute__((vector_size(8 * COLUMNS)));
typedef double doubles __attribute__((vector_size(8 * COLUMNS)));

// A type of factors: bits of the fraction, what its exponents are stored with, and by how much a
// product of two significands is shifted to the adder's last bit.
typedef struct factor_kind {
    int fraction, bias, shift;
} factor_kind;
static const factor_kind half_kind = {10, 15, 5}, brain_kind = {7, 127, 11};

// A factor is significand * 2^(exponent - fraction).
typedef struct factors {
    int32_t a[ROWS][DEPTH], a_exponent[ROWS][DEPTH]; // significands of A are shifted already
    ints b[DEPTH], b_exponent[DEPTH];
    float c[ROWS][COLUMNS], d[ROWS][COLUMNS];
} factors;

// False for an infinity or a NaN.
static inline bool decode(factor_kind kind, uint32_t bits, int32_t *significand,
                          int32_t *exponent) {
    int32_t most = (1 << (15 - kind.fraction)) - 1;
    int32_t place = (int32_t)(bits >> kind.fraction) & most;
    int32_t value = (int32_t)(bits & ((1u << kind.fraction) - 1)) | (place > 0) << kind.fraction;
    *significand = bits & 0x8000 ? -value : value;
    *exponent = value == 0 ? NOTHING : (place > 0 ? place : 1) - kind.bias;
    return place != most;
}

// Registers of A and B, one after the other, as in matrix_layout.h.
static inline bool decode_factors(factor_kind kind, const uint32_t *const *a,
                                  const uint32_t *const *b, factors *to) {
    bool finite = true;
    for (int r = 0; r < 4; r++)
        for (int lane = 0; lane < SIM_WARP_LANES; lane++)
            for (int e = 0; e < 2; e++) {
                int row = lane / 4 + r % 2 * 8, k = lane % 4 * 2 + r / 2 * 8 + e;
                finite &= decode(kind, a[r][lane] >> (16 * e) & 0xFFFF, &to->a[row][k],
                                 &to->a_exponent[row][k]);
                to->a[row][k] *= 1 << kind.shift;
            }
    for (int r = 0; r < 2; r++)
        for (int lane = 0; lane < SIM_WARP_LANES; lane++)
            for (int e = 0; e < 2; e++) {
                int k = lane % 4 * 2 + r * 8 + e, column = lane / 4;
                int32_t significand, exponent;
                finite &= decode(kind, b[r][lane] >> (16 * e) & 0xFFFF, &significand, &exponent);
                to->b[k][column] = significand;
                to->b_exponent[k][column] = exponent;
            }
    return finite;
}

static inline ints larger(ints x, ints y) {
    ints first = x > y;
    return (x & first) | (y & ~first);
}

// x shifted to the right by `places` >= 0, towards 0.
static inline ints shifted(ints x, ints places) {
#ifdef __AVX2__
    __m256i value = (__m256i)x;
    __m256i magnitude = _mm256_srlv_epi32(_mm256_abs_epi32(value), (__m256i)places);
    return (ints)_mm256_sign_epi32(magnitude, value);
#else
    ints sign = x >> 31, most = places > 31, at = (places & ~most) | (most & 31);
    return ((((x ^ sign) - sign) >> at) ^ sign) - sign;
#endif
}

// The sum so far: 24 bits, of which two more places are kept. False where one is not finite.
static inline bool decode_sums(const float *sums, ints *significand, ints *exponent) {
    ints bits;
    memcpy(&bits, sums, sizeof bits);
    ints place = bits >> 23 & 255, sign = bits >> 31, normal = place > 0;
    ints value = ((bits & 0x7FFFFF) | (normal & 0x800000)) << 2, zero = value == 0;
    *significand = (value ^ sign) - sign;
    *exponent = (((place & normal) | (1 & ~normal)) - 127) & ~zero;
    *exponent |= zero & NOTHING;
    for (int i = 0; i < COLUMNS; i++)
        if (place[i] == 255) return false;
    return true;
}

// total * 2^(largest - 25), cut to 24 bits. False where one lies below the normal numbers.
static inline bool cut(doubles total, ints largest, float *to) {
    longs place = __builtin_convertvector(larger(largest, (ints){} - 900), longs) + (1023 - 25);
    doubles value = total * (doubles)(place << 52);
    longs bits = (longs)value & ~INT64_C(0x1FFFFFFF);
    longs magnitude = bits & INT64_MAX;
    for (int i = 0; i < COLUMNS; i++)
        if (magnitude[i] != 0 && magnitude[i] < INT64_C(897) << 52) return false; // 2^-126
    value = (doubles)bits;
    for (int i = 0; i < COLUMNS; i++) to[i] = (float)value[i];
    return true;
}

static inline bool multiply_row(const factors *f, int row, float *to) {
    ints largest, sum = {}, c;
    if (!decode_sums(f->c[row], &c, &largest)) return false;
    ints c_exponent = largest;
    for (int k = 0; k < DEPTH; k++)
        largest = larger(largest, f->b_exponent[k] + f->a_exponent[row][k]);
    for (int k = 0; k < DEPTH; k++)
        sum +=
            shifted(f->b[k] * f->a[row][k], largest - (f->b_exponent[k] + f->a_exponent[row][k]));
    c = shifted(c, largest - c_exponent);
    return cut(__builtin_convertvector(sum, doubles) + __builtin_convertvector(c, doubles), largest,
               to);
}

// One product of 16 x 8 x 16; registers of a lane each [SIM_WARP_LANES].
static inline bool multiply_tile(factor_kind kind, const uint32_t *const *a,
                                 const uint32_t *const *b, const uint32_t *const *c, factors *f) {
    if (!decode_factors(kind, a, b, f)) return false;
    for (int r = 0; r < 4; r++)
        for (int lane = 0; lane < SIM_WARP_LANES; lane++)
            memcpy(&f->c[lane / 4 + r / 2 * 8][lane % 4 * 2 + r % 2], &c[r][lane], sizeof(float));
    for (int row = 0; row < ROWS; row++)
        if (!multiply_row(f, row, f->d[row])) return false;
    return true;
}

static inline void store_tile(uint32_t *const *d, const factors *f) {
    for (int r = 0; r < 4; r++)
        for (int lane = 0; lane < SIM_WARP_LANES; lane++)
            memcpy(&d[r][lane], &f->d[lane / 4 + r / 2 * 8][lane % 4 * 2 + r % 2], sizeof(float));
}

static const factor_kind *kind_of(const sim_matrix *matrix) {
    return matrix->a == SIM_ELEMENT_F16 ? &half_kind : &brain_kind;
}

bool SIM_VARIANT(sim_matrix_serves)(const sim_matrix *matrix) {
    return matrix->m == ROWS && matrix->k == DEPTH && (matrix->n == 8 || matrix->n == 16) &&
           matrix->a == matrix->b && matrix->c == SIM_ELEMENT_F32 && matrix->d == SIM_ELEMENT_F32 &&
           (matrix->a == SIM_ELEMENT_F16 || matrix->a == SIM_ELEMENT_BF16);
}

// A fragment of wmma of 16 columns is that of two tiles of 8.
bool SIM_VARIANT(sim_matrix_halves)(sim_warp *warp, const sim_matrix *matrix,
                                    const uint32_t *slots) {
    enum { TILES = 2, MOST = 8 };
    const uint32_t *a[MOST], *b[MOST], *c[MOST];
    uint32_t *d[MOST];
    const uint32_t *at = slots;
    factors f[TILES];
    int tiles = matrix->n / COLUMNS;
    for (int r = 0; r < matrix->registers[SIM_MATRIX_D]; r++) d[r] = SLOT(uint32_t, *at++);
    for (int r = 0; r < matrix->registers[SIM_MATRIX_A]; r++) a[r] = SLOT(const uint32_t, *at++);
    for (int r = 0; r < matrix->registers[SIM_MATRIX_B]; r++) b[r] = SLOT(const uint32_t, *at++);
    for (int r = 0; r < matrix->registers[SIM_MATRIX_C]; r++) c[r] = SLOT(const uint32_t, *at++);
    factor_kind kind = *kind_of(matrix);
    for (int t = 0; t < tiles; t++)
        if (!multiply_tile(kind, a, b + 2 * t, c + 4 * t, &f[t])) return false;
    for (int t = 0; t < tiles; t++) store_tile(d + 4 * t, &f[t]);
    return true;
}
