// Single precision (PTX ISA, "Floating Point Instructions"). The common forms, rounding to nearest
// with or without .ftz, are vector loops; other roundings and .sat go lane by lane through
// program/fpmath.h. Results that are NaN become the hardware's one NaN.
#include "ops/internal.h"
#include "program/approximations.h"
#include "warps/lanes.h"

// ---- add, sub, mul, fma ----

#define C(x) sim_canonical(x)
#define F(x) sim_flush(x)
// .ftz flushes what is below the smallest normal number after rounding to 24 bits with any
// exponent, as an H100 gives. `scaled`: the same operation on values 2^64 times as large, where
// that rounding is the usual one.
#define SCALED(x) ((x)*0x1p64f)
static inline float flush_tiny(float result, float scaled) {
    uint32_t sign = sim_bits_from_float(result) & 0x80000000u;
    return __builtin_fabsf(scaled) < 0x1p-62f ? sim_float_from_bits(sign) : result;
}
HANDLER_AB(add_rn, float, float, float, C(a[i] + b[i]))
HANDLER_AB(sub_rn, float, float, float, C(a[i] - b[i]))
HANDLER_AB(mul_rn, float, float, float, C(a[i] * b[i]))
HANDLER_ABC(fma_rn, float, float, float, float, C(__builtin_fmaf(a[i], b[i], c[i])))
HANDLER_LONG_AB(add_ftz, float, float, float, F(C(F(a[i]) + F(b[i]))))
HANDLER_LONG_AB(sub_ftz, float, float, float, F(C(F(a[i]) - F(b[i]))))
HANDLER_LONG_AB(mul_ftz, float, float, float,
                flush_tiny(C(F(a[i]) * F(b[i])), SCALED(F(a[i])) * F(b[i])))
HANDLER_LONG_ABC(fma_ftz, float, float, float, float,
                 flush_tiny(C(__builtin_fmaf(F(a[i]), F(b[i]), F(c[i]))),
                            __builtin_fmaf(SCALED(F(a[i])), F(b[i]), SCALED(F(c[i])))))
// What a sum becomes that took in a product (decode/contract.c): a * b - c, c - a * b.
HANDLER_ABC(fma_less_addend, float, float, float, float, C(__builtin_fmaf(a[i], b[i], -c[i])))
HANDLER_ABC(fma_less_product, float, float, float, float, C(__builtin_fmaf(-a[i], b[i], c[i])))
HANDLER_LONG_ABC(fma_less_addend_ftz, float, float, float, float,
                 flush_tiny(C(__builtin_fmaf(F(a[i]), F(b[i]), -F(c[i]))),
                            __builtin_fmaf(SCALED(F(a[i])), F(b[i]), -SCALED(F(c[i])))))
HANDLER_LONG_ABC(fma_less_product_ftz, float, float, float, float,
                 flush_tiny(C(__builtin_fmaf(-F(a[i]), F(b[i]), F(c[i]))),
                            __builtin_fmaf(-SCALED(F(a[i])), F(b[i]), SCALED(F(c[i])))))

// Any rounding, .ftz and .sat, as the instruction says.
static inline float in(const sim_instr *instr, float x) {
    return has(instr, SIM_MOD_FTZ) ? sim_flush(x) : x;
}
static inline float out(const sim_instr *instr, float x) {
    if (has(instr, SIM_MOD_FTZ)) x = sim_flush(x);
    if (has(instr, SIM_MOD_SAT)) x = sim_saturate(x);
    if (has(instr, SIM_MOD_RELU)) x = x < 0 ? 0 : x;
    return sim_canonical(x);
}
#define MODE ((sim_rounding)instr->rounding)
static float multiply(const sim_instr *instr, float x, float y) {
    float product = sim_f32_mul(x, y, MODE);
    return has(instr, SIM_MOD_FTZ) ? flush_tiny(product, sim_f32_mul(SCALED(x), y, MODE)) : product;
}
static float divide(const sim_instr *instr, float x, float y) {
    float quotient = sim_f32_div(x, y, MODE);
    return has(instr, SIM_MOD_FTZ) ? flush_tiny(quotient, sim_f32_div(SCALED(x), y, MODE))
                                   : quotient;
}
HANDLER_SCALAR_AB(add_any, float, float, float,
                  out(instr, sim_f32_add(in(instr, a[i]), in(instr, b[i]), MODE)))
HANDLER_SCALAR_AB(sub_any, float, float, float,
                  out(instr, sim_f32_add(in(instr, a[i]), -in(instr, b[i]), MODE)))
HANDLER_SCALAR_AB(mul_any, float, float, float,
                  out(instr, multiply(instr, in(instr, a[i]), in(instr, b[i]))))
static float multiply_add(const sim_instr *instr, float x, float y, float z) {
    if (instr->variant == SIM_FMA_NEGATE_PRODUCT) x = -x;
    if (instr->variant == SIM_FMA_NEGATE_ADDEND) z = -z;
    return sim_f32_fma(x, y, z, MODE);
}
HANDLER_SCALAR_ABC(fma_any, float, float, float, float,
                   out(instr,
                       multiply_add(instr, in(instr, a[i]), in(instr, b[i]), in(instr, c[i]))))

// ---- div, rcp, sqrt, rsqrt: .approx by the special function unit ----

HANDLER_AB(div_rn, float, float, float, C(a[i] / b[i]))
HANDLER_LONG_AB(div_ftz, float, float, float,
                flush_tiny(C(F(a[i]) / F(b[i])), SCALED(F(a[i])) / F(b[i])))
HANDLER_SCALAR_AB(div_any, float, float, float,
                  out(instr, divide(instr, in(instr, a[i]), in(instr, b[i]))))
// The product with the divisor's reciprocal, which is zero above 2^126. Subnormal divisors are
// scaled before, and with .full large ones.
static inline float divide_approx(float x, float y) {
    float scale = __builtin_fabsf(y) < 0x1p-126f ? 0x1p24f : 1;
    return C((x * scale) * sim_mufu_rcp(y * scale));
}
static inline float divide_full(float x, float y) {
    float scale = __builtin_fabsf(y) > 0x1p126f ? 0.25f : 1;
    return divide_approx(x * scale, y * scale);
}
static inline float divide_ftz(float x, float y, float large_scale) {
    float scale = __builtin_fabsf(y) > 0x1p126f ? large_scale : 1;
    float reciprocal = sim_mufu_rcp(F(y * scale)), scaled = F(x * scale);
    return flush_tiny(C(scaled * reciprocal), SCALED(scaled) * reciprocal);
}
HANDLER_LONG_AB(div_approx, float, float, float, divide_approx(a[i], b[i]))
HANDLER_LONG_AB(div_approx_ftz, float, float, float, divide_ftz(F(a[i]), F(b[i]), 1))
HANDLER_LONG_AB(div_full, float, float, float, divide_full(a[i], b[i]))
HANDLER_LONG_AB(div_full_ftz, float, float, float, divide_ftz(F(a[i]), F(b[i]), 0.25f))
// Without .ftz: subnormal arguments and results by scaling.
static inline float reciprocal(float x) {
    bool small = __builtin_fabsf(x)<0x1p-126f, large = __builtin_fabsf(x)> 0x1p125f;
    float scale = small ? 0x1p24f : large ? 0x1p-24f : 1;
    return C(sim_mufu_rcp(x * scale) * scale);
}
HANDLER_LONG_A(rcp_approx, float, float, reciprocal(a[i]))
HANDLER_LONG_A(rcp_approx_ftz, float, float, C(sim_mufu_rcp(a[i])))
HANDLER_LONG_A(rcp_rn, float, float, C(1.0f / a[i]))
HANDLER_LONG_A(rcp_ftz, float, float, F(C(1.0f / F(a[i]))))
HANDLER_SCALAR_A(rcp_any, float, float, out(instr, sim_f32_div(1.0f, in(instr, a[i]), MODE)))
HANDLER_LONG_A(sqrt_rn, float, float, C(__builtin_sqrtf(a[i])))
HANDLER_LONG_A(sqrt_ftz, float, float, F(C(__builtin_sqrtf(F(a[i])))))
HANDLER_SCALAR_A(sqrt_any, float, float, out(instr, sim_f32_sqrt(in(instr, a[i]), MODE)))
// Without .ftz: subnormal arguments by scaling.
static inline float root(float x) {
    bool small = __builtin_fabsf(x) < 0x1p-126f;
    return C(sim_mufu_sqrt(small ? x * 0x1p24f : x) * (small ? 0x1p-12f : 1));
}
HANDLER_LONG_A(sqrt_approx, float, float, root(a[i]))
HANDLER_LONG_A(sqrt_approx_ftz, float, float, C(sim_mufu_sqrt(a[i])))
static inline float reciprocal_root(float x) {
    bool small = __builtin_fabsf(x) < 0x1p-126f;
    return C(sim_mufu_rsqrt(small ? x * 0x1p24f : x) * (small ? 0x1p12f : 1));
}
HANDLER_LONG_A(rsqrt_approx, float, float, reciprocal_root(a[i]))
HANDLER_LONG_A(rsqrt_approx_ftz, float, float, C(sim_mufu_rsqrt(a[i])))

// ---- Transcendentals, all .approx: by the special function unit ----

// Subnormal arguments are as good as zeros.
HANDLER_LONG_A(sin_approx, float, float, C(sim_mufu_sin(sim_revolutions(a[i]), 0)))
HANDLER_LONG_A(cos_approx, float, float, C(sim_mufu_sin(sim_revolutions(a[i]), 1)))
HANDLER_LONG_A(sin_2pi, float, float, C(sim_mufu_sin(a[i], 0)))
HANDLER_LONG_A(cos_2pi, float, float, C(sim_mufu_sin(a[i], 1)))
// Without .ftz: subnormal arguments and results by scaling, of ex2 by squaring.
static inline float logarithm(float x) {
    bool small = __builtin_fabsf(x) < 0x1p-126f;
    return C(sim_mufu_lg2(small ? x * 0x1p24f : x) - (small ? 24.0f : 0.0f));
}
static inline float power_of_two(float x) {
    bool small = x < -126;
    float y = sim_mufu_ex2(small ? x * 0.5f : x);
    return C(small ? y * y : y);
}
HANDLER_LONG_A(lg2_approx, float, float, logarithm(a[i]))
HANDLER_LONG_A(lg2_approx_ftz, float, float, C(sim_mufu_lg2(a[i])))
HANDLER_LONG_A(ex2_approx, float, float, power_of_two(a[i]))
HANDLER_LONG_A(ex2_approx_ftz, float, float, C(sim_mufu_ex2(a[i])))

HANDLER_LONG_A(tanh_approx, float, float, C(sim_mufu_tanh(a[i])))

// ---- abs, neg, copysign, testp, min, max ----

HANDLER_A(abs_f32, float, float, C(__builtin_fabsf(a[i])))
HANDLER_A(neg_f32, float, float, C(-a[i]))
HANDLER_LONG_A(abs_ftz, float, float, F(C(__builtin_fabsf(a[i]))))
HANDLER_LONG_A(neg_ftz, float, float, F(C(-a[i])))
HANDLER_AB(copysign_bits, uint32_t, uint32_t, uint32_t,
           (a[i] & 0x80000000u) | (b[i] & 0x7FFFFFFFu)) // sign of a, rest of b

HANDLER(testp_f32) {
    SRC(uint32_t, a, 0);
    uint32_t result = 0;
    for (int i = 0; i < SIM_WARP_LANES; i++) {
        uint32_t magnitude = a[i] & 0x7FFFFFFFu;
        bool is = false;
        switch (instr->variant) {
        case SIM_TESTP_FINITE: is = magnitude < 0x7F800000u; break;
        case SIM_TESTP_INFINITE: is = magnitude == 0x7F800000u; break;
        case SIM_TESTP_NUMBER: is = magnitude <= 0x7F800000u; break;
        case SIM_TESTP_NOTANUMBER: is = magnitude > 0x7F800000u; break;
        case SIM_TESTP_NORMAL: // zero too
            is = !magnitude || (magnitude >= 0x00800000u && magnitude < 0x7F800000u);
            break;
        default: is = magnitude && magnitude < 0x00800000u; break;
        }
        if (is) result |= lane_bit[i];
    }
    write_predicate(warp, instr->dst, lanes, result);
}

// One NaN gives the other operand, two give NaN; -0 is below +0.
static inline float least(float x, float y) {
    uint32_t zeros = sim_bits_from_float(x) | sim_bits_from_float(y);
    float numbers = x < y   ? x
                    : y < x ? y
                            : sim_float_from_bits(zeros); // equal: same bits, or zeros
    return x != x ? sim_canonical(y) : y != y ? x : numbers;
}
static inline float greatest(float x, float y) {
    uint32_t zeros = sim_bits_from_float(x) & sim_bits_from_float(y);
    float numbers = x > y ? x : y > x ? y : sim_float_from_bits(zeros);
    return x != x ? sim_canonical(y) : y != y ? x : numbers;
}
HANDLER_AB(min_f32, float, float, float, least(a[i], b[i]))
HANDLER_AB(max_f32, float, float, float, greatest(a[i], b[i]))
HANDLER_LONG_AB(min_ftz, float, float, float, least(F(a[i]), F(b[i])))
HANDLER_LONG_AB(max_ftz, float, float, float, greatest(F(a[i]), F(b[i])))

// .NaN: any NaN gives NaN. .xorsign.abs: on magnitudes, with the sign of the product.
static float extreme(const sim_instr *instr, float x, float y, bool want_least) {
    bool negative = (sim_bits_from_float(x) ^ sim_bits_from_float(y)) >> 31;
    x = in(instr, x);
    y = in(instr, y);
    if (has(instr, SIM_MOD_XORSIGN)) {
        x = __builtin_fabsf(x);
        y = __builtin_fabsf(y);
    }
    if (has(instr, SIM_MOD_NAN) && (x != x || y != y)) return sim_float_from_bits(SIM_NAN_F32);
    float result = want_least ? least(x, y) : greatest(x, y);
    if (has(instr, SIM_MOD_XORSIGN) && result == result && negative) result = -result;
    return result;
}
HANDLER_SCALAR_AB(min_any, float, float, float, extreme(instr, a[i], b[i], true))
HANDLER_SCALAR_AB(max_any, float, float, float, extreme(instr, a[i], b[i], false))

// ---- Binding ----

// Forms of one operation: to nearest, the same with .ftz, anything else.
static sim_exec_fn choose(const sim_instr *instr, sim_exec_fn nearest, sim_exec_fn flushing,
                          sim_exec_fn any) {
    bool directed = instr->rounding == SIM_ROUND_RZ || instr->rounding == SIM_ROUND_RM ||
                    instr->rounding == SIM_ROUND_RP;
    uint32_t special = SIM_MOD_SAT | SIM_MOD_NAN | SIM_MOD_XORSIGN | SIM_MOD_RELU;
    if (directed || (instr->mods & special)) return any;
    return has(instr, SIM_MOD_FTZ) ? flushing : nearest;
}

static sim_exec_fn choose_fma(const sim_instr *instr) {
    switch (instr->variant) {
    case SIM_FMA_NEGATE_PRODUCT:
        return choose(instr, fma_less_product, fma_less_product_ftz, fma_any);
    case SIM_FMA_NEGATE_ADDEND: return choose(instr, fma_less_addend, fma_less_addend_ftz, fma_any);
    default: return choose(instr, fma_rn, fma_ftz, fma_any);
    }
}

sim_exec_fn SIM_VARIANT(sim_bind_f32)(const sim_instr *instr) {
    switch (instr->op) {
    case SIM_OP_ADD: return choose(instr, add_rn, add_ftz, add_any);
    case SIM_OP_SUB: return choose(instr, sub_rn, sub_ftz, sub_any);
    case SIM_OP_MUL: return choose(instr, mul_rn, mul_ftz, mul_any);
    case SIM_OP_MAD: // mad.f32 is fma since sm_20
    case SIM_OP_FMA: return choose_fma(instr);
    case SIM_OP_DIV:
        if (instr->rounding == SIM_ROUND_APPROX)
            return has(instr, SIM_MOD_FTZ) ? div_approx_ftz : div_approx;
        if (instr->rounding == SIM_ROUND_FULL)
            return has(instr, SIM_MOD_FTZ) ? div_full_ftz : div_full;
        return choose(instr, div_rn, div_ftz, div_any);
    case SIM_OP_RCP:
        if (instr->rounding == SIM_ROUND_APPROX)
            return has(instr, SIM_MOD_FTZ) ? rcp_approx_ftz : rcp_approx;
        return choose(instr, rcp_rn, rcp_ftz, rcp_any);
    case SIM_OP_SQRT:
        if (instr->rounding == SIM_ROUND_APPROX)
            return has(instr, SIM_MOD_FTZ) ? sqrt_approx_ftz : sqrt_approx;
        return choose(instr, sqrt_rn, sqrt_ftz, sqrt_any);
    case SIM_OP_RSQRT: return has(instr, SIM_MOD_FTZ) ? rsqrt_approx_ftz : rsqrt_approx;
    case SIM_OP_SIN: return has(instr, SIM_MOD_REVOLUTIONS) ? sin_2pi : sin_approx;
    case SIM_OP_COS: return has(instr, SIM_MOD_REVOLUTIONS) ? cos_2pi : cos_approx;
    case SIM_OP_LG2: return has(instr, SIM_MOD_FTZ) ? lg2_approx_ftz : lg2_approx;
    case SIM_OP_EX2: return has(instr, SIM_MOD_FTZ) ? ex2_approx_ftz : ex2_approx;
    case SIM_OP_TANH: return tanh_approx;
    case SIM_OP_ABS: return has(instr, SIM_MOD_FTZ) ? abs_ftz : abs_f32;
    case SIM_OP_NEG: return has(instr, SIM_MOD_FTZ) ? neg_ftz : neg_f32;
    case SIM_OP_MIN: return choose(instr, min_f32, min_ftz, min_any);
    case SIM_OP_MAX: return choose(instr, max_f32, max_ftz, max_any);
    case SIM_OP_TESTP: return testp_f32;
    case SIM_OP_COPYSIGN: return copysign_bits;
    default: return NULL;
    }
}
