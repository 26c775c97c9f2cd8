// SPDX-License-Identifier: MIT
// Floats of 8 bits (PTX ISA 9.0, section 5.2.3): e5m2 is half of an f16; e4m3 has no infinity, and
// one NaN a sign.
#ifndef SIM_PROGRAM_SMALL_FLOAT_H
#define SIM_PROGRAM_SMALL_FLOAT_H

#include "program/fpmath.h"

static inline double sim_double_from_e5m2(uint32_t bits) {
    return sim_double_from_f16((bits & 0xFF) << 8);
}

static inline double sim_double_from_e4m3(uint32_t bits) {
    uint32_t magnitude = bits & 0x7F, exponent = magnitude >> 3, fraction = magnitude & 7;
    double value = exponent ? ldexp(8 + fraction, (int)exponent - 10) : ldexp(fraction, -9);
    if (magnitude == 0x7F) value = (double)NAN;
    return bits & 0x80 ? -value : value;
}

// Rounded to nearest even; beyond the largest number comes the largest (.satfinite). NaN: 0x7F.
static inline uint32_t sim_e5m2_from_double(double value) {
    if (value != value) return 0x7F;
    uint32_t sign = signbit(value) ? 0x80 : 0;
    double magnitude = fabs(value);
    if (magnitude >= 57344) return sign | 0x7B;
    int exponent = magnitude < 0x1p-14 ? -14 : ilogb(magnitude);
    double steps = rint(ldexp(magnitude, 2 - exponent)); // in units of the last place
    return sign | (uint32_t)((exponent + 14) * 4 + (int)steps);
}
static inline uint32_t sim_e4m3_from_double(double value) {
    if (value != value) return 0x7F;
    uint32_t sign = signbit(value) ? 0x80 : 0;
    double magnitude = fabs(value);
    if (magnitude >= 448) return sign | 0x7E;
    int exponent = magnitude < 0x1p-6 ? -6 : ilogb(magnitude);
    double steps = rint(ldexp(magnitude, 3 - exponent));
    return sign | (uint32_t)((exponent + 6) * 8 + (int)steps);
}

#endif
