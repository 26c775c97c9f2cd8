// SPDX-License-Identifier: MIT
// Comparison (PTX ISA, "Comparison and Selection Instructions"). A comparison gives 32 bits, one a
// lane; setp stores them as a predicate, set spreads them to registers. Plain comparisons are false
// when an operand is NaN, the unordered ones (equ, ltu ..) true.
#include "program/fpmath.h"
#include "warps/lanes.h"

typedef uint32_t (*mask_fn)(const void *left, const void *right);

// mask_<name>: the bits; setp_<name>: the handler for the plain form `setp p, a, b`.
#define COMPARE(name, type, expression)                                                            \
    static inline uint32_t mask_##name(const void *left, const void *right) {                      \
        const type *a = left, *b = right;                                                          \
        uint32_t bits = 0;                                                                         \
        for (int i = 0; i < SIM_WARP_LANES; i++) bits |= (expression) ? lane_bit[i] : 0;           \
        return bits;                                                                               \
    }                                                                                              \
    HANDLER(setp_##name) {                                                                         \
        SRC(type, a, 0);                                                                           \
        SRC(type, b, 1);                                                                           \
        uint32_t *predicate = SLOT(uint32_t, instr->dst);                                          \
        *predicate = (*predicate & ~lanes) | (mask_##name(a, b) & lanes);                          \
    }
#define COMPARE_EQUAL(name, type)                                                                  \
    COMPARE(name##_eq, type, a[i] == b[i])                                                         \
    COMPARE(name##_ne, type, a[i] != b[i])
#define COMPARE_ORDER(name, type)                                                                  \
    COMPARE(name##_lt, type, a[i] < b[i])                                                          \
    COMPARE(name##_le, type, a[i] <= b[i])                                                         \
    COMPARE(name##_gt, type, a[i] > b[i])                                                          \
    COMPARE(name##_ge, type, a[i] >= b[i])
#define COMPARE_FLOATS(name, type)                                                                 \
    COMPARE_EQUAL(name, type)                                                                      \
    COMPARE_ORDER(name, type)                                                                      \
    COMPARE(name##_ne_ordered, type, a[i]<b[i] || a[i]> b[i])                                      \
    COMPARE(name##_equ, type, !(a[i] < b[i] || a[i] > b[i]))                                       \
    COMPARE(name##_ltu, type, !(a[i] >= b[i]))                                                     \
    COMPARE(name##_leu, type, !(a[i] > b[i]))                                                      \
    COMPARE(name##_gtu, type, !(a[i] <= b[i]))                                                     \
    COMPARE(name##_geu, type, !(a[i] < b[i]))                                                      \
    COMPARE(name##_num, type, a[i] == a[i] && b[i] == b[i])                                        \
    COMPARE(name##_nan, type, a[i] != a[i] || b[i] != b[i])

COMPARE_EQUAL(x32, uint32_t)
COMPARE_ORDER(u32, uint32_t)
COMPARE_ORDER(s32, int32_t)
COMPARE_EQUAL(x64, uint64_t)
COMPARE_ORDER(u64, uint64_t)
COMPARE_ORDER(s64, int64_t)
COMPARE_FLOATS(f32, float)
COMPARE_FLOATS(f64, double)

typedef struct comparison {
    mask_fn mask;
    sim_exec_fn setp;
} comparison;

enum { COMPARISONS = SIM_CMP_NAN + 1 };
#define BOTH(name)                                                                                 \
    { mask_##name, setp_##name }
#define INTEGER_ROW(equal, name)                                                                   \
    {                                                                                              \
        [SIM_CMP_EQ] = BOTH(equal##_eq), [SIM_CMP_NE] = BOTH(equal##_ne),                          \
        [SIM_CMP_LT] = BOTH(name##_lt), [SIM_CMP_LE] = BOTH(name##_le),                            \
        [SIM_CMP_GT] = BOTH(name##_gt), [SIM_CMP_GE] = BOTH(name##_ge),                            \
    }
#define FLOAT_ROW(name)                                                                            \
    {                                                                                              \
        [SIM_CMP_EQ] = BOTH(name##_eq), [SIM_CMP_NE] = BOTH(name##_ne_ordered),                    \
        [SIM_CMP_LT] = BOTH(name##_lt), [SIM_CMP_LE] = BOTH(name##_le),                            \
        [SIM_CMP_GT] = BOTH(name##_gt), [SIM_CMP_GE] = BOTH(name##_ge),                            \
        [SIM_CMP_EQU] = BOTH(name##_equ), [SIM_CMP_NEU] = BOTH(name##_ne),                         \
        [SIM_CMP_LTU] = BOTH(name##_ltu), [SIM_CMP_LEU] = BOTH(name##_leu),                        \
        [SIM_CMP_GTU] = BOTH(name##_gtu), [SIM_CMP_GEU] = BOTH(name##_geu),                        \
        [SIM_CMP_NUM] = BOTH(name##_num), [SIM_CMP_NAN] = BOTH(name##_nan),                        \
    }
static const comparison rows_u32[COMPARISONS] = INTEGER_ROW(x32, u32);
static const comparison rows_s32[COMPARISONS] = INTEGER_ROW(x32, s32);
static const comparison rows_u64[COMPARISONS] = INTEGER_ROW(x64, u64);
static const comparison rows_s64[COMPARISONS] = INTEGER_ROW(x64, s64);
static const comparison rows_f32[COMPARISONS] = FLOAT_ROW(f32);
static const comparison rows_f64[COMPARISONS] = FLOAT_ROW(f64);

// Of the type itself, or of what its operands are widened to first. NULL: no such type.
static const comparison *rows_of(uint8_t type) {
    switch (type) {
    case PTX_B16:
    case PTX_U16:
    case PTX_B32:
    case PTX_U32: return rows_u32;
    case PTX_S16:
    case PTX_S32: return rows_s32;
    case PTX_B64:
    case PTX_U64: return rows_u64;
    case PTX_S64: return rows_s64;
    case PTX_F64: return rows_f64;
    case PTX_F32:
    case PTX_F16:
    case PTX_BF16:
    case PTX_F16X2:
    case PTX_BF16X2: return rows_f32;
    default: return NULL;
    }
}

// ---- Types that are compared as a wider one ----

static float widened_half(uint32_t half, bool ftz) {
    float value = sim_float_from_f16(half & 0xFFFF);
    return ftz && fabsf(value) < 0x1p-14f ? copysignf(0, value) : value;
}

// Into 32-bit integers and single floats, exactly. False: the type is compared as it is.
// `high`: the upper halves of pairs.
static bool widen(uint8_t type, bool ftz, bool high, const void *from,
                  uint32_t out[SIM_WARP_LANES]) {
    const uint32_t *in = from;
    const int shift = high ? 16 : 0;
    switch (type) {
    case PTX_B16:
    case PTX_U16: EACH_LANE out[i] = (uint16_t)in[i]; return true;
    case PTX_S16: EACH_LANE out[i] = (uint32_t)(int16_t)in[i]; return true;
    case PTX_F32:
        if (!ftz) return false;
        EACH_LANE out[i] = sim_bits_from_float(sim_flush(sim_float_from_bits(in[i])));
        return true;
    case PTX_F16:
    case PTX_F16X2:
        EACH_LANE out[i] = sim_bits_from_float(widened_half(in[i] >> shift, ftz));
        return true;
    case PTX_BF16:
    case PTX_BF16X2: EACH_LANE out[i] = in[i] >> shift << 16; return true;
    default: return false;
    }
}

static bool is_pair(uint8_t type) {
    return type == PTX_F16X2 || type == PTX_BF16X2;
}

static uint32_t compare(const sim_warp *warp, const sim_instr *instr, uint8_t type, bool high) {
    const void *a = SLOT(const void, instr->src[0]), *b = SLOT(const void, instr->src[1]);
    uint32_t wide[2][SIM_WARP_LANES];
    bool ftz = has(instr, SIM_MOD_FTZ);
    mask_fn mask = rows_of(type)[instr->compare].mask;
    if (!widen(type, ftz, high, a, wide[0])) return mask(a, b);
    widen(type, ftz, high, b, wide[1]);
    return mask(wide[0], wide[1]);
}

static uint32_t combine(const sim_warp *warp, const sim_instr *instr, uint32_t bits) {
    switch (instr->boolean) {
    case SIM_BOOL_AND: return bits & read_predicate_c(warp, instr);
    case SIM_BOOL_OR: return bits | read_predicate_c(warp, instr);
    case SIM_BOOL_XOR: return bits ^ read_predicate_c(warp, instr);
    default: return bits;
    }
}

// setp p|q: q is the complement of the comparison, or on pairs the comparison of the upper halves;
// each is then combined with c.
HANDLER(setp_any) {
    uint32_t bits = compare(warp, instr, instr->type, false);
    uint32_t second = is_pair(instr->type) ? compare(warp, instr, instr->type, true) : ~bits;
    uint32_t p = combine(warp, instr, bits), q = combine(warp, instr, second);
    write_predicate(warp, instr->dst, lanes, p);
    write_predicate(warp, instr->dst2, lanes, q);
}
// setp p alone, of a type that is compared as a wider one.
HANDLER(setp_widened) {
    write_predicate(warp, instr->dst, lanes, compare(warp, instr, instr->type, false));
}
BIND(SETP) {
    const comparison *rows = rows_of(instr->type);
    if (!rows || instr->compare >= COMPARISONS || !rows[instr->compare].mask) return NULL;
    bool single = instr->boolean == SIM_BOOL_NONE && instr->dst2 == SIM_NO_SLOT &&
                  instr->dst != SIM_NO_SLOT && !is_pair(instr->type);
    if (!single) return setp_any;
    bool as_is = ptx_type_bytes((ptx_type)instr->type) >= 4 && !has(instr, SIM_MOD_FTZ);
    return as_is ? rows[instr->compare].setp : setp_widened;
}

// set: all ones or zero for integers, 1.0 or 0.0 for floats.
static uint32_t true_value(uint8_t type) {
    switch (type) {
    case PTX_F32: return 0x3F800000u;
    case PTX_F16:
    case PTX_F16X2: return 0x3C00u;
    case PTX_BF16:
    case PTX_BF16X2: return 0x3F80u;
    case PTX_U16:
    case PTX_S16: return 0xFFFFu;
    default: return 0xFFFFFFFFu;
    }
}
HANDLER(set_any) {
    uint32_t low = combine(warp, instr, compare(warp, instr, instr->type2, false)), high = 0;
    if (is_pair(instr->type2))
        high = combine(warp, instr, compare(warp, instr, instr->type2, true));
    uint32_t one = true_value(instr->type), two = is_pair(instr->type) ? one << 16 : 0;
    for (uint32_t rest = lanes; rest; rest &= rest - 1) {
        int i = __builtin_ctz(rest);
        uint32_t value = low & lane_bit[i] ? one : 0;
        if (high & lane_bit[i]) value |= two;
        if (instr->type == PTX_U64 || instr->type == PTX_S64)
            SLOT(uint64_t, instr->dst)[i] = value ? ~UINT64_C(0) : 0;
        else
            SLOT(uint32_t, instr->dst)[i] = value;
    }
}
BIND(SET) {
    const comparison *rows = rows_of(instr->type2);
    bool known = rows && instr->compare < COMPARISONS && rows[instr->compare].mask;
    return known ? set_any : NULL;
}
