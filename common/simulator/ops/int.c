// Integer arithmetic (PTX ISA, "Integer Arithmetic Instructions" and "Extended-Precision Integer
// Arithmetic"). 16-bit values sit in the low halves of 32-bit slots: operations whose low half does
// not depend on the upper halves use the 32-bit handlers. Arithmetic is done on unsigned types,
// where wrapping is defined.
#include "ops/internal.h"
#include "warps/lanes.h"

// ---- add, sub, mul, mad ----

HANDLER_AB(add_32, uint32_t, uint32_t, uint32_t, a[i] + b[i])
HANDLER_AB(add_64, uint64_t, uint64_t, uint64_t, a[i] + b[i])
HANDLER_AB(sub_32, uint32_t, uint32_t, uint32_t, a[i] - b[i])
HANDLER_AB(sub_64, uint64_t, uint64_t, uint64_t, a[i] - b[i])

static inline int32_t clamp_s32(int64_t value) {
    value = value > INT32_MAX ? INT32_MAX : value;
    return (int32_t)(value < INT32_MIN ? INT32_MIN : value);
}
HANDLER_LONG_AB(add_sat_s32, int32_t, int32_t, int32_t, clamp_s32((int64_t)a[i] + b[i]))
HANDLER_LONG_AB(sub_sat_s32, int32_t, int32_t, int32_t, clamp_s32((int64_t)a[i] - b[i]))

static inline uint64_t high_u64(uint64_t a, uint64_t b) {
    return (uint64_t)((unsigned __int128)a * b >> 64);
}
static inline uint64_t high_s64(int64_t a, int64_t b) { return (uint64_t)((__int128)a * b >> 64); }
#define WIDE_S32(x, y) ((uint64_t)((int64_t)(int32_t)(x) * (int64_t)(int32_t)(y)))
#define WIDE_U32(x, y) ((uint64_t)(uint32_t)(x) * (uint32_t)(y))
#define WIDE_S16(x, y) ((uint32_t)((int32_t)(int16_t)(x) * (int16_t)(y)))
#define WIDE_U16(x, y) ((uint32_t)(uint16_t)(x) * (uint16_t)(y))

HANDLER_AB(mul_lo_32, uint32_t, uint32_t, uint32_t, a[i] * b[i])
HANDLER_AB(mul_lo_64, uint64_t, uint64_t, uint64_t, a[i] * b[i])
HANDLER_LONG_AB(mul_hi_u16, uint32_t, uint32_t, uint32_t, WIDE_U16(a[i], b[i]) >> 16)
HANDLER_LONG_AB(mul_hi_s16, uint32_t, uint32_t, uint32_t, WIDE_S16(a[i], b[i]) >> 16)
HANDLER_AB(mul_hi_u32, uint32_t, uint32_t, uint32_t, WIDE_U32(a[i], b[i]) >> 32)
HANDLER_LONG_AB(mul_hi_s32, uint32_t, uint32_t, uint32_t, WIDE_S32(a[i], b[i]) >> 32)
HANDLER_SCALAR_AB(mul_hi_u64, uint64_t, uint64_t, uint64_t, high_u64(a[i], b[i]))
HANDLER_SCALAR_AB(mul_hi_s64, uint64_t, int64_t, int64_t, high_s64(a[i], b[i]))
HANDLER_AB(mul_wide_u16, uint32_t, uint32_t, uint32_t, WIDE_U16(a[i], b[i]))
HANDLER_LONG_AB(mul_wide_s16, uint32_t, uint32_t, uint32_t, WIDE_S16(a[i], b[i]))
HANDLER_AB(mul_wide_u32, uint64_t, uint32_t, uint32_t, WIDE_U32(a[i], b[i]))
HANDLER_AB(mul_wide_s32, uint64_t, uint32_t, uint32_t, WIDE_S32(a[i], b[i]))

HANDLER_ABC(mad_lo_32, uint32_t, uint32_t, uint32_t, uint32_t, a[i] * b[i] + c[i])
HANDLER_ABC(mad_lo_64, uint64_t, uint64_t, uint64_t, uint64_t, a[i] * b[i] + c[i])
HANDLER_LONG_ABC(mad_hi_u16, uint32_t, uint32_t, uint32_t, uint32_t,
                 (WIDE_U16(a[i], b[i]) >> 16) + c[i])
HANDLER_LONG_ABC(mad_hi_s16, uint32_t, uint32_t, uint32_t, uint32_t,
                 (WIDE_S16(a[i], b[i]) >> 16) + c[i])
HANDLER_LONG_ABC(mad_hi_u32, uint32_t, uint32_t, uint32_t, uint32_t,
                 (WIDE_U32(a[i], b[i]) >> 32) + c[i])
HANDLER_LONG_ABC(mad_hi_s32, uint32_t, uint32_t, uint32_t, uint32_t,
                 (WIDE_S32(a[i], b[i]) >> 32) + c[i])
HANDLER_LONG_ABC(mad_hi_sat_s32, int32_t, int32_t, int32_t, int32_t,
                 clamp_s32(((int64_t)a[i] * b[i] >> 32) + c[i]))
HANDLER_SCALAR_ABC(mad_hi_u64, uint64_t, uint64_t, uint64_t, uint64_t, high_u64(a[i], b[i]) + c[i])
HANDLER_SCALAR_ABC(mad_hi_s64, uint64_t, int64_t, int64_t, uint64_t, high_s64(a[i], b[i]) + c[i])
HANDLER_LONG_ABC(mad_wide_u16, uint32_t, uint32_t, uint32_t, uint32_t, WIDE_U16(a[i], b[i]) + c[i])
HANDLER_LONG_ABC(mad_wide_s16, uint32_t, uint32_t, uint32_t, uint32_t, WIDE_S16(a[i], b[i]) + c[i])
HANDLER_ABC(mad_wide_u32, uint64_t, uint32_t, uint32_t, uint64_t, WIDE_U32(a[i], b[i]) + c[i])
HANDLER_ABC(mad_wide_s32, uint64_t, uint32_t, uint32_t, uint64_t, WIDE_S32(a[i], b[i]) + c[i])

// 24-bit products: the low 24 bits of each operand, 48 bits of result; lo is bits 0..31, hi bits
// 16..47.
#define U24(x)         ((uint64_t)((x)&0xFFFFFFu))
#define S24(x)         ((int64_t)((int32_t)((x) << 8) >> 8))
#define WIDE_U24(x, y) (U24(x) * U24(y))
#define WIDE_S24(x, y) ((uint64_t)(S24(x) * S24(y)))
HANDLER_LONG_AB(mul24_lo_u, uint32_t, uint32_t, uint32_t, WIDE_U24(a[i], b[i]))
HANDLER_LONG_AB(mul24_lo_s, uint32_t, uint32_t, uint32_t, WIDE_S24(a[i], b[i]))
HANDLER_LONG_AB(mul24_hi_u, uint32_t, uint32_t, uint32_t, WIDE_U24(a[i], b[i]) >> 16)
HANDLER_LONG_AB(mul24_hi_s, uint32_t, uint32_t, uint32_t, WIDE_S24(a[i], b[i]) >> 16)
HANDLER_LONG_ABC(mad24_lo_u, uint32_t, uint32_t, uint32_t, uint32_t, WIDE_U24(a[i], b[i]) + c[i])
HANDLER_LONG_ABC(mad24_lo_s, uint32_t, uint32_t, uint32_t, uint32_t, WIDE_S24(a[i], b[i]) + c[i])
HANDLER_LONG_ABC(mad24_hi_u, uint32_t, uint32_t, uint32_t, uint32_t,
                 (WIDE_U24(a[i], b[i]) >> 16) + c[i])
HANDLER_LONG_ABC(mad24_hi_s, uint32_t, uint32_t, uint32_t, uint32_t,
                 (WIDE_S24(a[i], b[i]) >> 16) + c[i])
HANDLER_LONG_ABC(mad24_hi_sat_s, int32_t, uint32_t, uint32_t, int32_t,
                 clamp_s32((int64_t)(int32_t)(WIDE_S24(a[i], b[i]) >> 16) + c[i]))

// ---- Two numbers of 16 bits a register ----

static inline uint32_t halves(uint32_t low, uint32_t high) { return (low & 0xFFFF) | high << 16; }
#define LOW(x)  ((int16_t)(x))
#define HIGH(x) ((int16_t)((x) >> 16))
#define PICK(type, x, is, y)                                                                       \
    ((type)(x)is(type)(y) ? (uint32_t)(uint16_t)(x) : (uint32_t)(uint16_t)(y))
#define PICK_HALVES(type, is)                                                                      \
    halves(PICK(type, LOW(a[i]), is, LOW(b[i])), PICK(type, HIGH(a[i]), is, HIGH(b[i])))
HANDLER_LONG_AB(add_16x2, uint32_t, uint32_t, uint32_t,
                halves(a[i] + b[i], (a[i] >> 16) + (b[i] >> 16)))
HANDLER_LONG_AB(min_u16x2, uint32_t, uint32_t, uint32_t, PICK_HALVES(uint16_t, <))
HANDLER_LONG_AB(min_s16x2, uint32_t, uint32_t, uint32_t, PICK_HALVES(int16_t, <))
HANDLER_LONG_AB(max_u16x2, uint32_t, uint32_t, uint32_t, PICK_HALVES(uint16_t, >))
HANDLER_LONG_AB(max_s16x2, uint32_t, uint32_t, uint32_t, PICK_HALVES(int16_t, >))
// .relu: what is negative becomes zero.
static inline uint32_t no_negatives(uint32_t x) {
    return (LOW(x) < 0 ? 0 : x & 0xFFFF) | (HIGH(x) < 0 ? 0 : x & 0xFFFF0000u);
}
HANDLER_LONG_AB(min_relu_s16x2, uint32_t, uint32_t, uint32_t, no_negatives(PICK_HALVES(int16_t, <)))
HANDLER_LONG_AB(max_relu_s16x2, uint32_t, uint32_t, uint32_t, no_negatives(PICK_HALVES(int16_t, >)))

static sim_exec_fn bind_packed(const sim_instr *instr) {
    bool is_signed = instr->type == PTX_S16X2, relu = has(instr, SIM_MOD_RELU);
    switch (instr->op) {
    case SIM_OP_ADD: return add_16x2;
    case SIM_OP_MIN: return relu ? min_relu_s16x2 : is_signed ? min_s16x2 : min_u16x2;
    case SIM_OP_MAX: return relu ? max_relu_s16x2 : is_signed ? max_s16x2 : max_u16x2;
    default: return NULL;
    }
}

// ---- Carry: one bit a lane ----

// d = x + y + carry in, with the carry out kept where .cc asks for it. `subtract`: x + ~y + carry
// in; the flag is then the complement of the borrow, as an H100 gives, which shows where addc
// follows sub.cc.
static inline uint64_t add_carry(uint64_t x, uint64_t y, bool *carry, int bits, bool subtract) {
    uint64_t in = *carry;
    if (subtract) y = ~y;
    if (bits == 32) {
        uint64_t sum = (uint64_t)(uint32_t)x + (uint32_t)y + in;
        *carry = sum >> 32 & 1;
        return sum;
    }
    unsigned __int128 sum = (unsigned __int128)x + y + in;
    *carry = (uint64_t)(sum >> 64) & 1;
    return (uint64_t)sum;
}

static inline void carry_lane(sim_warp *warp, const sim_instr *instr, int lane, uint64_t x,
                              uint64_t y, uint64_t *d, int bits, bool subtract) {
    bool takes = instr->op == SIM_OP_ADDC || instr->op == SIM_OP_SUBC || instr->op == SIM_OP_MADC;
    bool carry = takes ? warp->carry & lane_bit[lane] : subtract;
    *d = add_carry(x, y, &carry, bits, subtract);
    if (!has(instr, SIM_MOD_CC)) return;
    warp->carry = carry ? warp->carry | lane_bit[lane] : warp->carry & ~lane_bit[lane];
}

#define HANDLER_CARRY(name, type, bits, subtract, x, y)                                            \
    HANDLER(name) {                                                                                \
        DST(type);                                                                                 \
        SRC(type, a, 0);                                                                           \
        SRC(type, b, 1);                                                                           \
        SRC(type, c, instr->src[2] == SIM_NO_SLOT ? 1 : 2);                                        \
        (void)c;                                                                                   \
        for (int i = 0; i < SIM_WARP_LANES; i++) {                                                 \
            uint64_t sum;                                                                          \
            if (!(lanes & lane_bit[i])) continue;                                                  \
            carry_lane(warp, instr, i, x, y, &sum, bits, subtract);                                \
            d[i] = (type)sum;                                                                      \
        }                                                                                          \
    }
HANDLER_CARRY(add_cc_32, uint32_t, 32, false, a[i], b[i])
HANDLER_CARRY(add_cc_64, uint64_t, 64, false, a[i], b[i])
HANDLER_CARRY(sub_cc_32, uint32_t, 32, true, a[i], b[i])
HANDLER_CARRY(sub_cc_64, uint64_t, 64, true, a[i], b[i])
HANDLER_CARRY(mad_lo_cc_32, uint32_t, 32, false, a[i] * b[i], c[i])
HANDLER_CARRY(mad_lo_cc_64, uint64_t, 64, false, a[i] * b[i], c[i])
HANDLER_CARRY(mad_hi_cc_u32, uint32_t, 32, false, WIDE_U32(a[i], b[i]) >> 32, c[i])
HANDLER_CARRY(mad_hi_cc_s32, uint32_t, 32, false, WIDE_S32(a[i], b[i]) >> 32, c[i])
HANDLER_CARRY(mad_hi_cc_u64, uint64_t, 64, false, high_u64(a[i], b[i]), c[i])
HANDLER_CARRY(mad_hi_cc_s64, uint64_t, 64, false, high_s64((int64_t)a[i], (int64_t)b[i]), c[i])

// ---- sad, abs, neg, min, max ----

#define ABSOLUTE_DIFFERENCE(x, y) ((x) > (y) ? (x) - (y) : (y) - (x))
HANDLER_LONG_ABC(sad_u16, uint32_t, uint16_t, uint16_t, uint32_t,
                 c[i] + ABSOLUTE_DIFFERENCE((uint32_t)a[2 * i], (uint32_t)b[2 * i]))
HANDLER_LONG_ABC(sad_s16, uint32_t, int16_t, int16_t, uint32_t,
                 c[i] + (uint32_t)ABSOLUTE_DIFFERENCE((int32_t)a[2 * i], (int32_t)b[2 * i]))
HANDLER_LONG_ABC(sad_u32, uint32_t, uint32_t, uint32_t, uint32_t,
                 c[i] + ABSOLUTE_DIFFERENCE(a[i], b[i]))
HANDLER_LONG_ABC(sad_s32, uint32_t, int32_t, int32_t, uint32_t,
                 c[i] + (uint32_t)ABSOLUTE_DIFFERENCE((int64_t)a[i], (int64_t)b[i]))
HANDLER_LONG_ABC(sad_u64, uint64_t, uint64_t, uint64_t, uint64_t,
                 c[i] + ABSOLUTE_DIFFERENCE(a[i], b[i]))
HANDLER_LONG_ABC(sad_s64, uint64_t, int64_t, int64_t, uint64_t,
                 c[i] + (a[i] > b[i] ? (uint64_t)a[i] - (uint64_t)b[i]
                                     : (uint64_t)b[i] - (uint64_t)a[i]))

HANDLER_A(neg_32, uint32_t, uint32_t, 0 - a[i])
HANDLER_LONG_A(neg_64, uint64_t, uint64_t, 0 - a[i])
HANDLER_LONG_A(abs_s16, uint32_t, uint32_t, (int16_t)a[i] < 0 ? 0 - a[i] : a[i])
HANDLER_A(abs_s32, uint32_t, uint32_t, (int32_t)a[i] < 0 ? 0 - a[i] : a[i])
HANDLER_LONG_A(abs_s64, uint64_t, uint64_t, (int64_t)a[i] < 0 ? 0 - a[i] : a[i])

#define LESSER(type)  ((type)a[i] < (type)b[i] ? a[i] : b[i])
#define GREATER(type) ((type)a[i] > (type)b[i] ? a[i] : b[i])
HANDLER_LONG_AB(min_u16, uint32_t, uint32_t, uint32_t, LESSER(uint16_t))
HANDLER_LONG_AB(min_s16, uint32_t, uint32_t, uint32_t, LESSER(int16_t))
HANDLER_AB(min_u32, uint32_t, uint32_t, uint32_t, LESSER(uint32_t))
HANDLER_AB(min_s32, uint32_t, uint32_t, uint32_t, LESSER(int32_t))
HANDLER_LONG_AB(min_u64, uint64_t, uint64_t, uint64_t, LESSER(uint64_t))
HANDLER_AB(min_s64, uint64_t, uint64_t, uint64_t, LESSER(int64_t))
HANDLER_LONG_AB(max_u16, uint32_t, uint32_t, uint32_t, GREATER(uint16_t))
HANDLER_LONG_AB(max_s16, uint32_t, uint32_t, uint32_t, GREATER(int16_t))
HANDLER_AB(max_u32, uint32_t, uint32_t, uint32_t, GREATER(uint32_t))
HANDLER_AB(max_s32, uint32_t, uint32_t, uint32_t, GREATER(int32_t))
HANDLER_LONG_AB(max_u64, uint64_t, uint64_t, uint64_t, GREATER(uint64_t))
HANDLER_AB(max_s64, uint64_t, uint64_t, uint64_t, GREATER(int64_t))
#define AT_LEAST_0(x) ((x) < 0 ? 0 : (x))
HANDLER_LONG_AB(min_relu_s32, int32_t, int32_t, int32_t, AT_LEAST_0(LESSER(int32_t)))
HANDLER_LONG_AB(max_relu_s32, int32_t, int32_t, int32_t, AT_LEAST_0(GREATER(int32_t)))

// ---- div, rem: by zero all bits are set, as the hardware's instruction sequences leave them ----

#define DIVIDE_U(x, y)    ((y) == 0 ? ~(x) | (x) : (x) / (y))
#define REMAINDER_U(x, y) ((y) == 0 ? ~(x) | (x) : (x) % (y))
static inline int64_t divide_s(int64_t x, int64_t y) {
    if (y == 0) return -1;
    return y == -1 ? (int64_t)(0 - (uint64_t)x) : x / y; // the most negative number has no opposite
}
static inline int64_t remainder_s(int64_t x, int64_t y) {
    if (y == 0) return -1;
    return y == -1 ? 0 : x % y;
}
// Of 32-bit numbers by way of doubles, many lanes at a time: both are exact there, and a quotient
// that is not whole is at least 1 / y below the next integer, where rounding moves it by 2^-21 / y
// at most.
static inline uint32_t quotient_u32(uint32_t x, uint32_t y) {
    return (uint32_t)((double)x / (double)y);
}
static inline int32_t quotient_s32(int32_t x, int32_t y) {
    return (int32_t)((double)x / (double)y);
}
static inline uint32_t divide_u32(uint32_t x, uint32_t y) {
    uint32_t q = quotient_u32(x, y == 0 ? 1 : y);
    return y == 0 ? UINT32_MAX : q;
}
static inline uint32_t remainder_u32(uint32_t x, uint32_t y) {
    uint32_t r = x - y * quotient_u32(x, y == 0 ? 1 : y);
    return y == 0 ? UINT32_MAX : r;
}
static inline bool has_quotient(int32_t y) { // with every x
    return (y != 0) & (y != -1);
}
static inline int32_t divide_s32(int32_t x, int32_t y) {
    int32_t q = quotient_s32(x, has_quotient(y) ? y : 1);
    q = y == -1 ? (int32_t)(0 - (uint32_t)x) : q;
    return y == 0 ? -1 : q;
}
static inline int32_t remainder_s32(int32_t x, int32_t y) {
    int32_t safe = has_quotient(y) ? y : 1;
    int32_t r = (int32_t)((uint32_t)x - (uint32_t)quotient_s32(x, safe) * (uint32_t)safe);
    return y == 0 ? -1 : r;
}
HANDLER_SCALAR_AB(div_u16, uint32_t, uint32_t, uint32_t,
                  DIVIDE_U((uint32_t)(uint16_t)a[i], (uint16_t)b[i]))
HANDLER_SCALAR_AB(div_s16, uint32_t, uint32_t, uint32_t, divide_s((int16_t)a[i], (int16_t)b[i]))
HANDLER_LONG_AB(div_u32, uint32_t, uint32_t, uint32_t, divide_u32(a[i], b[i]))
HANDLER_LONG_AB(div_s32, int32_t, int32_t, int32_t, divide_s32(a[i], b[i]))
HANDLER_SCALAR_AB(div_u64, uint64_t, uint64_t, uint64_t, DIVIDE_U(a[i], b[i]))
HANDLER_SCALAR_AB(div_s64, int64_t, int64_t, int64_t, divide_s(a[i], b[i]))
HANDLER_SCALAR_AB(rem_u16, uint32_t, uint32_t, uint32_t,
                  REMAINDER_U((uint32_t)(uint16_t)a[i], (uint16_t)b[i]))
HANDLER_SCALAR_AB(rem_s16, uint32_t, uint32_t, uint32_t, remainder_s((int16_t)a[i], (int16_t)b[i]))
HANDLER_LONG_AB(rem_u32, uint32_t, uint32_t, uint32_t, remainder_u32(a[i], b[i]))
HANDLER_LONG_AB(rem_s32, int32_t, int32_t, int32_t, remainder_s32(a[i], b[i]))
HANDLER_SCALAR_AB(rem_u64, uint64_t, uint64_t, uint64_t, REMAINDER_U(a[i], b[i]))
HANDLER_SCALAR_AB(rem_s64, int64_t, int64_t, int64_t, remainder_s(a[i], b[i]))

// ---- Binding ----

// Column of the tables below; -1: not an integer type.
static int column(uint8_t type) {
    switch (type) {
    case PTX_U16:
    case PTX_B16: return 0;
    case PTX_S16: return 1;
    case PTX_U32:
    case PTX_B32: return 2;
    case PTX_S32: return 3;
    case PTX_U64:
    case PTX_B64: return 4;
    case PTX_S64: return 5;
    default: return -1;
    }
}

typedef sim_exec_fn row[6]; // u16, s16, u32, s32, u64, s64

static const row add_row = {add_32, add_32, add_32, add_32, add_64, add_64};
static const row sub_row = {sub_32, sub_32, sub_32, sub_32, sub_64, sub_64};
static const row mul_lo_row = {mul_lo_32, mul_lo_32, mul_lo_32, mul_lo_32, mul_lo_64, mul_lo_64};
static const row mul_hi_row = {mul_hi_u16, mul_hi_s16, mul_hi_u32,
                               mul_hi_s32, mul_hi_u64, mul_hi_s64};
static const row mul_wide_row = {mul_wide_u16, mul_wide_s16, mul_wide_u32,
                                 mul_wide_s32, NULL,         NULL};
static const row mad_lo_row = {mad_lo_32, mad_lo_32, mad_lo_32, mad_lo_32, mad_lo_64, mad_lo_64};
static const row mad_hi_row = {mad_hi_u16, mad_hi_s16, mad_hi_u32,
                               mad_hi_s32, mad_hi_u64, mad_hi_s64};
static const row mad_wide_row = {mad_wide_u16, mad_wide_s16, mad_wide_u32,
                                 mad_wide_s32, NULL,         NULL};
static const row mul24_lo_row = {NULL, NULL, mul24_lo_u, mul24_lo_s, NULL, NULL};
static const row mul24_hi_row = {NULL, NULL, mul24_hi_u, mul24_hi_s, NULL, NULL};
static const row mad24_lo_row = {NULL, NULL, mad24_lo_u, mad24_lo_s, NULL, NULL};
static const row mad24_hi_row = {NULL, NULL, mad24_hi_u, mad24_hi_s, NULL, NULL};
static const row add_cc_row = {NULL, NULL, add_cc_32, add_cc_32, add_cc_64, add_cc_64};
static const row sub_cc_row = {NULL, NULL, sub_cc_32, sub_cc_32, sub_cc_64, sub_cc_64};
static const row mad_lo_cc_row = {NULL,         NULL,         mad_lo_cc_32,
                                  mad_lo_cc_32, mad_lo_cc_64, mad_lo_cc_64};
static const row mad_hi_cc_row = {NULL,          NULL,          mad_hi_cc_u32,
                                  mad_hi_cc_s32, mad_hi_cc_u64, mad_hi_cc_s64};
static const row sad_row = {sad_u16, sad_s16, sad_u32, sad_s32, sad_u64, sad_s64};
static const row neg_row = {neg_32, neg_32, neg_32, neg_32, neg_64, neg_64};
static const row abs_row = {NULL, abs_s16, NULL, abs_s32, NULL, abs_s64};
static const row min_row = {min_u16, min_s16, min_u32, min_s32, min_u64, min_s64};
static const row max_row = {max_u16, max_s16, max_u32, max_s32, max_u64, max_s64};
static const row div_row = {div_u16, div_s16, div_u32, div_s32, div_u64, div_s64};
static const row rem_row = {rem_u16, rem_s16, rem_u32, rem_s32, rem_u64, rem_s64};

static sim_exec_fn bind_mad(const sim_instr *instr, int at) {
    bool carries = instr->op == SIM_OP_MADC || has(instr, SIM_MOD_CC);
    if (has(instr, SIM_MOD_HI)) {
        if (has(instr, SIM_MOD_SAT)) return instr->type == PTX_S32 ? mad_hi_sat_s32 : NULL;
        return carries ? mad_hi_cc_row[at] : mad_hi_row[at];
    }
    if (has(instr, SIM_MOD_WIDE)) return mad_wide_row[at];
    return carries ? mad_lo_cc_row[at] : mad_lo_row[at];
}

static sim_exec_fn bind_mul(const sim_instr *instr, int at) {
    if (has(instr, SIM_MOD_WIDE)) return mul_wide_row[at];
    return has(instr, SIM_MOD_HI) ? mul_hi_row[at] : mul_lo_row[at];
}

static sim_exec_fn bind_mad24(const sim_instr *instr, int at) {
    if (!has(instr, SIM_MOD_HI)) return mad24_lo_row[at];
    return has(instr, SIM_MOD_SAT) ? mad24_hi_sat_s : mad24_hi_row[at];
}

static sim_exec_fn bind_saturating(const sim_instr *instr, sim_exec_fn handler) {
    return instr->type == PTX_S32 ? handler : NULL;
}

sim_exec_fn SIM_VARIANT(sim_bind_integer)(const sim_instr *instr) {
    if (instr->type == PTX_U16X2 || instr->type == PTX_S16X2) return bind_packed(instr);
    int at = column(instr->type);
    bool saturates = has(instr, SIM_MOD_SAT), carries = has(instr, SIM_MOD_CC);
    bool relu = has(instr, SIM_MOD_RELU);
    if (at < 0) return NULL;
    switch (instr->op) {
    case SIM_OP_ADD:
        if (saturates) return bind_saturating(instr, add_sat_s32);
        return carries ? add_cc_row[at] : add_row[at];
    case SIM_OP_SUB:
        if (saturates) return bind_saturating(instr, sub_sat_s32);
        return carries ? sub_cc_row[at] : sub_row[at];
    case SIM_OP_ADDC: return add_cc_row[at];
    case SIM_OP_SUBC: return sub_cc_row[at];
    case SIM_OP_MUL: return bind_mul(instr, at);
    case SIM_OP_MAD:
    case SIM_OP_MADC: return bind_mad(instr, at);
    case SIM_OP_MUL24: return has(instr, SIM_MOD_HI) ? mul24_hi_row[at] : mul24_lo_row[at];
    case SIM_OP_MAD24: return bind_mad24(instr, at);
    case SIM_OP_SAD: return sad_row[at];
    case SIM_OP_DIV: return div_row[at];
    case SIM_OP_REM: return rem_row[at];
    case SIM_OP_ABS: return abs_row[at];
    case SIM_OP_NEG: return neg_row[at];
    case SIM_OP_MIN: return relu ? bind_saturating(instr, min_relu_s32) : min_row[at];
    case SIM_OP_MAX: return relu ? bind_saturating(instr, max_relu_s32) : max_row[at];
    default: return NULL;
    }
}
