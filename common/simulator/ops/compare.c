// Comparison (PTX ISA, "Comparison and Selection Instructions"). A comparison gives 32 bits, one
// per lane; setp stores them as a predicate, set spreads them to registers. Plain comparisons are
// false when an operand is NaN, the unordered ones (equ, ltu ..) true.
#include "program/fpmath.h"
#include "warps/lanes.h"

// Floats and whole words have a handler for each comparison of the plain form `setp p, a, b`.
#define SETP(name, type, expression)                                                               \
    HANDLER(setp_##name) {                                                                         \
        const type *a = SLOT(const type, instr->src[0]), *b = SLOT(const type, instr->src[1]);     \
        uint32_t bits = 0, *predicate = SLOT(uint32_t, instr->dst);                                \
        for (int i = 0; i < SIM_WARP_LANES; i++) bits |= (expression) ? lane_bit[i] : 0;           \
        *predicate = (*predicate & ~lanes) | (bits & lanes);                                       \
    }
#define SETP_INTEGERS(name, type)                                                                  \
    SETP(name##_eq, type, a[i] == b[i])                                                            \
    SETP(name##_ne, type, a[i] != b[i])                                                            \
    SETP(name##_lt, type, a[i] < b[i])                                                             \
    SETP(name##_le, type, a[i] <= b[i])                                                            \
    SETP(name##_gt, type, a[i] > b[i])                                                             \
    SETP(name##_ge, type, a[i] >= b[i])
SETP_INTEGERS(u32, uint32_t)
SETP_INTEGERS(s32, int32_t)
SETP_INTEGERS(u64, uint64_t)
SETP_INTEGERS(s64, int64_t)
SETP_INTEGERS(f32, float) // of which ne is what PTX calls neu
SETP(f32_ne_ordered, float, a[i]<b[i] || a[i]> b[i])
SETP(f32_equ, float, !(a[i] < b[i] || a[i] > b[i]))
SETP(f32_ltu, float, !(a[i] >= b[i]))
SETP(f32_leu, float, !(a[i] > b[i]))
SETP(f32_gtu, float, !(a[i] <= b[i]))
SETP(f32_geu, float, !(a[i] < b[i]))

enum { COMPARISONS = SIM_CMP_NAN + 1 };
#define ROW(name)                                                                                  \
    [SIM_CMP_EQ] = setp_##name##_eq, [SIM_CMP_NE] = setp_##name##_ne,                              \
    [SIM_CMP_LT] = setp_##name##_lt, [SIM_CMP_LE] = setp_##name##_le,                              \
    [SIM_CMP_GT] = setp_##name##_gt, [SIM_CMP_GE] = setp_##name##_ge
static const sim_exec_fn setp_u32[COMPARISONS] = {ROW(u32)}, setp_s32[COMPARISONS] = {ROW(s32)},
                         setp_u64[COMPARISONS] = {ROW(u64)}, setp_s64[COMPARISONS] = {ROW(s64)};
static const sim_exec_fn setp_f32[COMPARISONS] = {
    [SIM_CMP_EQ] = setp_f32_eq,   [SIM_CMP_NE] = setp_f32_ne_ordered, [SIM_CMP_LT] = setp_f32_lt,
    [SIM_CMP_LE] = setp_f32_le,   [SIM_CMP_GT] = setp_f32_gt,         [SIM_CMP_GE] = setp_f32_ge,
    [SIM_CMP_EQU] = setp_f32_equ, [SIM_CMP_NEU] = setp_f32_ne,        [SIM_CMP_LTU] = setp_f32_ltu,
    [SIM_CMP_LEU] = setp_f32_leu, [SIM_CMP_GTU] = setp_f32_gtu,       [SIM_CMP_GEU] = setp_f32_geu,
};

// All other types and forms: first how a lies to b in each lane, then whether that is asked for.
enum { LESS = 1, EQUAL = 2, GREATER = 4, UNORDERED = 8 };
static const uint8_t asked[COMPARISONS] = {
    [SIM_CMP_EQ] = EQUAL,
    [SIM_CMP_NE] = LESS | GREATER,
    [SIM_CMP_LT] = LESS,
    [SIM_CMP_LE] = LESS | EQUAL,
    [SIM_CMP_GT] = GREATER,
    [SIM_CMP_GE] = GREATER | EQUAL,
    [SIM_CMP_EQU] = EQUAL | UNORDERED,
    [SIM_CMP_NEU] = LESS | GREATER | UNORDERED,
    [SIM_CMP_LTU] = LESS | UNORDERED,
    [SIM_CMP_LEU] = LESS | EQUAL | UNORDERED,
    [SIM_CMP_GTU] = GREATER | UNORDERED,
    [SIM_CMP_GEU] = GREATER | EQUAL | UNORDERED,
    [SIM_CMP_NUM] = LESS | EQUAL | GREATER,
    [SIM_CMP_NAN] = UNORDERED,
};

// relate_<name>: of operands of which `number` makes numbers from `raw`, as they lie in a slot.
#define RELATE(name, slot_type, type, number)                                                      \
    static void relate_##name(const slot_type *a, const slot_type *b, uint32_t *out) {             \
        for (int i = 0; i < SIM_WARP_LANES; i++) {                                                 \
            slot_type raw = a[i];                                                                  \
            type x = (type)(number);                                                               \
            raw = b[i];                                                                            \
            type y = (type)(number);                                                               \
            out[i] = x < y ? LESS : x > y ? GREATER : x == y ? EQUAL : UNORDERED;                  \
        }                                                                                          \
    }
static inline float flushed(float half) { // for comparisons, to which zeros of both signs are equal
    return fabsf(half) < 0x1p-14f ? 0.0f : half;
}
RELATE(u32, uint32_t, uint32_t, raw)
RELATE(s32, uint32_t, int32_t, raw)
RELATE(u64, uint64_t, uint64_t, raw)
RELATE(s64, uint64_t, int64_t, raw)
RELATE(f32, float, float, raw)
RELATE(ftz, float, float, sim_flush(raw))
RELATE(f64, double, double, raw)
RELATE(f16, uint32_t, float, sim_float_from_f16(raw & 0xFFFF))
RELATE(f16_ftz, uint32_t, float, flushed(sim_float_from_f16(raw & 0xFFFF)))
RELATE(bf16, uint32_t, float, sim_float_from_bf16(raw & 0xFFFF))

// The operand's slot, of a type of 16 bits by itself: the low ones or, of a pair, the `high` ones;
// signed ones filled up. `own`: room for it.
static const uint32_t *narrow_operand(const sim_warp *warp, uint32_t slot, bool is_signed,
                                      bool high, uint32_t own[SIM_WARP_LANES]) {
    const uint32_t *from = SLOT(const uint32_t, slot);
    for (int i = 0; i < SIM_WARP_LANES; i++) {
        uint32_t half = high ? from[i] >> 16 : from[i] & 0xFFFF;
        own[i] = is_signed ? (uint32_t)(int16_t)half : half;
    }
    return own;
}

static uint32_t compare(const sim_warp *warp, const sim_instr *instr, uint8_t type, bool high) {
    uint32_t relation[SIM_WARP_LANES], own[2][SIM_WARP_LANES], bits = 0;
    const uint32_t *a = SLOT(const uint32_t, instr->src[0]),
                   *b = SLOT(const uint32_t, instr->src[1]);
    bool ftz = has(instr, SIM_MOD_FTZ);
    if (ptx_type_bytes((ptx_type)type) == 2 || type == PTX_F16X2 || type == PTX_BF16X2) {
        a = narrow_operand(warp, instr->src[0], type == PTX_S16, high, own[0]);
        b = narrow_operand(warp, instr->src[1], type == PTX_S16, high, own[1]);
    }
#define RELATION(name, slot_type)                                                                  \
    relate_##name((const slot_type *)a, (const slot_type *)b, relation)
    switch (type) {
    case PTX_S16:
    case PTX_S32: RELATION(s32, uint32_t); break;
    case PTX_B64:
    case PTX_U64: RELATION(u64, uint64_t); break;
    case PTX_S64: RELATION(s64, uint64_t); break;
    case PTX_F32:
        if (ftz) RELATION(ftz, float);
        else RELATION(f32, float);
        break;
    case PTX_F64: RELATION(f64, double); break;
    case PTX_F16:
    case PTX_F16X2:
        if (ftz) RELATION(f16_ftz, uint32_t);
        else RELATION(f16, uint32_t);
        break;
    case PTX_BF16:
    case PTX_BF16X2: RELATION(bf16, uint32_t); break;
    default: RELATION(u32, uint32_t);
    }
    for (int i = 0; i < SIM_WARP_LANES; i++)
        bits |= relation[i] & asked[instr->compare] ? lane_bit[i] : 0;
    return bits;
}

// Whether the type can be compared so: of integers none is unordered.
static bool is_known(uint8_t type, uint8_t comparison) {
    switch (type) {
    case PTX_B16:
    case PTX_U16:
    case PTX_S16:
    case PTX_B32:
    case PTX_U32:
    case PTX_S32:
    case PTX_B64:
    case PTX_U64:
    case PTX_S64: return comparison <= SIM_CMP_GE;
    case PTX_F32:
    case PTX_F64:
    case PTX_F16:
    case PTX_F16X2:
    case PTX_BF16:
    case PTX_BF16X2: return comparison < COMPARISONS;
    default: return false;
    }
}

static bool is_pair(uint8_t type) { return type == PTX_F16X2 || type == PTX_BF16X2; }

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
HANDLER(setp_plain) {
    uint32_t *predicate = SLOT(uint32_t, instr->dst);
    uint32_t bits = compare(warp, instr, instr->type, false);
    *predicate = (*predicate & ~lanes) | (bits & lanes);
}
BIND(SETP) {
    if (!is_known(instr->type, instr->compare)) return NULL;
    if (instr->boolean != SIM_BOOL_NONE || instr->dst2 != SIM_NO_SLOT ||
        instr->dst == SIM_NO_SLOT || is_pair(instr->type))
        return setp_any;
    sim_exec_fn own = NULL;
    switch (instr->type) {
    case PTX_B32:
    case PTX_U32: own = setp_u32[instr->compare]; break;
    case PTX_S32: own = setp_s32[instr->compare]; break;
    case PTX_B64:
    case PTX_U64: own = setp_u64[instr->compare]; break;
    case PTX_S64: own = setp_s64[instr->compare]; break;
    case PTX_F32: own = has(instr, SIM_MOD_FTZ) ? NULL : setp_f32[instr->compare];
    }
    return own ? own : setp_plain;
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
BIND(SET) { return is_known(instr->type2, instr->compare) ? set_any : NULL; }
