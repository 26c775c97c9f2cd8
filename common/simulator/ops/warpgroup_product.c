// See internal.h. Sums of floats are formed as 32-bit integers, 16 columns of a row at
// once: a product of two usual numbers is exact in an f32, and its conversion to an integer cuts it
// where the hardware does. Rows and columns that hold other numbers are added up one by one.
#include "ops/internal.h"
#include "program/fpmath.h"

#ifdef __AVX2__
#include <immintrin.h>
#endif

// Vectors are passed within this file alone.
#pragma GCC diagnostic ignored "-Wpsabi"

enum {
    BLOCK = 16, // columns at once
    HALF = BLOCK / 2,
    LEAST_EXPONENT = -100, // of a quick sum: its scale is an f32
    SINGLE_BIAS = 127,
    DOUBLE_BIAS = 1023
};
typedef float float4 __attribute__((vector_size(16)));
typedef float float8 __attribute__((vector_size(32)));
typedef int32_t int4 __attribute__((vector_size(16)));
typedef int32_t int8 __attribute__((vector_size(32)));
typedef uint32_t unsigned8 __attribute__((vector_size(32)));
typedef int16_t short16 __attribute__((vector_size(32)));
typedef int16_t short8 __attribute__((vector_size(16)));
typedef double double4 __attribute__((vector_size(32)));
typedef int64_t long4 __attribute__((vector_size(32)));

// Loops over k, which is known, become straight code.
#define INLINE static inline __attribute__((always_inline))
#define UNROLL _Pragma("GCC unroll 32")

// What decides how sums are cut.
typedef struct cut {
    int fraction; // bits of it that a term keeps
    int32_t lost; // low bits of a result in f32 that are cut as well
} cut;

INLINE cut cut_of(uint32_t k) { // 32: of 8-bit floats
    return k == 32 ? (cut){13, 0x3FF} : (cut){25, 0};
}

// ---- Accumulators -------------------------------------------------------------------------------

// Eight columns of a row of a tile lie in one register (f16) or two, in four lanes.
typedef struct row_place {
    uint32_t *low, *high; // even and odd columns; f16: pairs, NULL
} row_place;

INLINE row_place place_of(bool halves, uint32_t *const *registers, uint32_t row, uint32_t tile) {
    uint32_t lower = row / 8, lane = row % 8 * 4;
    if (halves) return (row_place){registers[2 * tile + lower] + lane, NULL};
    return (row_place){registers[4 * tile + 2 * lower] + lane,
                       registers[4 * tile + 2 * lower + 1] + lane};
}

// Eight columns in the order of a tile, from their even and odd ones, and the other way round.
#ifdef __AVX2__ // without a way through memory
INLINE int8 joined(int4 even, int4 odd) {
    return (int8)_mm256_set_m128i((__m128i)odd, (__m128i)even);
}
INLINE int4 lower_four(int8 v) { return (int4)_mm256_castsi256_si128((__m256i)v); }
INLINE int4 upper_four(int8 v) { return (int4)_mm256_extracti128_si256((__m256i)v, 1); }
#else
INLINE int8 joined(int4 even, int4 odd) {
    int8 both;
    memcpy(&both, &even, sizeof even);
    memcpy((int4 *)&both + 1, &odd, sizeof odd);
    return both;
}
INLINE int4 lower_four(int8 v) {
    int4 four;
    memcpy(&four, &v, sizeof four);
    return four;
}
INLINE int4 upper_four(int8 v) {
    int4 four;
    memcpy(&four, (const int4 *)&v + 1, sizeof four);
    return four;
}
#endif

// Of f16 the low half of each word.
INLINE int8 load_row(bool halves, const row_place *at) {
    int4 low, high;
    memcpy(&low, at->low, sizeof low);
    if (halves) return joined(low & 0xFFFF, low >> 16 & 0xFFFF);
    memcpy(&high, at->high, sizeof high);
    return joined(low, high);
}

INLINE void store_row(bool halves, const row_place *at, int4 even, int4 odd) {
    if (halves) even |= odd << 16;
    else memcpy(at->high, &odd, sizeof odd);
    memcpy(at->low, &even, sizeof even);
}

// ---- One sum ------------------------------------------------------------------------------------

// A number and the place that the adder gives it.
typedef struct term {
    double value;
    int exponent;
} term;

static term addend_of(const sim_matrix *matrix, uint32_t bits) {
    bool half = matrix->c == SIM_ELEMENT_F16;
    int smallest = half ? -14 : -126;
    double value = half ? sim_double_from_f16(bits) : (double)sim_float_from_bits(bits);
    int exponent = value == 0 || !isfinite(value) ? smallest : ilogb(value);
    return (term){value, exponent > smallest ? exponent : smallest};
}

static double aligned_sum(const term *terms, uint32_t count, int fraction) {
    int largest = INT32_MIN;
    double plain = 0;
    for (uint32_t i = 0; i < count; i++) {
        plain += terms[i].value;
        if (terms[i].value != 0 && terms[i].exponent > largest) largest = terms[i].exponent;
    }
    if (!isfinite(plain) || largest == INT32_MIN) return plain;
    int64_t sum = 0;
    for (uint32_t i = 0; i < count; i++) sum += (int64_t)ldexp(terms[i].value, fraction - largest);
    return ldexp((double)sum, largest - fraction);
}

static uint32_t packed(const sim_matrix *matrix, double value, const cut *how) {
    if (matrix->d == SIM_ELEMENT_F16)
        return value != value ? SIM_NAN_F16
                              : (uint32_t)sim_pack_double(&sim_format_f16, value, SIM_ROUND_RN);
    if (value != value) return SIM_NAN_F32;
    if (fabs(value) >= 0x1p128) return value < 0 ? 0xFF800000u : 0x7F800000u;
    return (uint32_t)sim_pack_double(&sim_format_f32, value, SIM_ROUND_RZ) & ~(uint32_t)how->lost;
}

static uint32_t sum_slowly(const sim_matrix *matrix, const sim_tile *a, uint32_t row,
                           const sim_tile *b, uint32_t column, uint32_t addend, bool adds) {
    term terms[SIM_TILE_K + 1];
    cut how = cut_of(matrix->k);
    uint32_t count = 0;
    for (uint32_t k = 0; k < matrix->k; k++)
        terms[count++] = (term){(double)a->value[k][row] * (double)b->value[k][column],
                                a->exponent[k][row] + b->exponent[k][column]};
    if (adds) terms[count++] = addend_of(matrix, addend);
    return packed(matrix, aligned_sum(terms, count, how.fraction), &how);
}

// ---- Sixteen sums -------------------------------------------------------------------------------

// Of two vectors what `chooses` says, all ones or zero.
INLINE int8 chosen(int8 chooses, int8 one, int8 other) {
    return (one & chooses) | (other & ~chooses);
}
INLINE int8 all_of(int32_t value) { return (int8){0} + value; }
#ifdef __AVX2__
INLINE int8 larger(int8 one, int8 other) {
    return (int8)_mm256_max_epi32((__m256i)one, (__m256i)other);
}
INLINE int8 smaller(int8 one, int8 other) {
    return (int8)_mm256_min_epi32((__m256i)one, (__m256i)other);
}
INLINE int8 magnitude_of(int8 v) { return (int8)_mm256_abs_epi32((__m256i)v); }
INLINE bool any_of(int8 flags) { return !_mm256_testz_si256((__m256i)flags, (__m256i)flags); }
INLINE short16 larger_of(short16 one, short16 other) {
    return (short16)_mm256_max_epi16((__m256i)one, (__m256i)other);
}
#else
INLINE int8 larger(int8 one, int8 other) { return chosen(one > other, one, other); }
INLINE int8 smaller(int8 one, int8 other) { return chosen(one < other, one, other); }
INLINE int8 magnitude_of(int8 v) {
    int8 sign = v >> 31;
    return (v ^ sign) - sign;
}
INLINE bool any_of(int8 flags) {
    uint64_t words[4];
    memcpy(words, &flags, sizeof words);
    return (words[0] | words[1] | words[2] | words[3]) != 0;
}
INLINE short16 larger_of(short16 one, short16 other) {
    short16 keeps = one > other;
    return (one & keeps) | (other & ~keeps);
}
#endif
INLINE float8 as_floats(int8 bits) {
    float8 values;
    memcpy(&values, &bits, sizeof values);
    return values;
}
INLINE int8 as_bits(float8 values) {
    int8 bits;
    memcpy(&bits, &values, sizeof bits);
    return bits;
}

// Places are exponents with the bias of an f32 here.
enum { LEAST_PLACE = LEAST_EXPONENT + SINGLE_BIAS, MOST_PLACE = 2 * SINGLE_BIAS };

// Eight accumulators of a block, as they enter the sum.
typedef struct addends {
    int8 bits; // of f32
    int8 place;
} addends;

INLINE int8 single_from_half(int8 half) {
    int8 magnitude = (half & 0x7FFF) << 13;
    int8 number = as_bits(as_floats(magnitude) * 0x1p112f);
    return chosen(magnitude >= 0x0F800000, all_of(0x7F800000), number) | (half & 0x8000) << 16;
}

// Zero and subnormal numbers of f32 have a place below all others, those of f16 what they are
// aligned to: of zero none.
INLINE addends read_addends(bool half, const row_place *at) {
    int8 words = load_row(half, at);
    if (!half) return (addends){words, words >> 23 & 0xFF};
    int8 single = single_from_half(words);
    int8 place = larger(single >> 23 & 0xFF, all_of(SINGLE_BIAS - 14));
    return (addends){single, place & ((single & INT32_MAX) != 0)};
}

// What differs between kinds of products, known where a block is compiled for one.
typedef struct float_kind {
    uint32_t k;
    bool halves; // accumulators of f16
} float_kind;

// Largest places of the products of a row of A by 16 columns of B, by halves of the columns.
INLINE void largest_places(const float_kind kind, const sim_tile *a, uint32_t row,
                           const sim_tile *b, uint32_t first, int8 out[2]) {
    short16 largest, of_parity[2]; // apart, so that one need not wait for the other
    short8 half[2];
    of_parity[0] = of_parity[1] = (short16){0} + SIM_NO_EXPONENT;
    UNROLL for (uint32_t k = 0; k < kind.k; k++) {
        short16 exponent;
        memcpy(&exponent, &b->exponent[k][first], sizeof exponent);
        exponent += a->exponent[k][row]; // with that of zero twice: still far below all others
        of_parity[k % 2] = larger_of(of_parity[k % 2], exponent);
    }
    largest = larger_of(of_parity[0], of_parity[1]) + SINGLE_BIAS;
    memcpy(half, &largest, sizeof half);
    out[0] = __builtin_convertvector(half[0], int8);
    out[1] = __builtin_convertvector(half[1], int8);
}

INLINE float8 scale_of(int8 place, int fraction) {
    return as_floats((2 * SINGLE_BIAS + fraction - place) << 23);
}

// The products aligned to `place`, added. 16 of them, each below 4 * 2^25, stay below 2^31: their
// factors are cut to 11 bits, so none is that large.
INLINE void add_products(const float_kind kind, const sim_tile *a, uint32_t row, const sim_tile *b,
                         uint32_t first, const float8 scale[2], int8 out[2]) {
    int8 low = {0}, high = {0};
    const float *of_first = &b->value[0][first];
    UNROLL for (uint32_t k = 0; k < kind.k; k++) {
        float8 x, y;
        float of_a = a->value[k][row];
        const float *of_b = of_first + k * SIM_TILE_PITCH;
        memcpy(&x, of_b, sizeof x);
        memcpy(&y, of_b + HALF, sizeof y);
        low += __builtin_convertvector(x * of_a * scale[0], int8);
        high += __builtin_convertvector(y * of_a * scale[1], int8);
    }
    out[0] = low;
    out[1] = high;
}

// Four exact sums of products and accumulators.
INLINE double4 whole_sums(int4 products, int4 addends, int4 place, int fraction) {
    double4 sum =
        __builtin_convertvector(products, double4) + __builtin_convertvector(addends, double4);
    long4 unit = __builtin_convertvector(place + (DOUBLE_BIAS - SINGLE_BIAS - fraction), long4)
                 << 52;
    double4 scale;
    memcpy(&scale, &unit, sizeof scale);
    return sum * scale;
}

INLINE double4 doubles_of(long4 bits) {
    double4 values;
    memcpy(&values, &bits, sizeof values);
    return values;
}
INLINE int4 single_bits(double4 values) {
    float4 single = __builtin_convertvector(values, float4);
    int4 words;
    memcpy(&words, &single, sizeof words);
    return words;
}

#define LOST_BITS ((INT64_C(1) << 29) - 1) // of a double, beyond the 24 of an f32

INLINE int4 cut_singles(double4 sums) {
    long4 bits;
    memcpy(&bits, &sums, sizeof bits);
    return single_bits(doubles_of(bits & ~LOST_BITS));
}

// To nearest: first cut to f32, whose last bit says as well that something was lost, so that the
// second step rounds as if it had seen all bits.
INLINE int4 rounded_halves(double4 sums) {
    long4 bits;
    memcpy(&bits, &sums, sizeof bits);
    long4 sticky = ((bits & LOST_BITS) != 0) & (LOST_BITS + 1);
    int4 single = single_bits(doubles_of((bits & ~LOST_BITS) | sticky));
    int4 magnitude = single & 0x7FFFFFFF, sign = single >> 16 & 0x8000;
    int4 half_bits = {0x3F000000, 0x3F000000, 0x3F000000, 0x3F000000}; // of 0.5
    float4 small, half_floats;
    memcpy(&small, &magnitude, sizeof small);
    memcpy(&half_floats, &half_bits, sizeof half_floats);
    small += half_floats; // steps of 2^-24, as subnormal numbers have
    int4 subnormal;
    memcpy(&subnormal, &small, sizeof subnormal);
    int4 normal = (magnitude - (112 << 23) + 0xFFF + (magnitude >> 13 & 1)) >> 13;
    int4 is_small = magnitude < 113 << 23, is_large = magnitude >= 143 << 23;
    int4 finite = ((subnormal - half_bits) & is_small) | (normal & ~is_small);
    return (finite & ~is_large) | (is_large & 0x7C00) | sign;
}

// Whether sums of products and an accumulator may not fit into integers of 32 bits, with what their
// conversion to f32 needs. An accumulator stays below 2^(fraction + 1).
INLINE bool may_be_large(const float_kind kind, const int8 products[2]) {
    if (kind.k != 16) return false; // fewer products, or with a shorter fraction
    return any_of(larger(magnitude_of(products[0]), magnitude_of(products[1])) >
                  0x7FFFFF00 - (1 << 26));
}

// Eight sums as integers, cut to 24 bits. The conversion rounds to nearest: where that led away
// from zero, the number before is the one.
INLINE int8 cut_quickly(int8 sum, float8 scale) {
    float8 nearest = __builtin_convertvector(sum, float8);
    int8 back = __builtin_convertvector(nearest, int8);
    int8 bits = as_bits(nearest) + (magnitude_of(back) > magnitude_of(sum));
    float8 unit = as_floats((2 * SINGLE_BIAS << 23) - as_bits(scale)); // its reciprocal
    return as_bits(as_floats(bits) * unit);
}

INLINE void finish_sums(const float_kind kind, int8 products, int8 scaled, int8 place, float8 scale,
                        bool large, const row_place *at) {
    cut how = cut_of(kind.k);
    if (!kind.halves && !large) {
        int8 sums = cut_quickly(products + scaled, scale) & ~how.lost;
        store_row(false, at, lower_four(sums), upper_four(sums));
        return;
    }
    double4 low =
        whole_sums(lower_four(products), lower_four(scaled), lower_four(place), how.fraction);
    double4 high =
        whole_sums(upper_four(products), upper_four(scaled), upper_four(place), how.fraction);
    if (kind.halves) store_row(true, at, rounded_halves(low), rounded_halves(high));
    else store_row(false, at, cut_singles(low) & ~how.lost, cut_singles(high) & ~how.lost);
}

INLINE bool any_odd(const uint8_t *odd) {
    uint64_t words[2];
    memcpy(words, odd, sizeof words);
    return (words[0] | words[1]) != 0;
}

// Accumulators that the quick sum does not take: infinities, NaN, those of tiny sums.
INLINE int8 odd_addends(const addends *addend, int8 place) {
    return (place > MOST_PLACE) | ((place < LEAST_PLACE) & ((addend->bits & INT32_MAX) != 0));
}

static __attribute__((noinline)) void sums_one_by_one(const sim_matrix *matrix, const sim_tile *a,
                                                      uint32_t row, const sim_tile *b,
                                                      uint32_t first, const row_place *at,
                                                      bool adds) {
    bool halves = matrix->d == SIM_ELEMENT_F16;
    int8 words = load_row(halves, at);
    for (uint32_t i = 0; i < HALF; i++)
        words[i] = (int32_t)sum_slowly(matrix, a, row, b, first + i, (uint32_t)words[i], adds);
    store_row(halves, at, lower_four(words), upper_four(words));
}

// Row `row` of A by the 16 columns of B from `first` on. False, and nothing done, where one of the
// sums has to be formed by itself.
INLINE bool multiply_row(const float_kind kind, const sim_tile *a, uint32_t row, const sim_tile *b,
                         uint32_t first, const row_place at[2], bool adds) {
    addends addend[2] = {{{0}, {0}}, {{0}, {0}}};
    int8 place[2], sums[2], scaled[2];
    float8 scale[2];
    largest_places(kind, a, row, b, first, place);
    UNROLL for (uint32_t h = 0; h < 2; h++) {
        if (adds) addend[h] = read_addends(kind.halves, &at[h]);
        place[h] = larger(place[h], addend[h].place);
    }
    if (any_of((smaller(place[0], place[1]) < LEAST_PLACE) |
               (larger(place[0], place[1]) > MOST_PLACE))) {
        if (any_of(odd_addends(&addend[0], place[0]) | odd_addends(&addend[1], place[1])))
            return false;
        UNROLL for (uint32_t h = 0; h < 2; h++) place[h] = larger(place[h], all_of(LEAST_PLACE));
    }
    UNROLL for (uint32_t h = 0; h < 2; h++) {
        scale[h] = scale_of(place[h], cut_of(kind.k).fraction);
        scaled[h] = __builtin_convertvector(as_floats(addend[h].bits) * scale[h], int8);
    }
    add_products(kind, a, row, b, first, scale, sums);
    bool large = may_be_large(kind, sums);
    UNROLL for (uint32_t h = 0; h < 2; h++)
        finish_sums(kind, sums[h], scaled[h], place[h], scale[h], large, &at[h]);
    return true;
}

INLINE void multiply_kind(const float_kind kind, const sim_matrix *matrix, const sim_tile *a,
                          const sim_tile *b, uint32_t *const *registers, bool adds) {
    uint32_t nowhere[2][SIM_TILE_ROWS * 4] = {{0}}; // what 8 columns beyond the last ones would be
    for (uint32_t first = 0; first < matrix->n; first += BLOCK) {
        bool odd = any_odd(&b->odd[first]), whole = first + HALF < matrix->n;
        row_place at[2];
        for (uint32_t row = 0; row < SIM_TILE_ROWS; row++) {
            if (row % 8 == 0) {
                at[0] = place_of(kind.halves, registers, row, first / HALF);
                at[1] = (row_place){nowhere[0], nowhere[1]};
                if (whole) at[1] = place_of(kind.halves, registers, row, first / HALF + 1);
            }
            if (odd || a->odd[row] || !multiply_row(kind, a, row, b, first, at, adds))
                for (uint32_t h = 0; h < 2; h++)
                    sums_one_by_one(matrix, a, row, b, first + h * HALF, &at[h], adds);
            for (uint32_t h = 0; h < 2; h++) {
                at[h].low += 4;
                if (!kind.halves) at[h].high += 4;
            }
        }
    }
}

// ---- Integers -----------------------------------------------------------------------------------

INLINE void multiply_integers(const sim_matrix *matrix, const sim_tile *a, uint32_t row,
                              const sim_tile *b, uint32_t first, uint32_t *const *registers,
                              bool adds) {
    row_place at = place_of(false, registers, row, first / HALF);
    int8 sums = {0}, words = {0};
    if (adds) words = load_row(false, &at);
    for (uint32_t k = 0; k < matrix->k; k++) {
        short8 of_b;
        memcpy(&of_b, &b->exponent[k][first], sizeof of_b);
        if (!matrix->ands) sums += __builtin_convertvector(of_b, int8) * a->exponent[k][row];
        for (int i = 0; matrix->ands && i < HALF; i++) // of single bits, eight in a byte
            sums[i] += __builtin_popcount((uint32_t)(of_b[i] & a->exponent[k][row]));
    }
    if (!matrix->satfinite) {
        unsigned8 whole = (unsigned8)sums + (unsigned8)words; // wraps
        words = (int8)whole;
    } else {
        for (int i = 0; i < HALF; i++) {
            int64_t sum = (int64_t)sums[i] + words[i];
            words[i] = (int32_t)(sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : sum);
        }
    }
    store_row(false, &at, lower_four(words), upper_four(words));
}

void SIM_VARIANT(sim_warpgroup_multiply)(const sim_matrix *matrix, const sim_tile *a,
                                         const sim_tile *b, uint32_t *const *registers, bool adds) {
    if (matrix->d == SIM_ELEMENT_S32) {
        for (uint32_t first = 0; first < matrix->n; first += HALF)
            for (uint32_t row = 0; row < SIM_TILE_ROWS; row++)
                multiply_integers(matrix, a, row, b, first, registers, adds);
        return;
    }
    bool halves = matrix->d == SIM_ELEMENT_F16;
    if (matrix->k == 8) multiply_kind((float_kind){8, false}, matrix, a, b, registers, adds);
    else if (matrix->k == 16 && halves)
        multiply_kind((float_kind){16, true}, matrix, a, b, registers, adds);
    else if (matrix->k == 16) multiply_kind((float_kind){16, false}, matrix, a, b, registers, adds);
    else if (halves) multiply_kind((float_kind){32, true}, matrix, a, b, registers, adds);
    else multiply_kind((float_kind){32, false}, matrix, a, b, registers, adds);
}
