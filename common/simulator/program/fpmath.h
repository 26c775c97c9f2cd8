// SPDX-License-Identifier: MIT
// Floating point that C does not give: rounding to any format in any direction, halves, exact
// intermediate results. The trick throughout: compute in double "rounded to odd" (the last bit is
// set when anything was lost); such a value, rounded once more to a format at least two bits
// narrower, gives the correctly rounded result (Boldo and Melquiond, "Emulation of FMA and
// correctly rounded sums", 2008).
#ifndef SIM_PROGRAM_FPMATH_H
#define SIM_PROGRAM_FPMATH_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "program/ir.h"

#define SIM_NAN_F32 UINT32_C(0x7FFFFFFF) // what the hardware makes of any NaN result
// The same of halves: all other bits of a NaN are lost.
#define SIM_NAN_F16 UINT32_C(0x7FFF)

// A binary floating-point format, as IEEE 754 describes one.
typedef struct sim_format {
    int precision;  // bits of the significand, the hidden one included
    int emin, emax; // exponents of the smallest and of the largest normal number
    uint32_t bits;  // total
} sim_format;

// The formats of PTX. tf32 lies in 32 bits, of which the lowest 13 are ignored.
extern const sim_format sim_format_f16;
extern const sim_format sim_format_bf16;
extern const sim_format sim_format_tf32;
extern const sim_format sim_format_f32;
extern const sim_format sim_format_f64;

// The bits of (-1)^negative * significand * 2^exponent in a format, rounded once.
uint64_t sim_pack(const sim_format *format, bool negative, uint64_t significand, int exponent,
                  sim_rounding rounding);
// The same for a double that is exact or rounded to odd. NaN gives all significand bits set.
uint64_t sim_pack_double(const sim_format *format, double value, sim_rounding rounding);

// Results rounded to odd.
double sim_odd_add(double a, double b);
double sim_odd_div(double a, double b);
double sim_odd_sqrt(double a);

static inline float sim_float_from_bits(uint32_t bits) {
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}
static inline uint32_t sim_bits_from_float(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}
static inline double sim_double_from_bits(uint64_t bits) {
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}
static inline uint64_t sim_bits_from_double(double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

// Any NaN becomes the one NaN of the hardware.
static inline float sim_canonical(float value) {
    return value == value ? value : sim_float_from_bits(SIM_NAN_F32);
}
// Subnormals become zero of the same sign.
static inline float sim_flush(float value) {
    uint32_t bits = sim_bits_from_float(value);
    return sim_float_from_bits(bits & 0x7F800000u ? bits : bits & 0x80000000u);
}
// .sat: [0, 1]; NaN and -0 give +0.
static inline float sim_saturate(float value) {
    float low = value > 0 ? value : 0;
    return low < 1 ? low : 1;
}

// Exact widening; NaN becomes quiet, with sign and payload.
double sim_double_from_f16(uint32_t bits);
// Subnormals of f16 become zero of the same sign.
static inline double sim_flush_half(double value) {
    return fabs(value) < 0x1p-14 ? copysign(0.0, value) : value;
}
static inline float sim_float_from_bf16(uint32_t bits) {
    return sim_float_from_bits(bits << 16);
}

// Half to single is exact: the exponent field grows by 112, and scaling by 2^112 makes subnormals
// come out right too.
static inline float sim_float_from_f16(uint32_t half) {
    uint32_t magnitude = half & 0x7FFF, sign = (half & 0x8000) << 16;
    float value = sim_float_from_bits(magnitude << 13) * 0x1p112f;
    uint32_t bits = magnitude > 0x7C00    ? SIM_NAN_F32
                    : magnitude == 0x7C00 ? 0x7F800000u | sign
                                          : sim_bits_from_float(value) | sign;
    return sim_float_from_bits(bits);
}
// Single to half to nearest even. Adding a power of two whose last place is the half's rounds
// subnormals; normal ones are rounded on the bits.
static inline uint32_t sim_f16_from_float(float x) {
    uint32_t all = sim_bits_from_float(x), sign = all >> 16 & 0x8000, magnitude = all & 0x7FFFFFFF;
    float shifted = sim_float_from_bits(magnitude) + 0.5f; // last place 2^-24
    uint32_t tiny = sim_bits_from_float(shifted) - 0x3F000000u;
    uint32_t normal = (magnitude - 0x38000000u + 0xFFF + (magnitude >> 13 & 1)) >> 13;
    uint32_t half = magnitude < 0x38800000u ? tiny : normal;
    half = magnitude >= 0x477FF000u ? 0x7C00 : half; // from 65520 on: infinity
    return magnitude > 0x7F800000u ? SIM_NAN_F16 : half | sign;
}

// Single precision in any rounding.
float sim_f32_add(float a, float b, sim_rounding rounding);
float sim_f32_mul(float a, float b, sim_rounding rounding);
float sim_f32_fma(float a, float b, float c, sim_rounding rounding);
float sim_f32_div(float a, float b, sim_rounding rounding);
float sim_f32_sqrt(float a, sim_rounding rounding);
// Double precision in any rounding, by the host's rounding mode.
double sim_f64_add(double a, double b, sim_rounding rounding);
double sim_f64_mul(double a, double b, sim_rounding rounding);
double sim_f64_fma(double a, double b, double c, sim_rounding rounding);
double sim_f64_div(double a, double b, sim_rounding rounding);
double sim_f64_sqrt(double a, sim_rounding rounding);

// To an integer value: .rni .rzi .rmi .rpi.
double sim_round_integral(double value, sim_rounding rounding);

#endif
