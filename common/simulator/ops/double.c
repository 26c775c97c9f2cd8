// Double precision (PTX ISA, "Floating Point Instructions"). The host's arithmetic to nearest is
// the device's; other roundings switch the host's mode for one operation (program/fpmath.h). NaN
// operands are passed on quiet, with sign and payload, the second before the third before the
// first, as an H100 gives.
#include "ops/internal.h"
#include "program/approximations.h"
#include "warps/lanes.h"

static inline double quiet(double nan) {
    return sim_double_from_bits(sim_bits_from_double(nan) | UINT64_C(1) << 51);
}
static inline double pass_nan(double x, double y, double result) {
    return y != y ? quiet(y) : x != x ? quiet(x) : result;
}
static inline double pass_nan_3(double x, double y, double z, double result) {
    return y != y ? quiet(y) : pass_nan(x, z, result);
}
#define N(result)  pass_nan(a[i], b[i], result)
#define N3(result) pass_nan_3(a[i], b[i], c[i], result)
HANDLER_AB(add_rn, double, double, double, N(a[i] + b[i]))
HANDLER_AB(sub_rn, double, double, double, N(a[i] - b[i]))
HANDLER_AB(mul_rn, double, double, double, N(a[i] * b[i]))
HANDLER_ABC(fma_rn, double, double, double, double, N3(__builtin_fma(a[i], b[i], c[i])))
HANDLER_LONG_ABC(fma_less_addend, double, double, double, double,
                 N3(__builtin_fma(a[i], b[i], -c[i])))
HANDLER_LONG_ABC(fma_less_product, double, double, double, double,
                 N3(__builtin_fma(-a[i], b[i], c[i])))
HANDLER_LONG_AB(div_rn, double, double, double, a[i] / b[i])
HANDLER_LONG_A(rcp_rn, double, double, 1.0 / a[i])
HANDLER_LONG_A(sqrt_rn, double, double, __builtin_sqrt(a[i]))

// .approx.ftz: what the special function unit gives. Without .ftz a step of Halley's method
// follows, as ptxas writes it; subnormal arguments are scaled.
HANDLER_LONG_A(rcp_approx_ftz, double, double, sim_mufu_rcp_double(a[i]))
HANDLER_LONG_A(rsqrt_approx_ftz, double, double, sim_mufu_rsqrt_double(a[i]))
static inline double reciprocal_root(double x) {
    bool small = x > 0 && x < 0x1p-1022;
    double argument = small ? x * 0x1p54 : x, root = sim_mufu_rsqrt_double(argument);
    double rest = __builtin_fma(argument, -(root * root), 1);
    double refined = __builtin_fma(__builtin_fma(rest, 0.375, 0.5), root * rest, root);
    bool ordinary = x > 0 && x < (double)INFINITY;
    return ordinary ? refined * (small ? 0x1p27 : 1) : 1.0 / __builtin_sqrt(x);
}
HANDLER_LONG_A(rsqrt_approx, double, double, reciprocal_root(a[i]))

#define MODE ((sim_rounding)instr->rounding)
HANDLER_SCALAR_AB(add_any, double, double, double, N(sim_f64_add(a[i], b[i], MODE)))
HANDLER_SCALAR_AB(sub_any, double, double, double, N(sim_f64_add(a[i], -b[i], MODE)))
HANDLER_SCALAR_AB(mul_any, double, double, double, N(sim_f64_mul(a[i], b[i], MODE)))
HANDLER_SCALAR_ABC(fma_any, double, double, double, double, N3(sim_f64_fma(a[i], b[i], c[i], MODE)))
HANDLER_SCALAR_AB(div_any, double, double, double, sim_f64_div(a[i], b[i], MODE))
HANDLER_SCALAR_A(rcp_any, double, double, sim_f64_div(1.0, a[i], MODE))
HANDLER_SCALAR_A(sqrt_any, double, double, sim_f64_sqrt(a[i], MODE))

#define SIGN_64 (UINT64_C(1) << 63)
// NaN keeps its sign.
HANDLER_A(abs_f64, double, double, a[i] != a[i] ? quiet(a[i]) : __builtin_fabs(a[i]))
HANDLER_A(neg_f64, double, double, a[i] != a[i] ? quiet(a[i]) : -a[i])
HANDLER_LONG_AB(copysign_bits, uint64_t, uint64_t, uint64_t, (a[i] & SIGN_64) | (b[i] & ~SIGN_64))

// One NaN gives the other operand, two the second; -0 is below +0.
static inline double least(double x, double y) {
    uint64_t zeros = sim_bits_from_double(x) | sim_bits_from_double(y);
    double numbers = x < y ? x : y < x ? y : sim_double_from_bits(zeros);
    return x != x ? (y != y ? quiet(y) : y) : y != y ? x : numbers;
}
static inline double greatest(double x, double y) {
    uint64_t zeros = sim_bits_from_double(x) & sim_bits_from_double(y);
    double numbers = x > y ? x : y > x ? y : sim_double_from_bits(zeros);
    return x != x ? (y != y ? quiet(y) : y) : y != y ? x : numbers;
}
HANDLER_LONG_AB(min_f64, double, double, double, least(a[i], b[i]))
HANDLER_LONG_AB(max_f64, double, double, double, greatest(a[i], b[i]))

HANDLER(testp_f64) {
    SRC(uint64_t, a, 0);
    const uint64_t infinity = UINT64_C(0x7FF) << 52, normal = UINT64_C(1) << 52;
    uint32_t result = 0;
    for (int i = 0; i < SIM_WARP_LANES; i++) {
        uint64_t magnitude = a[i] & ~SIGN_64;
        bool is = false;
        switch (instr->variant) {
        case SIM_TESTP_FINITE: is = magnitude < infinity; break;
        case SIM_TESTP_INFINITE: is = magnitude == infinity; break;
        case SIM_TESTP_NUMBER: is = magnitude <= infinity; break;
        case SIM_TESTP_NOTANUMBER: is = magnitude > infinity; break;
        case SIM_TESTP_NORMAL: // zero too
            is = !magnitude || (magnitude >= normal && magnitude < infinity);
            break;
        default: is = magnitude && magnitude < normal; break;
        }
        if (is) result |= lane_bit[i];
    }
    write_predicate(warp, instr->dst, lanes, result);
}

static sim_exec_fn choose(const sim_instr *instr, sim_exec_fn nearest, sim_exec_fn any) {
    bool directed = instr->rounding == SIM_ROUND_RZ || instr->rounding == SIM_ROUND_RM ||
                    instr->rounding == SIM_ROUND_RP;
    return directed ? any : nearest;
}

sim_exec_fn SIM_VARIANT(sim_bind_f64)(const sim_instr *instr) {
    switch (instr->op) {
    case SIM_OP_ADD: return choose(instr, add_rn, add_any);
    case SIM_OP_SUB: return choose(instr, sub_rn, sub_any);
    case SIM_OP_MUL: return choose(instr, mul_rn, mul_any);
    case SIM_OP_MAD:
    case SIM_OP_FMA: // negated where a sum took in a product (decode/contract.c)
        if (instr->variant == SIM_FMA_NEGATE_ADDEND) return fma_less_addend;
        if (instr->variant == SIM_FMA_NEGATE_PRODUCT) return fma_less_product;
        return choose(instr, fma_rn, fma_any);
    case SIM_OP_DIV: return choose(instr, div_rn, div_any);
    case SIM_OP_RCP:
        if (instr->rounding == SIM_ROUND_APPROX) return rcp_approx_ftz;
        return choose(instr, rcp_rn, rcp_any);
    case SIM_OP_SQRT: return choose(instr, sqrt_rn, sqrt_any);
    case SIM_OP_RSQRT: return has(instr, SIM_MOD_FTZ) ? rsqrt_approx_ftz : rsqrt_approx;
    case SIM_OP_ABS: return abs_f64;
    case SIM_OP_NEG: return neg_f64;
    case SIM_OP_MIN: return min_f64;
    case SIM_OP_MAX: return max_f64;
    case SIM_OP_TESTP: return testp_f64;
    case SIM_OP_COPYSIGN: return copysign_bits;
    default: return NULL;
    }
}
