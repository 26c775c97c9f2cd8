// Half precision: f16, bf16 and their pairs (PTX ISA, "Half Precision Floating Point
// Instructions"). Operands are widened to double, the operation is exact or rounded to odd there,
// and one rounding gives the result. Approximations are those of single precision.
#include "ops/internal.h"
#include "program/approximations.h"
#include "warps/lanes.h"

typedef struct half_kind {
    bool brain; // bf16
    bool pair;
} half_kind;

static half_kind kind_of(uint8_t type) {
    return (half_kind){type == PTX_BF16 || type == PTX_BF16X2,
                       type == PTX_F16X2 || type == PTX_BF16X2};
}

static double widen(half_kind kind, uint32_t bits) {
    bits &= 0xFFFF;
    return kind.brain ? (double)sim_float_from_bf16(bits) : sim_double_from_f16(bits);
}

static uint32_t narrow(const sim_instr *instr, half_kind kind, double value) {
    const sim_format *format = kind.brain ? &sim_format_bf16 : &sim_format_f16;
    if (has(instr, SIM_MOD_RELU)) value = value != value ? value : value > 0 ? value : 0;
    if (has(instr, SIM_MOD_SAT)) value = value > 0 ? (value < 1 ? value : 1) : 0;
    if (value != value) return SIM_NAN_F16;
    // Flushed when below the smallest normal number after rounding to 11 bits, as an H100 gives.
    bool tiny = has(instr, SIM_MOD_FTZ) && !kind.brain && fabs(value) < 0x1p-14 - 0x1p-26;
    // The special function unit cuts its floats, but what is too large for f16 is infinite.
    bool cuts = instr->op == SIM_OP_EX2 || instr->op == SIM_OP_TANH;
    if (cuts && !kind.brain && value >= 0x1p16) value = INFINITY;
    return (uint32_t)sim_pack_double(format, tiny ? copysign(0, value) : value,
                                     cuts ? SIM_ROUND_RZ : SIM_ROUND_RN);
}

static double smaller(const sim_instr *instr, double x, double y) {
    if (has(instr, SIM_MOD_NAN) && (x != x || y != y)) return NAN;
    if (x != x || y != y) return x != x ? y : x;
    if (x == y) return signbit(x) ? x : y;
    return x < y ? x : y;
}

static double larger(const sim_instr *instr, double x, double y) {
    if (has(instr, SIM_MOD_NAN) && (x != x || y != y)) return NAN;
    if (x != x || y != y) return x != x ? y : x;
    if (x == y) return signbit(x) ? y : x;
    return x > y ? x : y;
}

static double compute(const sim_instr *instr, double a, double b, double c) {
    switch (instr->op) {
    case SIM_OP_ADD: return sim_odd_add(a, b);
    case SIM_OP_SUB: return sim_odd_add(a, -b);
    case SIM_OP_MUL: return a * b;
    case SIM_OP_FMA:
        return sim_odd_add(instr->variant == SIM_FMA_NEGATE_PRODUCT ? -a * b : a * b,
                           instr->variant == SIM_FMA_NEGATE_ADDEND ? -c : c);
    case SIM_OP_ABS: return fabs(a);
    case SIM_OP_NEG: return -a;
    case SIM_OP_MIN: return smaller(instr, a, b);
    case SIM_OP_MAX: return larger(instr, a, b);
    case SIM_OP_EX2: return sim_mufu_ex2((float)a);
    default: return sim_mufu_tanh((float)a); // SIM_OP_TANH
    }
}

// What a copy by a tensor map puts where the tensor has no element, and with .oob makes a sum zero
// (the manual's word; of all other NaN an H200's fma.oob makes what its fma does).
static bool is_outside(uint32_t bits) { return (bits & 0xFFFF) == 0x7FF7; }

// One value of one lane.
static uint32_t one(const sim_instr *instr, half_kind kind, uint32_t a, uint32_t b, uint32_t c) {
    double x = widen(kind, a), y = widen(kind, b), z = widen(kind, c);
    bool outside = is_outside(a) || is_outside(b) || is_outside(c);
    if (has(instr, SIM_MOD_OOB) && outside) return 0;
    bool flush = has(instr, SIM_MOD_FTZ) && !kind.brain;
    if (flush) {
        x = sim_flush_half(x);
        y = sim_flush_half(y);
        z = sim_flush_half(z);
    }
    if (has(instr, SIM_MOD_XORSIGN)) {
        bool negative = (a ^ b) & 0x8000; // of NaN too
        double result = compute(instr, fabs(x), fabs(y), z);
        return narrow(instr, kind, negative ? -result : result);
    }
    return narrow(instr, kind, compute(instr, x, y, z));
}

static uint32_t operand(const sim_warp *warp, const sim_instr *instr, int number, int lane) {
    if (instr->src[number] == SIM_NO_SLOT) return 0;
    return SLOT(const uint32_t, instr->src[number])[lane];
}

HANDLER(half_any) {
    warp->block->general++;
    DST(uint32_t);
    half_kind kind = kind_of(instr->type);
    for (uint32_t rest = lanes; rest; rest &= rest - 1) {
        int i = __builtin_ctz(rest);
        uint32_t a = operand(warp, instr, 0, i), b = operand(warp, instr, 1, i);
        uint32_t c = operand(warp, instr, 2, i);
        uint32_t result = one(instr, kind, a, b, c);
        if (kind.pair) result |= one(instr, kind, a >> 16, b >> 16, c >> 16) << 16;
        d[i] = result;
    }
}

// ---- The frequent forms of f16, as vectors in single precision ---- Sums, differences and
// products of halves rounded to 24 bits and then to 11 are right, because 24 >= 2 * 11 + 2. For fma
// the product is exact and the sum is rounded to odd (program/fpmath.h).

static inline uint32_t quick_add(uint32_t a, uint32_t b) {
    return sim_f16_from_float(sim_float_from_f16(a) + sim_float_from_f16(b));
}
static inline uint32_t quick_sub(uint32_t a, uint32_t b) {
    return sim_f16_from_float(sim_float_from_f16(a) - sim_float_from_f16(b));
}
static inline uint32_t quick_mul(uint32_t a, uint32_t b) {
    return sim_f16_from_float(sim_float_from_f16(a) * sim_float_from_f16(b));
}
static inline uint32_t quick_fma(uint32_t a, uint32_t b, uint32_t c) {
    float x = sim_float_from_f16(a) * sim_float_from_f16(b), y = sim_float_from_f16(c);
    float sum = x + y, part = sum - x, err = (x - (sum - part)) + (y - part);
    uint32_t bits = sim_bits_from_float(sum), away = (err > 0) == (sum > 0) ? 1 : 0xFFFFFFFFu;
    bool lost = (err > 0 || err < 0) && !(bits & 1); // false for infinities and NaN
    return sim_f16_from_float(sim_float_from_bits(lost ? bits + away : bits));
}
#define PAIR_AB(f)  (f(a[i], b[i]) | f(a[i] >> 16, b[i] >> 16) << 16)
#define PAIR_ABC(f) (f(a[i], b[i], c[i]) | f(a[i] >> 16, b[i] >> 16, c[i] >> 16) << 16)
HANDLER_LONG_AB(add_f16, uint32_t, uint32_t, uint32_t, quick_add(a[i], b[i]))
HANDLER_LONG_AB(sub_f16, uint32_t, uint32_t, uint32_t, quick_sub(a[i], b[i]))
HANDLER_LONG_AB(mul_f16, uint32_t, uint32_t, uint32_t, quick_mul(a[i], b[i]))
HANDLER_LONG_ABC(fma_f16, uint32_t, uint32_t, uint32_t, uint32_t, quick_fma(a[i], b[i], c[i]))
HANDLER_AB(add_f16x2, uint32_t, uint32_t, uint32_t, PAIR_AB(quick_add))
HANDLER_LONG_AB(sub_f16x2, uint32_t, uint32_t, uint32_t, PAIR_AB(quick_sub))
HANDLER_AB(mul_f16x2, uint32_t, uint32_t, uint32_t, PAIR_AB(quick_mul))
HANDLER_ABC(fma_f16x2, uint32_t, uint32_t, uint32_t, uint32_t, PAIR_ABC(quick_fma))

// bf16 has the exponents of f32: products and sums of all sizes stay exact or rounded to odd in
// double, then to odd in single, whose upper half rounded to even is the result.
static inline double odd_sum(double x, double y) {
    double sum = x + y, part = sum - x, err = (x - (sum - part)) + (y - part);
    uint64_t bits = sim_bits_from_double(sum), away = (err > 0) == (sum > 0) ? 1 : ~(uint64_t)0;
    bool lost = (err > 0 || err < 0) && !(bits & 1); // false for infinities and NaN
    return sim_double_from_bits(lost ? bits + away : bits);
}
static inline uint32_t bf16_from_odd(double value) {
    float single = (float)value;
    double back = single;
    uint32_t bits = sim_bits_from_float(single);
    uint32_t away = fabs(back) < fabs(value) ? 1 : 0xFFFFFFFFu;
    bool lost = (back < value || back > value) && !(bits & 1);
    bits = lost ? bits + away : bits;
    return value != value ? SIM_NAN_F16 : (bits + 0x7FFF + (bits >> 16 & 1)) >> 16;
}
static inline double wide_bf16(uint32_t bits) { return (double)sim_float_from_bf16(bits); }
static inline uint32_t brain_add(uint32_t a, uint32_t b) {
    return bf16_from_odd(odd_sum(wide_bf16(a), wide_bf16(b)));
}
static inline uint32_t brain_sub(uint32_t a, uint32_t b) {
    return bf16_from_odd(odd_sum(wide_bf16(a), -wide_bf16(b)));
}
static inline uint32_t brain_mul(uint32_t a, uint32_t b) {
    return bf16_from_odd(wide_bf16(a) * wide_bf16(b));
}
static inline uint32_t brain_fma(uint32_t a, uint32_t b, uint32_t c) {
    return bf16_from_odd(odd_sum(wide_bf16(a) * wide_bf16(b), wide_bf16(c)));
}
HANDLER_LONG_AB(add_bf16, uint32_t, uint32_t, uint32_t, brain_add(a[i], b[i]))
HANDLER_LONG_AB(sub_bf16, uint32_t, uint32_t, uint32_t, brain_sub(a[i], b[i]))
HANDLER_LONG_AB(mul_bf16, uint32_t, uint32_t, uint32_t, brain_mul(a[i], b[i]))
HANDLER_LONG_ABC(fma_bf16, uint32_t, uint32_t, uint32_t, uint32_t, brain_fma(a[i], b[i], c[i]))
HANDLER_LONG_AB(add_bf16x2, uint32_t, uint32_t, uint32_t, PAIR_AB(brain_add))
HANDLER_LONG_AB(sub_bf16x2, uint32_t, uint32_t, uint32_t, PAIR_AB(brain_sub))
HANDLER_LONG_AB(mul_bf16x2, uint32_t, uint32_t, uint32_t, PAIR_AB(brain_mul))
HANDLER_LONG_ABC(fma_bf16x2, uint32_t, uint32_t, uint32_t, uint32_t, PAIR_ABC(brain_fma))

// By operation: f16, f16x2, bf16, bf16x2.
static const sim_exec_fn quick_add_row[4] = {add_f16, add_f16x2, add_bf16, add_bf16x2};
static const sim_exec_fn quick_sub_row[4] = {sub_f16, sub_f16x2, sub_bf16, sub_bf16x2};
static const sim_exec_fn quick_mul_row[4] = {mul_f16, mul_f16x2, mul_bf16, mul_bf16x2};
static const sim_exec_fn quick_fma_row[4] = {fma_f16, fma_f16x2, fma_bf16, fma_bf16x2};

// NULL: not one of them.
static sim_exec_fn bind_quick(const sim_instr *instr) {
    half_kind kind = kind_of(instr->type);
    int at = 2 * kind.brain + kind.pair;
    if (instr->mods & (SIM_MOD_FTZ | SIM_MOD_SAT | SIM_MOD_RELU)) return NULL;
    if (instr->op == SIM_OP_FMA && instr->variant != SIM_FMA_PLAIN) return NULL;
    switch (instr->op) {
    case SIM_OP_ADD: return quick_add_row[at];
    case SIM_OP_SUB: return quick_sub_row[at];
    case SIM_OP_MUL: return quick_mul_row[at];
    case SIM_OP_FMA: return quick_fma_row[at];
    default: return NULL;
    }
}

sim_exec_fn SIM_VARIANT(sim_bind_half)(const sim_instr *instr) {
    sim_exec_fn quick = bind_quick(instr);
    if (quick) return quick;
    switch (instr->op) {
    case SIM_OP_ADD:
    case SIM_OP_SUB:
    case SIM_OP_MUL:
    case SIM_OP_FMA:
    case SIM_OP_ABS:
    case SIM_OP_NEG:
    case SIM_OP_MIN:
    case SIM_OP_MAX:
    case SIM_OP_EX2:
    case SIM_OP_TANH: return half_any;
    default: return NULL;
    }
}
