// SPDX-License-Identifier: MIT
// See warpgroup_product.h. Sums of floats are formed as 32-bit integers, 16 columns of a row at
// once: a product of two usual numbers is exact in an f32, and its conversion to an integer cuts it
// where the hardware does. Rows and columns that hold other numbers are added up one by one.
#include "ops/warpgroup_product.h"

#include <math.h>
#include <string.h>

#include "program/fpmath.h"

enum {
    BLOCK = 16, // columns at once
    HALF = BLOCK / 2,
    LEAST_EXPONENT = -100, // of a quick sum: its scale is an f32
    SINGLE_BIAS = 127,
    DOUBLE_BIAS = 1023
};
typedef float float8 __attribute__((vector_size(32)));
typedef int32_t int8 __attribute__((vector_size(32)));
typedef int16_t short16 __attribute__((vector_size(32)));
typedef int16_t short8 __attribute__((vector_size(16)));
typedef double double8 __attribute__((vector_size(64)));
typedef int64_t long8 __attribute__((vector_size(64)));

// What decides how sums are cut.
typedef struct cut {
    int fraction;  // bits of it that a term keeps
    uint32_t lost; // low bits of a result in f32 that are cut as well
} cut;

static bool has_bytes(const sim_matrix *matrix) {
    return matrix->a == SIM_ELEMENT_E4M3 || matrix->a == SIM_ELEMENT_E5M2;
}
static cut cut_of(const sim_matrix *matrix) {
    return has_bytes(matrix) ? (cut){13, 0x3FF} : (cut){25, 0};
}

// ---- Accumulators -------------------------------------------------------------------------------

// Eight columns of a row of a tile lie in one register (f16) or two, in four lanes.
typedef struct row_place {
    uint32_t *low, *high; // even and odd columns; f16: pairs, NULL
} row_place;

static row_place place_of(const sim_matrix *matrix, uint32_t *const *registers, uint32_t row,
                          uint32_t tile) {
    uint32_t lower = row / 8, lane = row % 8 * 4;
    if (matrix->d == SIM_ELEMENT_F16) return (row_place){registers[2 * tile + lower] + lane, NULL};
    return (row_place){registers[4 * tile + 2 * lower] + lane,
                       registers[4 * tile + 2 * lower + 1] + lane};
}

static void load_row(const row_place *at, uint32_t out[HALF]) {
    for (uint32_t i = 0; i < HALF; i++) {
        uint32_t pair = at->low[i / 2];
        out[i] = at->high ? i % 2 ? at->high[i / 2] : pair : pair >> i % 2 * 16 & 0xFFFF;
    }
}

static void store_row(const row_place *at, const uint32_t values[HALF]) {
    for (uint32_t i = 0; i < HALF / 2; i++) {
        at->low[i] = at->high ? values[2 * i] : values[2 * i] | values[2 * i + 1] << 16;
        if (at->high) at->high[i] = values[2 * i + 1];
    }
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
    return (uint32_t)sim_pack_double(&sim_format_f32, value, SIM_ROUND_RZ) & ~how->lost;
}

static uint32_t sum_slowly(const sim_matrix *matrix, const sim_tile *a, uint32_t row,
                           const sim_tile *b, uint32_t column, uint32_t addend, bool adds) {
    term terms[SIM_TILE_K + 1];
    cut how = cut_of(matrix);
    double sign = matrix->negated ? -1 : 1;
    uint32_t count = 0;
    for (uint32_t k = 0; k < matrix->k; k++)
        terms[count++] = (term){sign * (double)a->value[k][row] * (double)b->value[k][column],
                                a->exponent[k][row] + b->exponent[k][column]};
    if (adds) terms[count++] = addend_of(matrix, addend);
    return packed(matrix, aligned_sum(terms, count, how.fraction), &how);
}

// ---- Sixteen sums -------------------------------------------------------------------------------

// Eight accumulators of a block, as they enter the sum.
typedef struct addends {
    float8 value;
    int8 exponent; // zero: SIM_NO_EXPONENT
} addends;

static inline void read_addends(const sim_matrix *matrix, const uint32_t *bits, addends *out) {
    float values[HALF];
    int32_t exponents[HALF];
    bool half = matrix->c == SIM_ELEMENT_F16;
    int32_t smallest = half ? -14 : -126;
    for (int i = 0; i < HALF; i++) {
        uint32_t word = bits[i], magnitude = (word & 0x7FFF) << 13;
        float wide = sim_float_from_bits(magnitude) * 0x1p112f;
        magnitude = magnitude >= 0x0F800000u ? 0x7F800000u : sim_bits_from_float(wide);
        word = half ? magnitude | (word & 0x8000) << 16 : word;
        int32_t place = (int32_t)(word >> 23 & 0xFF) - SINGLE_BIAS;
        place = place > smallest ? place : smallest;
        exponents[i] = (word & 0x7FFFFFFF) == 0 ? SIM_NO_EXPONENT : place;
        values[i] = sim_float_from_bits(word);
    }
    memcpy(&out->value, values, sizeof values);
    memcpy(&out->exponent, exponents, sizeof exponents);
}

// Of 8 sums the terms aligned to `largest`, added. Two partial sums: each of at most 16 products
// below 2^(fraction + 2).
static inline void finish_sums(const addends *addend, const int8 *largest, const int8 partial[2],
                               int fraction, double8 *out) {
    int8 scale_bits = (SINGLE_BIAS + fraction - *largest) << 23;
    float8 scale;
    memcpy(&scale, &scale_bits, sizeof scale);
    int8 of_addend = __builtin_convertvector(addend->value * scale, int8);
    long8 sum = __builtin_convertvector(partial[0], long8) +
                __builtin_convertvector(partial[1], long8) +
                __builtin_convertvector(of_addend, long8);
    long8 unit_bits = (__builtin_convertvector(*largest, long8) + (DOUBLE_BIAS - fraction)) << 52;
    double8 unit;
    memcpy(&unit, &unit_bits, sizeof unit);
    // |sum| < 2^33: added to 1.5 * 2^52 its bits are the low ones of a double.
    long8 shifted = sum + INT64_C(0x4338000000000000);
    double8 number;
    memcpy(&number, &shifted, sizeof number);
    *out = (number - 0x1.8p52) * unit;
}

static inline void round_sums(const sim_matrix *matrix, const double8 *sums, const cut *how,
                              uint32_t *out) {
    if (matrix->d == SIM_ELEMENT_F16) {
        for (int i = 0; i < HALF; i++)
            out[i] = (uint32_t)sim_pack_double(&sim_format_f16, (*sums)[i], SIM_ROUND_RN);
        return;
    }
    long8 bits;
    double8 short_of_it;
    memcpy(&bits, sums, sizeof bits);
    bits &= ~((INT64_C(1) << 29) - 1); // 24 bits are left
    memcpy(&short_of_it, &bits, sizeof bits);
    float8 single = __builtin_convertvector(short_of_it, float8);
    int8 words;
    memcpy(&words, &single, sizeof words);
    words &= ~(int32_t)how->lost;
    memcpy(out, &words, sizeof words);
}

// One row of A by 16 columns of B.
typedef struct block_sums {
    short16 largest;    // exponent of the products
    int8 partial[2][2]; // by half of the columns, by half of k
    int8 place[2];      // exponent that terms are aligned to
} block_sums;

static inline void raise_to(int8 *exponents, const int8 *least) {
    int8 keeps = *exponents > *least;
    *exponents = (*exponents & keeps) | (*least & ~keeps);
}

static inline void largest_exponents(const sim_matrix *matrix, const sim_tile *a, uint32_t row,
                                     const sim_tile *b, uint32_t first, short16 *out) {
    short16 largest = {0};
    largest += SIM_NO_EXPONENT;
    for (uint32_t k = 0; k < matrix->k; k++) {
        short16 exponent;
        memcpy(&exponent, &b->exponent[k][first], sizeof exponent);
        int16_t of_a = a->exponent[k][row];
        if (of_a == SIM_NO_EXPONENT) continue;
        exponent += of_a;
        short16 larger = exponent > largest;
        largest = (exponent & larger) | (largest & ~larger);
    }
    *out = largest;
}

static inline void add_products(const sim_matrix *matrix, const sim_tile *a, uint32_t row,
                                const sim_tile *b, uint32_t first, int fraction, block_sums *sums) {
    float8 scale[2];
    for (int h = 0; h < 2; h++) {
        int8 bits = (SINGLE_BIAS + fraction - sums->place[h]) << 23;
        memcpy(&scale[h], &bits, sizeof bits);
    }
    for (uint32_t part = 0; part < 2; part++) {
        int8 low = {0}, high = {0};
        uint32_t end = matrix->k / 2 * (part + 1);
        for (uint32_t k = matrix->k / 2 * part; k < end; k++) {
            float8 x, y;
            float of_a = a->value[k][row];
            memcpy(&x, &b->value[k][first], sizeof x);
            memcpy(&y, &b->value[k][first + HALF], sizeof y);
            low += __builtin_convertvector(x * of_a * scale[0], int8);
            high += __builtin_convertvector(y * of_a * scale[1], int8);
        }
        sums->partial[0][part] = matrix->negated ? -low : low;
        sums->partial[1][part] = matrix->negated ? -high : high;
    }
}

static inline bool any_odd(const uint8_t *odd) {
    uint64_t words[2];
    memcpy(words, odd, sizeof words);
    return (words[0] | words[1]) != 0;
}

// Accumulators of one half that the quick sum does not take: infinities, NaN, tiny sums.
static inline bool is_odd_half(const addends *addend, const int8 *place) {
    int8 odd = (addend->exponent > SINGLE_BIAS) |
               ((*place < LEAST_EXPONENT) & (addend->exponent > SIM_NO_EXPONENT));
    int32_t any = 0;
    for (int i = 0; i < HALF; i++) any |= odd[i];
    return any != 0;
}

static inline void multiply_floats(const sim_matrix *matrix, const sim_tile *a, uint32_t row,
                                   const sim_tile *b, uint32_t first, uint32_t *const *registers,
                                   bool adds) {
    block_sums sums;
    addends addend[2] = {0};
    uint32_t words[BLOCK] = {0}, results[BLOCK], halves = first + HALF < matrix->n ? 2 : 1;
    row_place at[2];
    cut how = cut_of(matrix);
    bool slow = a->odd[row] || any_odd(&b->odd[first]);
    largest_exponents(matrix, a, row, b, first, &sums.largest);
    for (uint32_t h = 0; h < 2; h++) {
        short8 of_half;
        addend[h].exponent += SIM_NO_EXPONENT;
        if (h < halves) at[h] = place_of(matrix, registers, row, first / HALF + h);
        if (h < halves && adds) {
            load_row(&at[h], words + h * HALF);
            read_addends(matrix, words + h * HALF, &addend[h]);
        }
        memcpy(&of_half, (const int16_t *)&sums.largest + h * HALF, sizeof of_half);
        int8 place = __builtin_convertvector(of_half, int8);
        raise_to(&place, &addend[h].exponent);
        slow |= is_odd_half(&addend[h], &place);
        int8 least = {0};
        least += LEAST_EXPONENT;
        sums.place[h] = place;
        raise_to(&sums.place[h], &least);
    }
    if (slow) {
        for (uint32_t i = 0; i < halves * HALF; i++)
            results[i] = sum_slowly(matrix, a, row, b, first + i, words[i], adds);
    } else {
        add_products(matrix, a, row, b, first, how.fraction, &sums);
        for (uint32_t h = 0; h < halves; h++) {
            double8 whole;
            finish_sums(&addend[h], &sums.place[h], sums.partial[h], how.fraction, &whole);
            round_sums(matrix, &whole, &how, results + h * HALF);
        }
    }
    for (uint32_t h = 0; h < halves; h++) store_row(&at[h], results + h * HALF);
}

// ---- Integers -----------------------------------------------------------------------------------

static inline void multiply_integers(const sim_matrix *matrix, const sim_tile *a, uint32_t row,
                                     const sim_tile *b, uint32_t first, uint32_t *const *registers,
                                     bool adds) {
    uint32_t words[HALF] = {0};
    row_place at = place_of(matrix, registers, row, first / HALF);
    int8 sums = {0};
    if (adds) load_row(&at, words);
    for (uint32_t k = 0; k < matrix->k; k++) {
        short8 of_b;
        memcpy(&of_b, &b->exponent[k][first], sizeof of_b);
        sums += __builtin_convertvector(of_b, int8) * a->exponent[k][row];
    }
    for (int i = 0; i < HALF; i++) {
        int64_t sum = (int64_t)sums[i] + (int32_t)words[i];
        if (matrix->satfinite)
            sum = sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : sum;
        words[i] = (uint32_t)sum;
    }
    store_row(&at, words);
}

void SIM_VARIANT(sim_warpgroup_multiply)(const sim_matrix *matrix, const sim_tile *a,
                                         const sim_tile *b, uint32_t *const *registers, bool adds) {
    if (matrix->d == SIM_ELEMENT_S32) {
        for (uint32_t first = 0; first < matrix->n; first += HALF)
            for (uint32_t row = 0; row < SIM_TILE_ROWS; row++)
                multiply_integers(matrix, a, row, b, first, registers, adds);
        return;
    }
    for (uint32_t first = 0; first < matrix->n; first += BLOCK)
        for (uint32_t row = 0; row < SIM_TILE_ROWS; row++)
            multiply_floats(matrix, a, row, b, first, registers, adds);
}
