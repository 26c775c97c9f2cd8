// See fpmath.h. Plain C on IEEE doubles; the host's rounding mode is nearest except inside
// sim_f64_*.

#include "program/approximations.h"
#include <fenv.h>

const sim_format sim_format_f16 = {11, -14, 15, 16};
const sim_format sim_format_bf16 = {8, -126, 127, 16};
const sim_format sim_format_tf32 = {11, -126, 127, 19};
const sim_format sim_format_f32 = {24, -126, 127, 32};
const sim_format sim_format_f64 = {53, -1022, 1023, 64};

static bool rounds_up(sim_rounding rounding, bool negative, bool odd, uint64_t rest,
                      uint64_t half) {
    switch (rounding) {
    case SIM_ROUND_RZ: return false;
    case SIM_ROUND_RM: return negative && rest;
    case SIM_ROUND_RP: return !negative && rest;
    case SIM_ROUND_RNA: return rest >= half;
    default: return rest > half || (rest == half && odd);
    }
}

// Past the largest number: infinity, or the largest number when rounding goes the other way.
static uint64_t overflow(const sim_format *format, bool negative, sim_rounding rounding) {
    uint64_t infinity = (uint64_t)(2 * format->emax + 1) << (format->precision - 1);
    bool stays = rounding == SIM_ROUND_RZ || rounding == (negative ? SIM_ROUND_RP : SIM_ROUND_RM);
    return stays ? infinity - 1 : infinity;
}

uint64_t sim_pack(const sim_format *format, bool negative, uint64_t significand, int exponent,
                  sim_rounding rounding) {
    uint64_t sign = (uint64_t)negative << (format->bits - 1);
    if (significand == 0) return sign;
    int lead = __builtin_clzll(significand); // normalise: top bit at 63
    significand <<= lead;
    exponent -= lead;
    int top = exponent + 63; // exponent of the leading bit
    int keep = format->precision;
    if (top < format->emin) keep -= format->emin - top; // subnormal: fewer bits
    uint64_t kept = 0, rest = significand, half = UINT64_C(1) << 63;
    if (keep < 0) {
        rest = 1; // below half of the smallest
    } else if (keep > 0) {
        kept = significand >> (64 - keep);
        rest = significand << keep; // what is cut off, aligned to the top
    } else if (significand == half) {
        rest = half;
    } else {
        rest = half + 1;
    }
    if (keep == 64) rest = 0;
    if (rounds_up(rounding, negative, kept & 1, rest, half)) kept++;
    // Adding the significand to the biased exponent carries into it when rounding reached the next
    // power of two.
    uint64_t biased = top < format->emin ? 0 : (uint64_t)(top - format->emin);
    uint64_t bits = (biased << (format->precision - 1)) + kept;
    if (bits >= (uint64_t)(2 * format->emax + 1) << (format->precision - 1))
        bits = overflow(format, negative, rounding);
    return sign | bits;
}

uint64_t sim_pack_double(const sim_format *format, double value, sim_rounding rounding) {
    uint64_t bits = sim_bits_from_double(value);
    bool negative = bits >> 63;
    int biased = (int)(bits >> 52 & 0x7FF);
    uint64_t fraction = bits & ((UINT64_C(1) << 52) - 1);
    uint64_t infinity = (uint64_t)(2 * format->emax + 1) << (format->precision - 1);
    if (biased == 0x7FF && fraction) return (UINT64_C(1) << (format->bits - 1)) - 1;
    if (biased == 0x7FF) return infinity | (uint64_t)negative << (format->bits - 1);
    if (biased == 0) return sim_pack(format, negative, fraction, -1074, rounding);
    return sim_pack(format, negative, fraction | UINT64_C(1) << 52, biased - 1075, rounding);
}

// `value` is the nearest double to a number that lies on the side of `error` from it: makes it odd.
static double make_odd(double value, double err) {
    uint64_t bits = sim_bits_from_double(value);
    if (err == 0 || !isfinite(value) || (bits & 1)) return value;
    if (value == 0) return sim_double_from_bits(err < 0 ? UINT64_C(1) << 63 | 1 : 1);
    return sim_double_from_bits((err > 0) == (value > 0) ? bits + 1 : bits - 1);
}

double sim_odd_add(double a, double b) {
    double sum = a + b;
    double part = sum - a; // Knuth's two-sum: error is exact
    double err = (a - (sum - part)) + (b - part);
    return isfinite(sum) ? make_odd(sum, err) : sum;
}

static double sim_odd_div(double a, double b) {
    double quotient = a / b;
    if (!isfinite(quotient) || b == 0 || isinf(b)) return quotient;
    double rest = fma(-quotient, b, a); // has the sign of (exact - quotient) * b
    return make_odd(quotient, b > 0 ? rest : -rest);
}

static double sim_odd_sqrt(double a) {
    double root = sqrt(a);
    if (!isfinite(root) || root == 0) return root;
    return make_odd(root, fma(-root, root, a));
}

double sim_double_from_f16(uint32_t bits) {
    uint32_t biased = bits >> 10 & 0x1F, fraction = bits & 0x3FF;
    double sign = bits & 0x8000 ? -1 : 1;
    if (biased == 0x1F && fraction)
        return sim_double_from_bits((uint64_t)(bits & 0x8000) << 48 | UINT64_C(0xFFF) << 51 |
                                    (uint64_t)fraction << 42);
    if (biased == 0x1F) return sign * (double)INFINITY;
    if (biased == 0) return sign * fraction * 0x1p-24;
    uint64_t wide = (uint64_t)(bits & 0x8000) << 48 | (uint64_t)(biased + 1008) << 52 |
                    (uint64_t)fraction << 42;
    return sim_double_from_bits(wide);
}

static float pack_f32(double value, sim_rounding rounding) {
    return sim_float_from_bits((uint32_t)sim_pack_double(&sim_format_f32, value, rounding));
}

// A sum that is exactly zero is -0 when rounding down, unless both terms are +0.
static double signed_zero(double sum, double a, double b, sim_rounding rounding) {
    if (sum != 0 || rounding != SIM_ROUND_RM) return sum;
    return a == 0 && b == 0 && !signbit(a) && !signbit(b) ? 0.0 : -0.0;
}

float sim_f32_add(float a, float b, sim_rounding rounding) {
    return pack_f32(signed_zero(sim_odd_add(a, b), a, b, rounding), rounding);
}

float sim_f32_mul(float a, float b, sim_rounding rounding) {
    return pack_f32((double)a * b, rounding); // 48 bits: exact
}

float sim_f32_fma(float a, float b, float c, sim_rounding rounding) {
    double product = (double)a * b;
    return pack_f32(signed_zero(sim_odd_add(product, c), product, c, rounding), rounding);
}

float sim_f32_div(float a, float b, sim_rounding rounding) {
    return pack_f32(sim_odd_div(a, b), rounding);
}

float sim_f32_sqrt(float a, sim_rounding rounding) { return pack_f32(sim_odd_sqrt(a), rounding); }

static int host_mode(sim_rounding rounding) {
    switch (rounding) {
    case SIM_ROUND_RZ: return FE_TOWARDZERO;
    case SIM_ROUND_RM: return FE_DOWNWARD;
    case SIM_ROUND_RP: return FE_UPWARD;
    default: return FE_TONEAREST;
    }
}

// Operands and result go through volatile variables, so that no arithmetic moves across the change
// of mode.
#define IN_MODE(expression)                                                                        \
    do {                                                                                           \
        volatile double result_;                                                                   \
        int before_ = fegetround();                                                                \
        fesetround(host_mode(rounding));                                                           \
        result_ = (expression);                                                                    \
        fesetround(before_);                                                                       \
        return result_;                                                                            \
    } while (0)

double sim_f64_add(double a, double b, sim_rounding rounding) {
    volatile double x = a, y = b;
    IN_MODE(x + y);
}

double sim_f64_mul(double a, double b, sim_rounding rounding) {
    volatile double x = a, y = b;
    IN_MODE(x * y);
}

double sim_f64_fma(double a, double b, double c, sim_rounding rounding) {
    volatile double x = a, y = b, z = c;
    IN_MODE(fma(x, y, z));
}

double sim_f64_div(double a, double b, sim_rounding rounding) {
    volatile double x = a, y = b;
    IN_MODE(x / y);
}

double sim_f64_sqrt(double a, sim_rounding rounding) {
    volatile double x = a;
    IN_MODE(sqrt(x));
}

double sim_round_integral(double value, sim_rounding rounding) {
    switch (rounding) {
    case SIM_ROUND_RZI: return trunc(value);
    case SIM_ROUND_RMI: return floor(value);
    case SIM_ROUND_RPI: return ceil(value);
    default: return rint(value);
    }
}

// ---- small float --------------------------------------------------------------------------------

static const struct {
    uint8_t fraction, exponents, largest; // bits, bits, and the bits of the largest number
} small_formats[] = {
    [SIM_SMALL_E4M3] = {3, 4, 0x7E}, [SIM_SMALL_E5M2] = {2, 5, 0x7B}, [SIM_SMALL_E2M3] = {3, 2, 31},
    [SIM_SMALL_E3M2] = {2, 3, 31},   [SIM_SMALL_E2M1] = {1, 2, 7},
};
static const uint32_t SMALL_NAN = 0x7F;

double sim_double_from_small(sim_small format, uint32_t bits) {
    if (format == SIM_SMALL_UE8M0) return bits == 0xFF ? (double)NAN : ldexp(1, (int)bits - 127);
    uint32_t fraction = small_formats[format].fraction, exponents = small_formats[format].exponents;
    uint32_t magnitude = bits & ((1u << (fraction + exponents)) - 1);
    int exponent = (int)(magnitude >> fraction), digits = (int)magnitude & ((1 << fraction) - 1);
    int bias = (1 << (exponents - 1)) - 1;
    double value = exponent ? ldexp(digits + (1 << fraction), exponent - bias - (int)fraction)
                            : ldexp(digits, 1 - bias - (int)fraction);
    if (magnitude > small_formats[format].largest)
        value = format == SIM_SMALL_E5M2 && digits == 0 ? (double)INFINITY : (double)NAN;
    return bits >> (fraction + exponents) & 1 ? -value : value;
}

uint32_t sim_small_from_double(sim_small format, double value, double noise) {
    int fraction = small_formats[format].fraction, exponents = small_formats[format].exponents;
    uint32_t largest = small_formats[format].largest, bits = largest;
    if (value != value) return largest > 31 ? SMALL_NAN : largest;
    double magnitude = fabs(value);
    if (magnitude < 0x1p16) {                      // all of the numbers are
        int smallest = 2 - (1 << (exponents - 1)); // exponent of a normal number
        int exponent = magnitude < ldexp(1, smallest) ? smallest : ilogb(magnitude);
        double steps = ldexp(magnitude, fraction - exponent); // in units of the last place
        steps = noise < 0 ? rint(steps) : floor(steps + noise);
        bits = ((uint32_t)(exponent - smallest) << fraction) + (uint32_t)steps;
    }
    if (bits > largest) bits = largest;
    return (signbit(value) ? 1u << (fraction + exponents) : 0) | bits;
}

uint32_t sim_ue8m0_from_float(float value, bool up, bool finite) {
    uint32_t magnitude = sim_bits_from_float(value) & 0x7FFFFFFF, exponent = magnitude >> 23;
    if (value != value) return 0xFF;
    bool more = exponent ? magnitude & 0x7FFFFF : magnitude > 0x400000; // than 2^(exponent - 127)
    if (up && more) exponent++;
    return finite && exponent == 0xFF ? 0xFE : exponent;
}
