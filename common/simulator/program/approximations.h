// The approximations of the special function unit (MUFU in machine code): quadratics in the low
// bits of the argument, one for each value of its high bits, as Oberman and Siu describe them ("A
// High-Performance Area-Efficient Multifunction Interpolator", ARITH 2005). Coefficients, the
// columns that the squarer leaves out and the constants that round were found from an H200, whose
// results for all fractions these functions give to the last bit.
#pragma once

#include "program/fpmath.h"

// c0 + c1 z + c2 z^2 for z from 0 to 1 in one interval.
typedef struct sim_quadratic {
    int32_t c0; // in eighths of a unit in the last place (ulp) of a float
    int32_t c1; // in ulps
    int32_t c2; // in ulps
} sim_quadratic;
extern const sim_quadratic sim_rcp_rows[128];   // by the first 7 bits of a fraction
extern const sim_quadratic sim_rsqrt_rows[128]; // by the exponent's parity and the first 6
extern const sim_quadratic sim_sqrt_rows[128];  // likewise, in half ulps
extern const sim_quadratic sim_ex2_rows[64];    // by the first 6
extern const sim_quadratic sim_lg2_rows[64];    // likewise
extern const sim_quadratic sim_sin_rows[64];    // of a quarter of a revolution, in 2^-24

// Bits of a fraction behind those that choose the row.
enum { SIM_RCP_LOW = 16, SIM_OTHER_LOW = 17 };

// The square of a fraction of 16 bits, in 2^-15: the squarer leaves out the partial products of its
// 17 lowest columns. Those of two bits of the low byte are among them; of two of the high byte only
// bit 8 with itself is.
static inline int32_t sim_short_square(uint32_t z) {
    int32_t high = (int32_t)(z >> 8), mixed = 0;
#pragma GCC unroll 7
    for (int i = 1; i < 8; i++) mixed += -(int32_t)(z >> i & 1) & high >> (8 - i);
    return ((high * high - (high & 1)) >> 1) + mixed;
}

// The quadratic without c0's whole ulps, in 2^-17 ulp: 256 * *out_coarse + the value returned. No
// product has more than 31 bits. `t`: of so many bits; of 17 the squarer does not see the last.
// `rounds`: what the unit adds before it truncates.
static inline int32_t sim_quadratic_parts(const sim_quadratic *row, uint32_t t, int low_bits,
                                          int32_t rounds, int32_t *out_coarse) {
    int32_t slope = row->c1 * (1 << (17 - low_bits));
    int32_t square = sim_short_square(t >> (low_bits - 16));
    *out_coarse = slope * (int32_t)(t >> 8);
    return slope * (int32_t)(t & 0xFF) + row->c2 * square * 4 + (row->c0 & 7) * (1 << 14) + rounds;
}

// In ulps.
static inline uint32_t sim_interpolate(const sim_quadratic *row, uint32_t t, int low_bits,
                                       int32_t rounds) {
    int32_t coarse, fine = sim_quadratic_parts(row, t, low_bits, rounds, &coarse);
    return (uint32_t)((row->c0 >> 3) + ((coarse + (fine >> 8)) >> 9));
}

// ---- What MUFU gives: subnormal numbers are zeros on both sides ----

static inline uint32_t sim_fraction_of(float x) { return sim_bits_from_float(x) & 0x7FFFFF; }
static inline int32_t
sim_exponent_of(float x) { // -127: zero or subnormal; 128: infinity or no number
    return (int32_t)(sim_bits_from_float(x) >> 23 & 0xFF) - 127;
}
// places * 2^(exponent - 23), places (ulps) from 2^23 to 2^24; below the normal numbers 0.
static inline float sim_scaled(uint32_t places, int32_t exponent) {
    int32_t bits = (exponent + 127) * (1 << 23) + (int32_t)(places - (1u << 23));
    return sim_float_from_bits(bits < 1 << 23 ? 0 : (uint32_t)bits);
}

static inline float sim_mufu_rcp(float x) {
    uint32_t fraction = sim_fraction_of(x);
    int32_t exponent = sim_exponent_of(x);
    uint32_t places = sim_interpolate(&sim_rcp_rows[fraction >> SIM_RCP_LOW], fraction & 0xFFFF,
                                      SIM_RCP_LOW, 8094);
    float result = exponent == -127 ? INFINITY : sim_scaled(places, -1 - exponent);
    result = exponent == 128 ? 0 : result;
    return x != x ? x : copysignf(result, x);
}

// Of both roots: the table's rows of odd exponents stand behind those of even ones.
static inline uint32_t sim_root_places(const sim_quadratic *rows, uint32_t fraction, int32_t odd,
                                       int32_t rounds) {
    return sim_interpolate(&rows[(uint32_t)odd << 6 | fraction >> SIM_OTHER_LOW],
                           fraction & 0x1FFFF, SIM_OTHER_LOW, rounds);
}

static inline float sim_mufu_rsqrt(float x) {
    uint32_t fraction = sim_fraction_of(x);
    int32_t exponent = sim_exponent_of(x), odd = exponent & 1;
    uint32_t places = sim_root_places(sim_rsqrt_rows, fraction, odd, 32767);
    places = fraction == 0 && !odd ? 1u << 24 : places;
    float result = sim_scaled(places, -1 - (exponent - odd) / 2);
    result = exponent == 128 ? 0 : x < 0 ? NAN : result;
    return exponent == -127 ? copysignf(INFINITY, x) : x != x || x < 0 ? NAN : result;
}

// On doubles (MUFU.RCP64H, MUFU.RSQ64H): the unit sees the high word alone, the low word of its
// result is zero, and the fraction has the first 20 bits of the float's. Not a number: as below.
#define SIM_NO_NUMBER_HIGH 0x7FFFFFFFu

// A double of that high word with the fraction of a float and its exponent raised by `exponent`.
static inline uint32_t sim_high_of(float fraction, int32_t exponent) {
    uint32_t bits = sim_bits_from_float(fraction);
    int32_t field = (int32_t)(bits >> 23) - 127 + 1023 + exponent;
    return field < 1 ? 0 : (uint32_t)field << 20 | (bits >> 3 & 0xFFFFF);
}

static inline double sim_mufu_rcp_double(double x) {
    uint32_t high = (uint32_t)(sim_bits_from_double(x) >> 32), magnitude = high & 0x7FFFFFFF;
    float fraction = sim_float_from_bits(127u << 23 | (high & 0xFFFFF) << 3);
    uint32_t result = sim_high_of(sim_mufu_rcp(fraction), 1023 - (int32_t)(magnitude >> 20));
    result = magnitude < 0x00100000 ? 0x7FF00000 : magnitude == 0x7FF00000 ? 0 : result;
    result = magnitude > 0x7FF00000 ? SIM_NO_NUMBER_HIGH : result | (high & 0x80000000);
    return sim_double_from_bits((uint64_t)result << 32);
}

static inline double sim_mufu_rsqrt_double(double x) {
    uint32_t high = (uint32_t)(sim_bits_from_double(x) >> 32), magnitude = high & 0x7FFFFFFF;
    int32_t exponent = (int32_t)(magnitude >> 20) - 1023, odd = exponent & 1;
    float within = sim_float_from_bits((uint32_t)(127 + odd) << 23 | (high & 0xFFFFF) << 3);
    uint32_t result = sim_high_of(sim_mufu_rsqrt(within), -(exponent - odd) / 2);
    result = magnitude == 0x7FF00000 ? 0 : result;
    result = magnitude > 0x7FF00000 || high != magnitude ? SIM_NO_NUMBER_HIGH : result;
    result = magnitude < 0x00100000 ? 0x7FF00000 | (high & 0x80000000) : result;
    return sim_double_from_bits((uint64_t)result << 32);
}

static inline float sim_mufu_sqrt(float x) {
    uint32_t fraction = sim_fraction_of(x);
    int32_t exponent = sim_exponent_of(x), odd = exponent & 1;
    uint32_t halves = sim_root_places(sim_sqrt_rows, fraction, odd, 65534);
    float result = sim_scaled(halves >> 1, (exponent - odd) / 2);
    result = exponent == 128 || exponent == -127 ? sim_flush(x) : result;
    return exponent > -127 && x < 0 ? NAN : result;
}

// The argument becomes fixed-point with 23 fractional bits: its magnitude is truncated, and a
// negative one is the one's complement of that, or the two's complement where it is an integer.
static inline float sim_mufu_ex2(float x) {
    float within = x < -150 ? -150 : x > 128 ? 128 : x;
    within = x != x ? 0 : within;
    int32_t magnitude = (int32_t)(fabsf(within) * 0x1p23f);
    int32_t below = magnitude & 0x7FFFFF ? ~magnitude : -magnitude;
    int32_t fixed = within < 0 ? below : magnitude;
    uint32_t fraction = (uint32_t)fixed & 0x7FFFFF;
    int32_t exponent = fixed >> 23;
    uint32_t places = sim_interpolate(&sim_ex2_rows[fraction >> SIM_OTHER_LOW], fraction & 0x1FFFF,
                                      SIM_OTHER_LOW, 24458);
    uint32_t bits = (uint32_t)(exponent + 127) << 23 | (places & 0x7FFFFF); // 2^(fraction) < 2
    bits = exponent >= 128 ? 0x7F800000 : exponent < -126 ? 0 : bits;
    return x != x ? x : sim_float_from_bits(bits);
}

// The first 24 significant bits.
static inline double sim_cut_to_float(double x) {
    return sim_double_from_bits(sim_bits_from_double(x) & ~((UINT64_C(1) << 29) - 1));
}

// Fixed-point with 36 fractional bits, negative numbers in one's complement; the float has the
// first 24 significant bits.
static inline float sim_mufu_lg2(float x) {
    uint32_t fraction = sim_fraction_of(x);
    int32_t exponent = sim_exponent_of(x);
    const sim_quadratic *row = &sim_lg2_rows[fraction >> SIM_OTHER_LOW];
    int32_t coarse,
        fine = sim_quadratic_parts(row, fraction & 0x1FFFF, SIM_OTHER_LOW, 3350, &coarse);
    double units =
        ((row->c0 >> 3) - (1 << 23)) * 0x1p13 + (coarse * 16 + (fine >> 4)) + exponent * 0x1p36;
    units = units < 0 ? units + 1 : units;
    float result = x == 1 ? 0 : (float)(sim_cut_to_float(units) * 0x1p-36);
    result = exponent == -127 ? -INFINITY : exponent == 128 ? INFINITY : result;
    return x != x || (x < 0 && exponent != -127) ? NAN : result;
}

// What ptxas makes of the argument of sin and cos: a product rounded toward zero.
static inline float sim_revolutions(float radians) {
    return (float)sim_cut_to_float((double)radians * (double)0x1.45f306p-3f);
}

// The sine of an angle to which `quarters` of a revolution are added: 0, or 1 for the cosine. Its
// magnitude is cut to 25 fractional bits; a falling quarter takes the one's complement of the
// lower 23. Nothing is added before the sum is cut to the float's bits.
static inline float sim_mufu_sin(float revolutions, uint32_t quarters) {
    float magnitude = fabsf(revolutions), rest = magnitude - floorf(magnitude); // infinity: NaN
    uint32_t fixed = (uint32_t)(int32_t)((rest == rest ? rest : 0) * 0x1p25f);
    uint32_t quadrant = (fixed >> 23) + quarters;
    uint32_t fraction = (fixed ^ (0 - (quadrant & 1))) & 0x7FFFFF;
    const sim_quadratic *row = &sim_sin_rows[fraction >> SIM_OTHER_LOW];
    int32_t coarse, fine = sim_quadratic_parts(row, fraction & 0x1FFFF, SIM_OTHER_LOW, 0, &coarse);
    double units = (row->c0 >> 3) * 0x1p17 + coarse * 0x1p8 + fine;
    uint32_t odd = quarters ? 0 : sim_bits_from_float(revolutions) & 0x80000000;
    uint32_t sign = (quadrant & 2) << 30 ^ odd;
    float result = (float)(sim_cut_to_float(units) * 0x1p-41);
    return rest == rest ? sim_float_from_bits(sim_bits_from_float(result) | sign) : NAN;
}

// ---- The hyperbolic tangent, of which each binade from 2^-8 to 2^2 has its own intervals ----

enum { SIM_TANH_LEAST = -8, SIM_TANH_BINADES = 11, SIM_TANH_ROWS = 51 };
// The intervals of one binade.
typedef struct sim_tanh_binade {
    uint32_t first_row; // of sim_tanh_rows
    uint32_t row_bits;  // first bits of the fraction that choose the row
} sim_tanh_binade;
// From the binade of 2^SIM_TANH_LEAST on.
extern const sim_tanh_binade sim_tanh_binades[SIM_TANH_BINADES];
// In ulps of the argument, above 1 in 2^-24.
extern const sim_quadratic sim_tanh_rows[SIM_TANH_ROWS];

// Smaller arguments are their own tangents, of larger ones it is 1. After the row's bits 17 bits of
// the fraction count; the sum is cut to the float's bits.
static inline float sim_mufu_tanh(float x) {
    uint32_t fraction = sim_fraction_of(x);
    int32_t exponent = sim_exponent_of(x), binade = exponent - SIM_TANH_LEAST;
    bool is_small = binade < 0, is_large = binade >= SIM_TANH_BINADES;
    binade = is_small || is_large ? 0 : binade;
    const uint32_t row_bits = sim_tanh_binades[binade].row_bits;
    const sim_quadratic *row =
        &sim_tanh_rows[sim_tanh_binades[binade].first_row + (fraction >> (23 - row_bits))];
    uint32_t t = fraction >> (6 - row_bits) & 0x1FFFF;
    double sum = row->c0 * 0.125 + (double)row->c1 * (int32_t)t * 0x1p-17 +
                 (double)row->c2 * sim_short_square(t >> 1) * 0x1p-15;
    int32_t scale = (binade < 7 ? binade : 7) + SIM_TANH_LEAST - 23; // the unit of the sum
    float unit = sim_float_from_bits((uint32_t)(scale + 127) << 23);
    float result = (float)sim_cut_to_float(sum) * unit;
    result = is_large ? 1 : is_small ? fabsf(x) : result;
    return x != x ? x : copysignf(result, x);
}
