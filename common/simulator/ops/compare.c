// Comparison (PTX ISA, "Comparison and Selection Instructions"). A comparison gives 32 bits, one
// per lane; setp stores them as a predicate, set spreads them to registers. Plain comparisons are
// false when an operand is NaN, the unordered ones (equ, ltu ..) true.
#include "program/fpmath.h"
#include "warps/lanes.h"

typedef uint32_t (*mask_fn)(const sim_warp *warp, const sim_instr *instr);

// setp_<name>: the handler for the plain form `setp p, a, b`.
#define SETP(name)                                                                                 \
    HANDLER(setp_##name) {                                                                         \
        uint32_t *predicate = SLOT(uint32_t, instr->dst);                                          \
        *predicate = (*predicate & ~lanes) | (mask_##name(warp, instr) & lanes);                   \
    }
// bits_<name>: the bits of two arrays; mask_<name>: those of an instruction.
#define COMPARE(name, type, expression)                                                            \
    static inline uint32_t bits_##name(const type *a, const type *b) {                             \
        uint32_t bits = 0;                                                                         \
        for (int i = 0; i < SIM_WARP_LANES; i++) bits |= (expression) ? lane_bit[i] : 0;           \
        return bits;                                                                               \
    }                                                                                              \
    static inline uint32_t mask_##name(const sim_warp *warp, const sim_instr *instr) {             \
        return bits_##name(SLOT(const type, instr->src[0]), SLOT(const type, instr->src[1]));      \
    }                                                                                              \
    SETP(name)
#define COMPARE_INTEGERS(name, type, x, y)                                                         \
    COMPARE(name##_eq, type, x == y)                                                               \
    COMPARE(name##_ne, type, x != y)                                                               \
    COMPARE(name##_lt, type, x < y)                                                                \
    COMPARE(name##_le, type, x <= y)                                                               \
    COMPARE(name##_gt, type, x > y)                                                                \
    COMPARE(name##_ge, type, x >= y)
#define COMPARE_FLOATS(name, type, x, y)                                                           \
    COMPARE_INTEGERS(name, type, x, y)                                                             \
    COMPARE(name##_ne_ordered, type, x<y || x> y)                                                  \
    COMPARE(name##_equ, type, !(x < y || x > y))                                                   \
    COMPARE(name##_ltu, type, !(x >= y))                                                           \
    COMPARE(name##_leu, type, !(x > y))                                                            \
    COMPARE(name##_gtu, type, !(x <= y))                                                           \
    COMPARE(name##_geu, type, !(x < y))                                                            \
    COMPARE(name##_num, type, x == x && y == y)                                                    \
    COMPARE(name##_nan, type, x != x || y != y)

COMPARE_INTEGERS(u16, uint32_t, (uint16_t)a[i], (uint16_t)b[i])
COMPARE_INTEGERS(s16, uint32_t, (int16_t)a[i], (int16_t)b[i])
COMPARE_INTEGERS(u32, uint32_t, a[i], b[i])
COMPARE_INTEGERS(s32, int32_t, a[i], b[i])
COMPARE_INTEGERS(u64, uint64_t, a[i], b[i])
COMPARE_INTEGERS(s64, int64_t, a[i], b[i])
COMPARE_FLOATS(f32, float, a[i], b[i])
COMPARE_FLOATS(ftz, float, sim_flush(a[i]), sim_flush(b[i]))
COMPARE_FLOATS(f64, double, a[i], b[i])

// Every comparison of floats, for the halves.
typedef uint32_t (*floats_fn)(const float *a, const float *b);
static const floats_fn compare_floats[] = {
    [SIM_CMP_EQ] = bits_f32_eq,   [SIM_CMP_NE] = bits_f32_ne_ordered, [SIM_CMP_LT] = bits_f32_lt,
    [SIM_CMP_LE] = bits_f32_le,   [SIM_CMP_GT] = bits_f32_gt,         [SIM_CMP_GE] = bits_f32_ge,
    [SIM_CMP_EQU] = bits_f32_equ, [SIM_CMP_NEU] = bits_f32_ne,        [SIM_CMP_LTU] = bits_f32_ltu,
    [SIM_CMP_LEU] = bits_f32_leu, [SIM_CMP_GTU] = bits_f32_gtu,       [SIM_CMP_GEU] = bits_f32_geu,
    [SIM_CMP_NUM] = bits_f32_num, [SIM_CMP_NAN] = bits_f32_nan,
};

// Halves: the low ones here, those of pairs in two functions. Floats hold them exactly, so
// both operands are widened and compared as floats: one function for all comparisons of a type.
#define COMPARE_HALVES(name, expression)                                                           \
    static uint32_t mask_##name(const sim_warp *warp, const sim_instr *instr) {                    \
        float wide[2][SIM_WARP_LANES];                                                             \
        for (int operand = 0; operand < 2; operand++) {                                            \
            SRC(uint32_t, x, operand);                                                             \
            EACH_LANE wide[operand][i] = (expression);                                             \
        }                                                                                          \
        return compare_floats[instr->compare](wide[0], wide[1]);                                   \
    }                                                                                              \
    SETP(name)
static inline float flushed(float half) { // for comparisons, to which zeros of both signs are equal
    return fabsf(half) < 0x1p-14f ? 0.0f : half;
}
COMPARE_HALVES(f16, sim_float_from_f16(x[i] & 0xFFFF))
COMPARE_HALVES(f16_ftz, flushed(sim_float_from_f16(x[i] & 0xFFFF)))
COMPARE_HALVES(bf16, sim_float_from_bf16(x[i] & 0xFFFF))
COMPARE_HALVES(f16_high, sim_float_from_f16(x[i] >> 16))
COMPARE_HALVES(f16_high_ftz, flushed(sim_float_from_f16(x[i] >> 16)))
COMPARE_HALVES(bf16_high, sim_float_from_bf16(x[i] >> 16))

typedef struct comparison {
    mask_fn mask;
    sim_exec_fn setp;
} comparison;

enum { COMPARISONS = SIM_CMP_NAN + 1 };
#define BOTH(name)                                                                                 \
    { mask_##name, setp_##name }
#define INTEGER_ROW(name)                                                                          \
    {                                                                                              \
        [SIM_CMP_EQ] = BOTH(name##_eq), [SIM_CMP_NE] = BOTH(name##_ne),                            \
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
#define HALF_ROW(name)                                                                             \
    { [SIM_CMP_EQ... SIM_CMP_NAN] = BOTH(name) }
static const comparison rows_u16[COMPARISONS] = INTEGER_ROW(u16);
static const comparison rows_s16[COMPARISONS] = INTEGER_ROW(s16);
static const comparison rows_u32[COMPARISONS] = INTEGER_ROW(u32);
static const comparison rows_s32[COMPARISONS] = INTEGER_ROW(s32);
static const comparison rows_u64[COMPARISONS] = INTEGER_ROW(u64);
static const comparison rows_s64[COMPARISONS] = INTEGER_ROW(s64);
static const comparison rows_f32[COMPARISONS] = FLOAT_ROW(f32);
static const comparison rows_ftz[COMPARISONS] = FLOAT_ROW(ftz);
static const comparison rows_f64[COMPARISONS] = FLOAT_ROW(f64);
static const comparison rows_f16[COMPARISONS] = HALF_ROW(f16);
static const comparison rows_f16_ftz[COMPARISONS] = HALF_ROW(f16_ftz);
static const comparison rows_bf16[COMPARISONS] = HALF_ROW(bf16);
static const comparison rows_f16_high[COMPARISONS] = HALF_ROW(f16_high);
static const comparison rows_f16_high_ftz[COMPARISONS] = HALF_ROW(f16_high_ftz);
static const comparison rows_bf16_high[COMPARISONS] = HALF_ROW(bf16_high);

// NULL: no such type. `high`: the upper halves of pairs.
static const comparison *rows_of(uint8_t type, bool ftz, bool high) {
    switch (type) {
    case PTX_B16:
    case PTX_U16: return rows_u16;
    case PTX_S16: return rows_s16;
    case PTX_B32:
    case PTX_U32: return rows_u32;
    case PTX_S32: return rows_s32;
    case PTX_B64:
    case PTX_U64: return rows_u64;
    case PTX_S64: return rows_s64;
    case PTX_F32: return ftz ? rows_ftz : rows_f32;
    case PTX_F64: return rows_f64;
    case PTX_F16: return ftz ? rows_f16_ftz : rows_f16;
    case PTX_BF16: return rows_bf16;
    case PTX_F16X2:
        if (ftz) return high ? rows_f16_high_ftz : rows_f16_ftz;
        return high ? rows_f16_high : rows_f16;
    case PTX_BF16X2: return high ? rows_bf16_high : rows_bf16;
    default: return NULL;
    }
}

static bool is_pair(uint8_t type) { return type == PTX_F16X2 || type == PTX_BF16X2; }

static uint32_t compare(const sim_warp *warp, const sim_instr *instr, uint8_t type, bool high) {
    const comparison *rows = rows_of(type, has(instr, SIM_MOD_FTZ), high);
    return rows[instr->compare].mask(warp, instr);
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
BIND(SETP) {
    const comparison *rows = rows_of(instr->type, has(instr, SIM_MOD_FTZ), false);
    if (!rows || instr->compare >= COMPARISONS || !rows[instr->compare].mask) return NULL;
    bool plain = instr->boolean == SIM_BOOL_NONE && instr->dst2 == SIM_NO_SLOT &&
                 instr->dst != SIM_NO_SLOT && !is_pair(instr->type);
    return plain ? rows[instr->compare].setp : setp_any;
}

// set: all ones or zero for integers, 1.0 or 0.0 for floats; of pairs for each half (HSET2).
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
    uint32_t one =
        is_pair(instr->type2) && !is_pair(instr->type) ? 0xFFFFu : true_value(instr->type);
    uint32_t two = one << 16;
    for (uint32_t rest = lanes; rest; rest &= rest - 1) {
        int i = __builtin_ctz(rest);
        uint32_t value = low & lane_bit[i] ? one : 0;
        if (high & lane_bit[i]) value |= two;
        if (instr->type == PTX_U64 || instr->type == PTX_S64)
            SLOT(uint64_t, instr->dst)[i] = value ? ~UINT64_C(0) : 0;
        else SLOT(uint32_t, instr->dst)[i] = value;
    }
}
BIND(SET) {
    const comparison *rows = rows_of(instr->type2, has(instr, SIM_MOD_FTZ), false);
    bool known = rows && instr->compare < COMPARISONS && rows[instr->compare].mask;
    return known ? set_any : NULL;
}
