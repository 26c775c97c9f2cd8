// Conversion (PTX ISA, "cvt"). Frequent pairs of types are vector loops; every other pair goes lane
// by lane through one description: read a lane as integer or double, round, saturate, write a lane.
#include "program/fpmath.h"
#include "warps/lanes.h"

// ---- Frequent forms ----

HANDLER_A(u64_from_u32, uint64_t, uint32_t, a[i])
HANDLER_A(s64_from_s32, uint64_t, int32_t, (int64_t)a[i])
HANDLER_A(b32_from_b64, uint32_t, uint64_t, a[i])
HANDLER_A(b32_from_b32, uint32_t, uint32_t, a[i])
HANDLER_A(u32_from_u16, uint32_t, uint32_t, (uint16_t)a[i])
HANDLER_A(s32_from_s16, uint32_t, uint32_t, (int32_t)(int16_t)a[i])
HANDLER_A(u32_from_u8, uint32_t, uint32_t, (uint8_t)a[i])
HANDLER_A(s32_from_s8, uint32_t, uint32_t, (int32_t)(int8_t)a[i])
HANDLER_A(f32_from_s32, float, int32_t, (float)a[i])
HANDLER_A(f32_from_u32, float, uint32_t, (float)a[i])
HANDLER_LONG_A(f64_from_s32, double, int32_t, (double)a[i])
HANDLER_LONG_A(f64_from_u32, double, uint32_t, (double)a[i])
HANDLER_A(f64_from_f32, double, float, (double)a[i])
HANDLER_LONG_A(f32_from_f64, float, double, (float)a[i])

// Towards zero and clamped, NaN to zero: what a cast of float to int compiles to. 2147483520 is the
// last float below 2^31.
static inline int32_t s32_of_float(float x) {
    float inside = x > 2147483520.0f ? 2147483520.0f : x < -2147483648.0f ? -2147483648.0f : x;
    int32_t value = (int32_t)(x == x ? inside : 0.0f);
    return x >= 2147483648.0f ? INT32_MAX : value;
}
static inline uint32_t u32_of_float(float x) {
    float inside = x > 4294967040.0f ? 4294967040.0f : x > 0 ? x : 0;
    return x >= 4294967296.0f ? UINT32_MAX : (uint32_t)(int64_t)inside;
}
HANDLER_LONG_A(s32_from_f32, int32_t, float, s32_of_float(a[i]))
HANDLER_LONG_A(u32_from_f32, uint32_t, float, u32_of_float(a[i]))

// 64-bit integers; NaN is the number with the top bit alone, as also for 32 bits from f64.
static inline uint64_t s64_of_double(double x) {
    double inside = x >= -0x1p63 && x < 0x1p63 ? x : -0x1p63;
    return x >= 0x1p63 ? (uint64_t)INT64_MAX : (uint64_t)(int64_t)inside;
}
static inline uint64_t u64_of_double(double x) {
    if (x != x) return UINT64_C(1) << 63;
    return x >= 0x1p64 ? UINT64_MAX : x > 0 ? (uint64_t)x : 0;
}
static inline uint32_t s32_of_double(double x) {
    double inside = x > -0x1p31 ? x : -0x1p31; // NaN, too
    return x >= 0x1p31 ? (uint32_t)INT32_MAX : (uint32_t)(int32_t)inside;
}
static inline uint32_t u32_of_double(double x) {
    uint32_t inside = (uint32_t)(int64_t)(x > 0 && x < 0x1p32 ? x : 0);
    return x != x ? UINT32_C(1) << 31 : x >= 0x1p32 ? UINT32_MAX : inside;
}
HANDLER_LONG_A(s64_from_f32, uint64_t, float, s64_of_double(a[i]))
HANDLER_LONG_A(s64_from_f64, uint64_t, double, s64_of_double(a[i]))
HANDLER_LONG_A(u64_from_f32, uint64_t, float, u64_of_double(a[i]))
HANDLER_LONG_A(u64_from_f64, uint64_t, double, u64_of_double(a[i]))
HANDLER_LONG_A(s32_from_f64, uint32_t, double, s32_of_double(a[i]))
HANDLER_LONG_A(u32_from_f64, uint32_t, double, u32_of_double(a[i]))
HANDLER_LONG_A(f32_from_s64, float, int64_t, (float)a[i])
HANDLER_LONG_A(f32_from_u64, float, uint64_t, (float)a[i])
HANDLER_LONG_A(f64_from_s64, double, int64_t, (double)a[i])
HANDLER_LONG_A(f64_from_u64, double, uint64_t, (double)a[i])

HANDLER_A(f32_from_f16, float, uint32_t, sim_float_from_f16(a[i]))
HANDLER_A(f16_from_f32, uint32_t, float, sim_f16_from_float(a[i]))

// ---- Any form ----

typedef struct kind { // of a type as cvt sees it
    uint8_t bytes;
    bool is_float, is_signed;
} kind;

static kind kind_of(uint8_t type) {
    kind result = {.bytes = (uint8_t)ptx_type_bytes((ptx_type)type)};
    result.is_signed = type >= PTX_S8 && type <= PTX_S64;
    result.is_float = type >= PTX_F16 && type <= PTX_F64;
    return result;
}

static uint64_t read_lane(const sim_warp *warp, const sim_instr *instr, uint32_t slot, kind from,
                          int lane) {
    bool wide = from.bytes == 8 || has(instr, SIM_MOD_SRC64);
    uint64_t bits = wide ? SLOT(const uint64_t, slot)[lane] : SLOT(const uint32_t, slot)[lane];
    uint32_t unused = 64 - 8 * from.bytes;
    bits <<= unused;
    return from.is_signed ? (uint64_t)((int64_t)bits >> unused) : bits >> unused;
}

static void write_lane(sim_warp *warp, const sim_instr *instr, kind to, int lane, uint64_t bits) {
    if (to.bytes == 8 || has(instr, SIM_MOD_DST64)) {
        uint32_t unused = 64 - 8 * to.bytes;
        bits <<= unused;
        bits = to.is_signed ? (uint64_t)((int64_t)bits >> unused) : bits >> unused;
        SLOT(uint64_t, instr->dst)[lane] = bits;
        return;
    }
    if (to.bytes < 4) { // extended to the 32 bits of the slot, where a wider register may read it
        uint32_t unused = 32 - 8 * to.bytes;
        uint32_t narrow = (uint32_t)bits << unused;
        bits = to.is_signed ? (uint32_t)((int32_t)narrow >> unused) : narrow >> unused;
    }
    SLOT(uint32_t, instr->dst)[lane] = (uint32_t)bits;
}

static double double_of(uint8_t type, uint64_t bits) {
    switch (type) {
    case PTX_F64: return sim_double_from_bits(bits);
    case PTX_F32: return sim_float_from_bits((uint32_t)bits);
    case PTX_BF16: return sim_float_from_bf16((uint32_t)bits);
    default: return sim_double_from_f16((uint32_t)bits);
    }
}

static const sim_format *format_of(uint8_t type) {
    switch (type) {
    case PTX_F64: return &sim_format_f64;
    case PTX_F32: return &sim_format_f32;
    case PTX_TF32: return &sim_format_tf32;
    case PTX_BF16:
    case PTX_BF16X2: return &sim_format_bf16;
    default: return &sim_format_f16;
    }
}

// NaN as an H100 gives: to and from f64 sign and upper payload stay, and it becomes quiet; others
// give the one NaN.
static uint64_t nan_bits(const sim_instr *instr, const sim_format *format, double nan) {
    if (instr->type != PTX_F64 && instr->type2 != PTX_F64)
        return sim_pack_double(format, nan, SIM_ROUND_RN);
    uint64_t bits = sim_bits_from_double(nan) | UINT64_C(1) << 51;
    uint64_t fraction = bits << 12 >> (65 - format->precision);
    uint64_t infinity = (uint64_t)(2 * format->emax + 1) << (format->precision - 1);
    return (bits >> 63) << (format->bits - 1) | infinity | fraction;
}

// .satfinite: the largest number, with its sign, for all above it.
static uint64_t finite_bits(const sim_format *format, uint64_t bits) {
    uint64_t sign = UINT64_C(1) << (format->bits - 1);
    uint64_t infinity = (uint64_t)(2 * format->emax + 1) << (format->precision - 1);
    return (bits & ~sign) == infinity ? bits - 1 : bits;
}

// .ftz to f32: below the smallest normal number after rounding to 24 bits with any exponent.
static bool is_tiny(const sim_instr *instr, double value) {
    uint64_t scaled =
        sim_pack_double(&sim_format_f32, value * 0x1p64, (sim_rounding)instr->rounding);
    return sim_float_from_bits((uint32_t)scaled & 0x7FFFFFFF) < 0x1p-62f;
}

// Bits of `value` in a float type; tf32 keeps the layout of f32.
static uint64_t float_bits(const sim_instr *instr, uint8_t type, double value) {
    if (has(instr, SIM_MOD_RELU)) value = value != value ? value : value > 0 ? value : 0;
    if (has(instr, SIM_MOD_SAT)) value = value > 0 ? (value < 1 ? value : 1) : 0;
    const sim_format *format = format_of(type);
    if (type == PTX_F64 && value == value) return sim_bits_from_double(value);
    if (has(instr, SIM_MOD_FTZ) && type == PTX_F32 && is_tiny(instr, value))
        value = copysign(0, value);
    uint64_t bits = value == value ? sim_pack_double(format, value, (sim_rounding)instr->rounding)
                                   : nan_bits(instr, format, value);
    if (has(instr, SIM_MOD_SATFINITE)) bits = finite_bits(format, bits);
    return type == PTX_TF32 ? bits << 13 : bits;
}

static uint64_t pack_integer(const sim_instr *instr, kind from, uint64_t bits) {
    bool negative = from.is_signed && (int64_t)bits < 0;
    uint64_t magnitude = negative ? 0 - bits : bits;
    uint64_t packed =
        sim_pack(format_of(instr->type), negative, magnitude, 0, (sim_rounding)instr->rounding);
    if (!has(instr, SIM_MOD_SAT)) return packed;
    double value = negative ? 0 : magnitude > 1 ? 1 : (double)magnitude;
    return float_bits(instr, instr->type, value);
}

// Clamped to the range of the type. NaN: zero, or for 64-bit types the lowest number with the top
// bit set.
static uint64_t integer_of(const sim_instr *instr, kind to, double value) {
    uint32_t width = 8 * to.bytes;
    if (value != value) {
        bool zero = instr->type2 != PTX_F64 && width < 64;
        return zero ? 0 : UINT64_C(1) << (width - 1);
    }
    value = sim_round_integral(value, (sim_rounding)instr->rounding);
    double high = ldexp(1.0, (int)(to.is_signed ? width - 1 : width)); // first number too large
    double low = to.is_signed ? -high : 0;
    uint64_t ones = width == 64 ? ~UINT64_C(0) : (UINT64_C(1) << width) - 1;
    if (value >= high) return to.is_signed ? ones >> 1 : ones;
    if (value < low) return to.is_signed ? UINT64_C(1) << (width - 1) : 0;
    return to.is_signed ? (uint64_t)(int64_t)value : (uint64_t)value;
}

// .sat between integers: the range of the result, read with the sign of the source.
static uint64_t clamp_integer(kind to, kind from, uint64_t bits) {
    uint32_t width = 8 * to.bytes;
    uint64_t highest = to.is_signed ? (UINT64_C(1) << (width - 1)) - 1
                                    : (width == 64 ? ~UINT64_C(0) : (UINT64_C(1) << width) - 1);
    if (from.is_signed && (int64_t)bits < 0) {
        if (!to.is_signed) return 0;
        int64_t lowest = -(int64_t)highest - 1;
        return (int64_t)bits < lowest ? (uint64_t)lowest : bits;
    }
    return bits > highest ? highest : bits;
}

static double flushed_input(const sim_instr *instr, double value) {
    if (!has(instr, SIM_MOD_FTZ) || instr->type2 != PTX_F32) return value;
    if (value != value) return sim_float_from_bits(SIM_NAN_F32);
    return fabs(value) < 0x1p-126 ? copysign(0.0, value) : value;
}

// Conversions that are a shift or a cut of the bits, of NaN too; .satfinite then takes one unit
// off, as off infinity.
static bool passes_bits(const sim_instr *instr) {
    if (instr->mods & (SIM_MOD_RELU | SIM_MOD_SAT)) return false;
    if (instr->type == PTX_F32) return instr->type2 == PTX_BF16;
    return instr->type == PTX_TF32 && instr->rounding == SIM_ROUND_RNA;
}

static uint64_t convert(const sim_instr *instr, kind to, kind from, uint64_t bits) {
    if (!from.is_float) {
        if (to.is_float) return pack_integer(instr, from, bits);
        return has(instr, SIM_MOD_SAT) ? clamp_integer(to, from, bits) : bits;
    }
    double value = flushed_input(instr, double_of(instr->type2, bits));
    if (value != value && passes_bits(instr)) {
        if (instr->type == PTX_F32) return bits << 16;
        return (bits & ~UINT64_C(0x1FFF)) - (has(instr, SIM_MOD_SATFINITE) ? 0x2000 : 0);
    }
    if (!to.is_float) return integer_of(instr, to, value);
    bool integral = instr->rounding >= SIM_ROUND_RNI && instr->rounding <= SIM_ROUND_RPI;
    if (integral) value = sim_round_integral(value, (sim_rounding)instr->rounding);
    return float_bits(instr, instr->type, value);
}
HANDLER(cvt_any) {
    warp->block->general++;
    kind to = kind_of(instr->type), from = kind_of(instr->type2);
    for (uint32_t rest = lanes; rest; rest &= rest - 1) {
        int i = __builtin_ctz(rest);
        uint64_t bits = read_lane(warp, instr, instr->src[0], from, i);
        write_lane(warp, instr, to, i, convert(instr, to, from, bits));
    }
}

// cvt.rn.f16x2.f32 d, a, b: a is the upper half.
HANDLER(cvt_pair) {
    DST(uint32_t);
    SRC(float, a, 0);
    SRC(float, b, 1);
    for (uint32_t rest = lanes; rest; rest &= rest - 1) {
        int i = __builtin_ctz(rest);
        uint64_t high = float_bits(instr, instr->type, flushed_input(instr, a[i]));
        uint64_t low = float_bits(instr, instr->type, flushed_input(instr, b[i]));
        d[i] = (uint32_t)(high << 16 | low);
    }
}

// ---- Binding ----

static sim_exec_fn bind_integers(const sim_instr *instr, kind to, kind from) {
    if (instr->mods & (SIM_MOD_SAT | SIM_MOD_DST64 | SIM_MOD_SRC64)) return cvt_any;
    if (to.bytes == 8 && from.bytes == 4) return from.is_signed ? s64_from_s32 : u64_from_u32;
    if (to.bytes == 4 && from.bytes == 8) return b32_from_b64;
    if (to.bytes == 4 && from.bytes == 4) return b32_from_b32;
    if (to.bytes == 4 && from.bytes == 2) return from.is_signed ? s32_from_s16 : u32_from_u16;
    if (to.bytes == 4 && from.bytes == 1) return from.is_signed ? s32_from_s8 : u32_from_u8;
    return cvt_any;
}

static sim_exec_fn bind_to_integer(const sim_instr *instr) {
    bool wide = instr->type2 == PTX_F64;
    if ((instr->type2 != PTX_F32 && !wide) || instr->rounding != SIM_ROUND_RZI) return cvt_any;
    if (instr->mods & SIM_MOD_FTZ || (!wide && has(instr, SIM_MOD_SRC64))) return cvt_any;
    if (instr->type == PTX_S64) return wide ? s64_from_f64 : s64_from_f32;
    if (instr->type == PTX_U64) return wide ? u64_from_f64 : u64_from_f32;
    if (has(instr, SIM_MOD_DST64)) return cvt_any;
    if (instr->type == PTX_S32) return wide ? s32_from_f64 : s32_from_f32;
    return instr->type != PTX_U32 ? cvt_any : wide ? u32_from_f64 : u32_from_f32;
}

static sim_exec_fn bind_frequent(const sim_instr *instr) {
    bool nearest = instr->rounding == SIM_ROUND_RN || instr->rounding == SIM_ROUND_DEFAULT;
    if (!nearest || (instr->mods & (SIM_MOD_FTZ | SIM_MOD_SAT | SIM_MOD_SATFINITE | SIM_MOD_RELU |
                                    SIM_MOD_SRC64)))
        return cvt_any;
    if (instr->type == PTX_F16 && instr->type2 == PTX_F32) return f16_from_f32;
    if (instr->type == PTX_F32) {
        if (instr->type2 == PTX_F16) return f32_from_f16;
        if (instr->type2 == PTX_S32) return f32_from_s32;
        if (instr->type2 == PTX_U32) return f32_from_u32;
        if (instr->type2 == PTX_F64) return f32_from_f64;
        if (instr->type2 == PTX_S64) return f32_from_s64;
        if (instr->type2 == PTX_U64) return f32_from_u64;
    }
    if (instr->type == PTX_F64) {
        if (instr->type2 == PTX_S32) return f64_from_s32;
        if (instr->type2 == PTX_U32) return f64_from_u32;
        if (instr->type2 == PTX_F32) return f64_from_f32;
        if (instr->type2 == PTX_S64) return f64_from_s64;
        if (instr->type2 == PTX_U64) return f64_from_u64;
    }
    return cvt_any;
}

BIND(CVT) {
    if (instr->type == PTX_F16X2 || instr->type == PTX_BF16X2)
        return instr->type2 == PTX_F32 ? cvt_pair : NULL;
    kind to = kind_of(instr->type), from = kind_of(instr->type2);
    if (to.bytes == 0 || from.bytes == 0) return NULL;
    return to.is_float     ? bind_frequent(instr)
           : from.is_float ? bind_to_integer(instr)
                           : bind_integers(instr, to, from);
}

// ---- Small floats, and random bits (PTX ISA 9.1, "cvt") -----------------------------------------

// `noise`: as sim_small_from_double has it.
static uint32_t narrow(const sim_instr *instr, double value, double noise) {
    if (instr->variant == SIM_SMALL_UE8M0)
        return sim_ue8m0_from_float((float)value, instr->rounding == SIM_ROUND_RP,
                                    has(instr, SIM_MOD_SATFINITE));
    if (has(instr, SIM_MOD_RELU) && !(value > 0)) value = value != value ? value : 0.0;
    return sim_small_from_double((sim_small)instr->variant, value, noise);
}
static uint32_t width_of(const sim_instr *instr) {
    return instr->variant == SIM_SMALL_E2M1 ? 4 : 8;
}

// d = {a, b}, a in the upper part.
HANDLER(small_from_f32) {
    DST(uint32_t);
    SRC(float, a, 0);
    SRC(float, b, 1);
    uint32_t width = width_of(instr);
    LANES_SCALAR(uint32_t, d,
                 narrow(instr, (double)a[i], SIM_NO_NOISE) << width |
                     narrow(instr, (double)b[i], SIM_NO_NOISE));
}

HANDLER(small_from_halves) {
    DST(uint32_t);
    SRC(uint32_t, a, 0);
    uint32_t width = width_of(instr);
    uint8_t half = instr->type2 == PTX_BF16X2 ? PTX_BF16 : PTX_F16;
    LANES_SCALAR(uint32_t, d,
                 narrow(instr, double_of(half, a[i] >> 16), SIM_NO_NOISE) << width |
                     narrow(instr, double_of(half, a[i] & 0xFFFF), SIM_NO_NOISE));
}

// d = {a, b, e, f}. rbits: 16 bits for a and b and 16 for e and f; of e2m1 upper and lower bytes of
// both halves.
HANDLER(four_small) {
    DST(uint32_t);
    const uint32_t *rbits = SLOT(const uint32_t, vector_slot(warp, instr, 4));
    uint32_t width = width_of(instr);
    for (uint32_t rest = lanes; rest; rest &= rest - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(rest), bits = rbits[lane], all = 0;
        if (width == 4) bits = (bits & 0xFF0000FFu) | (bits & 0xFF00) << 8 | (bits >> 8 & 0xFF00);
        for (uint32_t i = 0; i < 4; i++) {
            float value = SLOT(const float, vector_slot(warp, instr, i))[lane];
            uint32_t random = i < 2 ? bits >> 16 : bits & 0xFFFF;
            all = all << width | narrow(instr, (double)value, random * 0x1p-16);
        }
        d[lane] = all;
    }
}

static uint32_t widen(const sim_instr *instr, uint32_t bits) {
    double value = sim_double_from_small((sim_small)instr->variant, bits);
    if (value != value) return SIM_NAN_F16; // of bf16 too
    if (has(instr, SIM_MOD_RELU) && !(value > 0)) value = 0;
    const sim_format *format = format_of(instr->type);
    uint64_t half = sim_pack_double(format, value, SIM_ROUND_RN);
    return (uint32_t)(has(instr, SIM_MOD_SATFINITE) ? finite_bits(format, half) : half);
}
HANDLER(halves_from_small) {
    DST(uint32_t);
    SRC(uint32_t, a, 0);
    uint32_t width = width_of(instr), mask = (1u << width) - 1;
    LANES_SCALAR(uint32_t, d, widen(instr, a[i] >> width & mask) << 16 | widen(instr, a[i] & mask));
}

// A half whose last place has got `noise` of it added; the rest is cut off.
static uint32_t noisy_half(const sim_instr *instr, double value, double noise) {
    const sim_format *format = format_of(instr->type);
    int exponent = fabs(value) < ldexp(1, format->emin) ? format->emin : ilogb(value);
    if (isfinite(value)) value += copysign(ldexp(noise, exponent + 1 - format->precision), value);
    if (fabs(value) >= ldexp(1, format->emax + 1)) value = copysign((double)INFINITY, value);
    return (uint32_t)float_bits(instr, instr->type, value);
}
// rbits: 13 bits, or of bf16 16, in each half.
HANDLER(noisy_halves) {
    DST(uint32_t);
    const float *a = SLOT(const float, vector_slot(warp, instr, 0));
    const float *b = SLOT(const float, vector_slot(warp, instr, 1));
    const uint32_t *rbits = SLOT(const uint32_t, vector_slot(warp, instr, 2));
    int bits = instr->type == PTX_BF16X2 ? 16 : 13;
    uint32_t mask = (1u << bits) - 1;
    LANES_SCALAR(uint32_t, d,
                 noisy_half(instr, (double)a[i], ldexp(rbits[i] >> 16 & mask, -bits)) << 16 |
                     noisy_half(instr, (double)b[i], ldexp(rbits[i] & mask, -bits)));
}

BIND(CVT_SMALL) {
    if (instr->vector == 3) return noisy_halves;
    if (instr->vector == 5) return four_small;
    if (instr->type != PTX_B16) return halves_from_small;
    return instr->type2 == PTX_F32 ? small_from_f32 : small_from_halves;
}

// ---- cvt.pack -----------------------------------------------------------------------------------

// variant: bits of the packed type; type2 tells its sign.
static uint32_t saturated(const sim_instr *instr, int32_t value) {
    int64_t bits = instr->variant, is_signed = instr->type2 == PTX_S32;
    int64_t low = is_signed ? -(INT64_C(1) << (bits - 1)) : 0;
    int64_t high = (INT64_C(1) << (bits - is_signed)) - 1;
    int64_t clamped = value < low ? low : value > high ? high : value;
    return (uint32_t)clamped & (uint32_t)((INT64_C(1) << bits) - 1);
}

// b in the low bits, a above it; c, when there is one, shifted up above both.
HANDLER(cvt_pack) {
    DST(uint32_t);
    SRC(int32_t, a, 0);
    SRC(int32_t, b, 1);
    const uint32_t *c = instr->src[2] == SIM_NO_SLOT ? NULL : SLOT(const uint32_t, instr->src[2]);
    uint32_t bits = instr->variant;
    LANES_SCALAR(uint32_t, d,
                 saturated(instr, b[i]) | saturated(instr, a[i]) << bits |
                     (c ? c[i] << (2 * bits) : 0));
}
BIND(CVT_PACK) {
    (void)instr;
    return cvt_pack;
}
