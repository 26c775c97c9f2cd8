// Floating point that C does not give: rounding to any format in any direction, halves, exact
// intermediate results. The trick throughout: compute in double "rounded to odd" (the last bit is
// set when anything was lost); such a value, rounded once more to a format at least two bits
// narrower, gives the correctly rounded result (Boldo and Melquiond, "Emulation of FMA and
// correctly rounded sums", 2008).
#pragma once

#include "program/ir.h"

// ---- fpmath.c -----------------------------------------------------------------------------------

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
static inline float sim_float_from_bf16(uint32_t bits) { return sim_float_from_bits(bits << 16); }

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

// ---- small float --------------------------------------------------------------------------------
// The formats of sim_small (PTX ISA 9.1, section 5.2.3). e5m2 is half of an f16; e4m3 has no
// infinity, and one NaN a sign; e2m3, e3m2 and e2m1 have neither.
double sim_double_from_small(sim_small format, uint32_t bits);

// Beyond the largest number comes the largest (.satfinite). Rounded to nearest even where `noise`
// is SIM_NO_NOISE, else (.rs) `noise`, from 0 up to 1, is added in the last place and the rest cut
// off. NaN: 0x7F, of a format without it the largest number. Not for ue8m0.
#define SIM_NO_NOISE (-1.0)
uint32_t sim_small_from_double(sim_small format, double value, double noise);

// ue8m0: the exponent of |value|, from 2^-127 on, cut off or rounded up; NaN: 0xFF, and so infinity
// unless `finite`.
uint32_t sim_ue8m0_from_float(float value, bool up, bool finite);

// ---- video --------------------------------------------------------------------------------------
// A decoded video instruction (sim_instr.extra of VIDEO): scalar ones on a byte, a half or the
// whole of each operand, and SIMD ones on two halves or four bytes. Both take elements out of
// operands by place and width, compute on 64 bits, saturate, and either merge with operand c or
// accumulate. Of all these nvcc 13 itself emits vabsdiff2 and vabsdiff4 for sm_90 (__vabsdiffs2,
// __vsadu4 ..); the others come from PTX in programs' asm.

// The operations of the video instructions: vadd, vsub and so on.
typedef enum sim_video_op {
    SIM_VIDEO_ADD,
    SIM_VIDEO_SUB,
    SIM_VIDEO_ABSDIFF,
    SIM_VIDEO_MIN,
    SIM_VIDEO_MAX,
    SIM_VIDEO_AVERAGE,
    SIM_VIDEO_SHL,
    SIM_VIDEO_SHR,
    SIM_VIDEO_MAD,
    SIM_VIDEO_SET
} sim_video_op;
// What becomes of operand c.
typedef enum sim_video_second {
    SIM_VIDEO_MERGE, // it gives the bits that no result goes to
    SIM_VIDEO_PLUS,
    SIM_VIDEO_LEAST,
    SIM_VIDEO_GREATEST
} sim_video_second;

enum { SIM_VIDEO_ELEMENTS = 4 };

// How an operand's elements are found.
typedef struct sim_video_source {
    bool is_signed;                   // the elements are extended with their sign
    bool negated;                     // vmad: -a
    uint8_t bits;                     // 8, 16 or 32
    uint8_t from[SIM_VIDEO_ELEMENTS]; // lowest bit of each element in the 64 bits b:a
} sim_video_source;

// A decoded video instruction.
typedef struct sim_video {
    sim_video_op operation;         // on each pair of elements
    sim_video_second second;        // what is done with its result and the third operand
    sim_compare compare;            // SET
    sim_video_source a, b;          // the two operands
    uint8_t elements;               // 1, 2 or 4
    uint8_t mask;                   // elements that are computed
    uint8_t bits;                   // of a result
    uint8_t to[SIM_VIDEO_ELEMENTS]; // lowest bit of each result
    bool is_signed, saturates;      // of the result
    bool wraps;                     // SHL, SHR: the count modulo 32, else at most 32
    bool plus_one, c_negated;       // MAD
    uint8_t shift;                  // MAD: 0, 7 or 15
} sim_video;
