// Logic, shifts and bit fields (PTX ISA, "Logic and Shift Instructions" and the bit field
// instructions). Shift counts beyond the width shift everything out; 16-bit values sit in the low
// halves of 32-bit slots.
#include "warps/lanes.h"

// ---- and, or, xor, not, cnot; on predicates they are single words ----

HANDLER_AB(and_32, uint32_t, uint32_t, uint32_t, a[i] & b[i])
HANDLER_AB(and_64, uint64_t, uint64_t, uint64_t, a[i] & b[i])
HANDLER_AB(or_32, uint32_t, uint32_t, uint32_t, a[i] | b[i])
HANDLER_AB(or_64, uint64_t, uint64_t, uint64_t, a[i] | b[i])
HANDLER_AB(xor_32, uint32_t, uint32_t, uint32_t, a[i] ^ b[i])
HANDLER_AB(xor_64, uint64_t, uint64_t, uint64_t, a[i] ^ b[i])
HANDLER_A(not_32, uint32_t, uint32_t, ~a[i])
HANDLER_LONG_A(not_64, uint64_t, uint64_t, ~a[i])
HANDLER_LONG_A(cnot_16, uint32_t, uint32_t, (uint16_t)a[i] == 0)
HANDLER_LONG_A(cnot_32, uint32_t, uint32_t, a[i] == 0)
HANDLER_LONG_A(cnot_64, uint64_t, uint64_t, a[i] == 0)

#define PREDICATE(n) (*SLOT(const uint32_t, instr->src[n]))
HANDLER(and_pred) { write_predicate(warp, instr->dst, lanes, PREDICATE(0) & PREDICATE(1)); }
HANDLER(or_pred) { write_predicate(warp, instr->dst, lanes, PREDICATE(0) | PREDICATE(1)); }
HANDLER(xor_pred) { write_predicate(warp, instr->dst, lanes, PREDICATE(0) ^ PREDICATE(1)); }
HANDLER(not_pred) { write_predicate(warp, instr->dst, lanes, ~PREDICATE(0)); }

// The handler for the width of the instruction's type; predicates first.
static sim_exec_fn by_width(const sim_instr *instr, sim_exec_fn predicate, sim_exec_fn narrow,
                            sim_exec_fn word, sim_exec_fn wide) {
    if (instr->type == PTX_PRED) return predicate;
    switch (ptx_type_bytes((ptx_type)instr->type)) {
    case 2: return narrow;
    case 4: return word;
    case 8: return wide;
    default: return NULL;
    }
}
BIND(AND) { return by_width(instr, and_pred, and_32, and_32, and_64); }
BIND(OR) { return by_width(instr, or_pred, or_32, or_32, or_64); }
BIND(XOR) { return by_width(instr, xor_pred, xor_32, xor_32, xor_64); }
BIND(NOT) { return by_width(instr, not_pred, not_32, not_32, not_64); }
BIND(CNOT) { return by_width(instr, NULL, cnot_16, cnot_32, cnot_64); }

// lop3: bit k of the table is the result where (a, b, c) are the bits of k. A tree of selections: c
// chooses between neighbouring bits of the table, b between those, a at the end.
typedef struct lop3_pairs {
    uint32_t base[4], flip[4];
} lop3_pairs;

static lop3_pairs lop3_expand(uint32_t table) {
    lop3_pairs pairs;
    for (int k = 0; k < 4; k++) {
        uint32_t at_0 = 0 - (table >> (2 * k) & 1), at_1 = 0 - (table >> (2 * k + 1) & 1);
        pairs.base[k] = at_0;
        pairs.flip[k] = at_0 ^ at_1;
    }
    return pairs;
}
static inline uint32_t lop3_apply(const lop3_pairs *p, uint32_t a, uint32_t b, uint32_t c) {
    uint32_t b0 = p->base[0] ^ (c & p->flip[0]), b1 = p->base[1] ^ (c & p->flip[1]);
    uint32_t b2 = p->base[2] ^ (c & p->flip[2]), b3 = p->base[3] ^ (c & p->flip[3]);
    uint32_t low = b0 ^ (b & (b0 ^ b1)), high = b2 ^ (b & (b2 ^ b3));
    return low ^ (a & (low ^ high));
}
HANDLER(lop3_32) {
    DST(uint32_t);
    SRC(uint32_t, a, 0);
    SRC(uint32_t, b, 1);
    SRC(uint32_t, c, 2);
    const lop3_pairs pairs = lop3_expand((uint32_t)instr->offset);
    LANES(uint32_t, d, lop3_apply(&pairs, a[i], b[i], c[i]));
}
// lop3.or, lop3.and: p = (result != 0) combined with q.
HANDLER(lop3_predicate) {
    SRC(uint32_t, a, 0);
    SRC(uint32_t, b, 1);
    SRC(uint32_t, c, 2);
    const lop3_pairs pairs = lop3_expand((uint32_t)instr->offset);
    uint32_t nonzero = 0;
    for (int i = 0; i < SIM_WARP_LANES; i++) {
        uint32_t value = lop3_apply(&pairs, a[i], b[i], c[i]);
        if (value) nonzero |= lane_bit[i];
        if (instr->dst != SIM_NO_SLOT && lanes & lane_bit[i]) SLOT(uint32_t, instr->dst)[i] = value;
    }
    uint32_t q = PREDICATE(3);
    if (has(instr, SIM_MOD_PRED_NEG_C)) q = ~q;
    uint32_t p = instr->boolean == SIM_BOOL_AND ? nonzero & q : nonzero | q;
    write_predicate(warp, instr->dst2, lanes, p);
}
BIND(LOP3) { return instr->dst2 == SIM_NO_SLOT ? lop3_32 : lop3_predicate; }

// ---- Shifts ----

HANDLER_LONG_AB(shl_16, uint32_t, uint32_t, uint32_t, b[i] > 15 ? 0 : a[i] << (b[i] & 15))
HANDLER_AB(shl_32, uint32_t, uint32_t, uint32_t, b[i] > 31 ? 0 : a[i] << (b[i] & 31))
HANDLER_AB(shl_64, uint64_t, uint64_t, uint32_t, b[i] > 63 ? 0 : a[i] << (b[i] & 63))
HANDLER_LONG_AB(shr_u16, uint32_t, uint32_t, uint32_t,
                b[i] > 15 ? 0 : (uint32_t)(uint16_t)a[i] >> (b[i] & 15))
HANDLER_AB(shr_u32, uint32_t, uint32_t, uint32_t, b[i] > 31 ? 0 : a[i] >> (b[i] & 31))
HANDLER_AB(shr_u64, uint64_t, uint64_t, uint32_t, b[i] > 63 ? 0 : a[i] >> (b[i] & 63))
HANDLER_LONG_AB(shr_s16, uint32_t, uint32_t, uint32_t,
                (uint32_t)((int32_t)(int16_t)a[i] >> (b[i] > 15 ? 15 : b[i])))
HANDLER_AB(shr_s32, uint32_t, int32_t, uint32_t, (uint32_t)(a[i] >> (b[i] > 31 ? 31 : b[i])))
HANDLER_AB(shr_s64, uint64_t, int64_t, uint32_t, (uint64_t)(a[i] >> (b[i] > 63 ? 63 : b[i])))

BIND(SHL) { return by_width(instr, NULL, shl_16, shl_32, shl_64); }
BIND(SHR) {
    bool is_signed = instr->type == PTX_S16 || instr->type == PTX_S32 || instr->type == PTX_S64;
    return is_signed ? by_width(instr, NULL, shr_s16, shr_s32, shr_s64)
                     : by_width(instr, NULL, shr_u16, shr_u32, shr_u64);
}

// Funnel shift of the 64 bits b:a; counts wrap at 32 or are clamped to it.
static inline uint64_t funnel(uint32_t a, uint32_t b) { return (uint64_t)b << 32 | a; }
#define WRAPPED(c) ((c)&31)
#define CLAMPED(c) ((c) > 32 ? 32 : (c))
#define SHF(name, expression)                                                                      \
    HANDLER_LONG_ABC(name, uint32_t, uint32_t, uint32_t, uint32_t, (uint32_t)(expression))
SHF(shf_l_wrap, funnel(a[i], b[i]) << WRAPPED(c[i]) >> 32)
SHF(shf_r_wrap, funnel(a[i], b[i]) >> WRAPPED(c[i]))
SHF(shf_l_clamp, funnel(a[i], b[i]) << CLAMPED(c[i]) >> 32)
SHF(shf_r_clamp, funnel(a[i], b[i]) >> CLAMPED(c[i]))
BIND(SHF) {
    if (has(instr, SIM_MOD_LEFT)) return has(instr, SIM_MOD_CLAMP) ? shf_l_clamp : shf_l_wrap;
    return has(instr, SIM_MOD_CLAMP) ? shf_r_clamp : shf_r_wrap;
}

// ---- prmt ----

// Byte `index` (0..7) of b:a; index bit 3 replicates its sign.
static inline uint32_t prmt_byte(uint64_t pair, uint32_t selector) {
    uint32_t byte = (uint32_t)(pair >> (8 * (selector & 7))) & 0xFF;
    return selector & 8 ? (byte & 0x80 ? 0xFF : 0) : byte;
}
static uint32_t prmt_index(uint64_t pair, uint32_t c) {
    return prmt_byte(pair, c) | prmt_byte(pair, c >> 4) << 8 | prmt_byte(pair, c >> 8) << 16 |
           prmt_byte(pair, c >> 12) << 24;
}
// Selectors of the named modes by the low two bits of c, as nibbles, lowest result byte first.
static const uint16_t prmt_modes[7][4] = {[SIM_PRMT_F4E] = {0x3210, 0x4321, 0x5432, 0x6543},
                                          [SIM_PRMT_B4E] = {0x5670, 0x6701, 0x7012, 0x0123},
                                          [SIM_PRMT_RC8] = {0x0000, 0x1111, 0x2222, 0x3333},
                                          [SIM_PRMT_ECL] = {0x3210, 0x3211, 0x3222, 0x3333},
                                          [SIM_PRMT_ECR] = {0x0000, 0x1110, 0x2210, 0x3210},
                                          [SIM_PRMT_RC16] = {0x1010, 0x3232, 0x1010, 0x3232}};
HANDLER_SCALAR_ABC(prmt_default, uint32_t, uint32_t, uint32_t, uint32_t,
                   prmt_index(funnel(a[i], b[i]), c[i]))
HANDLER_SCALAR_ABC(prmt_mode, uint32_t, uint32_t, uint32_t, uint32_t,
                   prmt_index(funnel(a[i], b[i]), prmt_modes[instr->variant][c[i] & 3]))
BIND(PRMT) { return instr->variant == SIM_PRMT_INDEX ? prmt_default : prmt_mode; }

// ---- Counting and finding bits: results are 32-bit ----

HANDLER_SCALAR_A(popc_32, uint32_t, uint32_t, __builtin_popcount(a[i]))
HANDLER_SCALAR_A(popc_64, uint32_t, uint64_t, __builtin_popcountll(a[i]))
HANDLER_SCALAR_A(clz_32, uint32_t, uint32_t, a[i] ? __builtin_clz(a[i]) : 32)
HANDLER_SCALAR_A(clz_64, uint32_t, uint64_t, a[i] ? __builtin_clzll(a[i]) : 64)
BIND(POPC) { return by_width(instr, NULL, NULL, popc_32, popc_64); }
BIND(CLZ) { return by_width(instr, NULL, NULL, clz_32, clz_64); }

// Position of the highest bit that differs from the sign (0 for unsigned), all ones if there is
// none; .shiftamt: how far it is from the top.
static uint32_t find_bit(uint64_t value, int width, bool shift_amount) {
    if (value == 0) return 0xFFFFFFFFu;
    int position = 63 - __builtin_clzll(value);
    return (uint32_t)(shift_amount ? width - 1 - position : position);
}
#define SHIFT_AMOUNT has(instr, SIM_MOD_SHIFTAMT)
HANDLER_SCALAR_A(bfind_u32, uint32_t, uint32_t, find_bit(a[i], 32, SHIFT_AMOUNT))
HANDLER_SCALAR_A(bfind_s32, uint32_t, int32_t,
                 find_bit((uint32_t)(a[i] ^ (a[i] >> 31)), 32, SHIFT_AMOUNT))
HANDLER_SCALAR_A(bfind_u64, uint32_t, uint64_t, find_bit(a[i], 64, SHIFT_AMOUNT))
HANDLER_SCALAR_A(bfind_s64, uint32_t, int64_t,
                 find_bit((uint64_t)(a[i] ^ (a[i] >> 63)), 64, SHIFT_AMOUNT))
BIND(BFIND) {
    bool is_signed = instr->type == PTX_S32 || instr->type == PTX_S64;
    return is_signed ? by_width(instr, NULL, NULL, bfind_s32, bfind_s64)
                     : by_width(instr, NULL, NULL, bfind_u32, bfind_u64);
}

static uint64_t reverse_bits(uint64_t value) {
    value = (value >> 1 & 0x5555555555555555u) | (value & 0x5555555555555555u) << 1;
    value = (value >> 2 & 0x3333333333333333u) | (value & 0x3333333333333333u) << 2;
    value = (value >> 4 & 0x0F0F0F0F0F0F0F0Fu) | (value & 0x0F0F0F0F0F0F0F0Fu) << 4;
    return __builtin_bswap64(value);
}
HANDLER_SCALAR_A(brev_32, uint32_t, uint32_t, reverse_bits(a[i]) >> 32)
HANDLER_SCALAR_A(brev_64, uint64_t, uint64_t, reverse_bits(a[i]))
BIND(BREV) { return by_width(instr, NULL, NULL, brev_32, brev_64); }

// ---- Bit fields ----

// bfe: `length` bits from `position`, the rest filled with zero or the field's sign (the top bit of
// the value when the field reaches beyond it). Position and length are taken modulo 256.
static uint64_t extract(uint64_t value, uint32_t position, uint32_t length, int width,
                        bool is_signed) {
    position &= 0xFF;
    length &= 0xFF;
    if (length == 0) return 0;
    uint32_t top = position + length - 1;
    if (top > (uint32_t)width - 1) top = (uint32_t)width - 1;
    uint64_t fill = is_signed && value >> top & 1 ? ~UINT64_C(0) : 0;
    if (position >= (uint32_t)width) return fill;
    uint64_t field = value >> position;
    uint32_t bits = top - position + 1;
    uint64_t mask = bits >= 64 ? ~UINT64_C(0) : (UINT64_C(1) << bits) - 1;
    return (field & mask) | (fill & ~mask);
}
#define BFE(name, type_d, type_a, width, is_signed)                                                \
    HANDLER_SCALAR_ABC(name, type_d, type_a, uint32_t, uint32_t,                                   \
                       extract(a[i], b[i], c[i], width, is_signed))
BFE(bfe_u32, uint32_t, uint32_t, 32, false)
BFE(bfe_s32, uint32_t, uint32_t, 32, true)
BFE(bfe_u64, uint64_t, uint64_t, 64, false)
BFE(bfe_s64, uint64_t, uint64_t, 64, true)
BIND(BFE) {
    bool is_signed = instr->type == PTX_S32 || instr->type == PTX_S64;
    return is_signed ? by_width(instr, NULL, NULL, bfe_s32, bfe_s64)
                     : by_width(instr, NULL, NULL, bfe_u32, bfe_u64);
}

// bfi: the low `length` bits of `field` replace those of `base` from `position`.
static uint64_t insert(uint64_t field, uint64_t base, uint32_t position, uint32_t length,
                       int width) {
    position &= 0xFF;
    length &= 0xFF;
    if (position >= (uint32_t)width || length == 0) return base;
    uint64_t mask = length >= 64 ? ~UINT64_C(0) : (UINT64_C(1) << length) - 1;
    mask <<= position;
    return (base & ~mask) | (field << position & mask);
}
#define BFI(name, type, width)                                                                     \
    HANDLER(name) {                                                                                \
        DST(type);                                                                                 \
        SRC(type, a, 0);                                                                           \
        SRC(type, b, 1);                                                                           \
        SRC(uint32_t, position, 2);                                                                \
        SRC(uint32_t, length, 3);                                                                  \
        LANES_SCALAR(type, d, insert(a[i], b[i], position[i], length[i], width));                  \
    }
BFI(bfi_32, uint32_t, 32)
BFI(bfi_64, uint64_t, 64)
BIND(BFI) { return by_width(instr, NULL, NULL, bfi_32, bfi_64); }

// fns: position of the n-th set bit of `mask` counted from `base`, upwards (offset > 0) or
// downwards; all ones when there is none.
static uint32_t find_nth(uint32_t mask, uint32_t base, int32_t offset) {
    if (base > 31) return 0xFFFFFFFFu;
    if (offset == 0) return mask >> base & 1 ? base : 0xFFFFFFFFu;
    int step = offset > 0 ? 1 : -1;
    int64_t wanted = offset > 0 ? offset : -(int64_t)offset;
    for (int at = (int)base; at >= 0 && at < 32; at += step)
        if (mask >> at & 1 && --wanted == 0) return (uint32_t)at;
    return 0xFFFFFFFFu;
}
HANDLER_SCALAR_ABC(fns_32, uint32_t, uint32_t, uint32_t, int32_t, find_nth(a[i], b[i], c[i]))
BIND(FNS) {
    (void)instr;
    return fns_32;
}

// bmsk: `length` ones from `position`; both wrap at 32 or are clamped to it.
static uint32_t bit_mask(uint32_t position, uint32_t length, bool clamp) {
    position = clamp ? CLAMPED(position) : WRAPPED(position);
    length = clamp ? CLAMPED(length) : WRAPPED(length);
    return (uint32_t)(((UINT64_C(1) << length) - 1) << position);
}
HANDLER_SCALAR_AB(bmsk_32, uint32_t, uint32_t, uint32_t,
                  bit_mask(a[i], b[i], has(instr, SIM_MOD_CLAMP)))
BIND(BMSK) {
    (void)instr;
    return bmsk_32;
}

// szext: the low `bits` bits, extended by zero or sign to 32.
static uint32_t extend(uint32_t value, uint32_t bits, bool clamp, bool is_signed) {
    if (clamp && bits > 31) return value;
    bits &= 31;
    if (bits == 0) return 0;
    uint32_t mask = (1u << bits) - 1;
    bool ones = is_signed && value >> (bits - 1) & 1;
    return ones ? value | ~mask : value & mask;
}
HANDLER_SCALAR_AB(szext_32, uint32_t, uint32_t, uint32_t,
                  extend(a[i], b[i], has(instr, SIM_MOD_CLAMP), instr->type == PTX_S32))
BIND(SZEXT) {
    (void)instr;
    return szext_32;
}

// ---- dp4a, dp2a: small dot products; type and type2 are the signs of a and b ----

static int64_t byte_of(uint32_t value, int index, bool is_signed) {
    uint32_t byte = value >> (8 * index) & 0xFF;
    return is_signed ? (int8_t)byte : (int64_t)byte;
}
static int64_t half_of(uint32_t value, int index, bool is_signed) {
    uint32_t half = value >> (16 * index) & 0xFFFF;
    return is_signed ? (int16_t)half : (int64_t)half;
}
static uint32_t dot4(const sim_instr *instr, uint32_t a, uint32_t b, uint32_t c) {
    int64_t sum = c;
    for (int k = 0; k < 4; k++)
        sum += byte_of(a, k, instr->type == PTX_S32) * byte_of(b, k, instr->type2 == PTX_S32);
    return (uint32_t)sum;
}
static uint32_t dot2(const sim_instr *instr, uint32_t a, uint32_t b, uint32_t c) {
    int64_t sum = c;
    int first = has(instr, SIM_MOD_HI) ? 2 : 0;
    for (int k = 0; k < 2; k++)
        sum +=
            half_of(a, k, instr->type == PTX_S32) * byte_of(b, first + k, instr->type2 == PTX_S32);
    return (uint32_t)sum;
}
HANDLER_SCALAR_ABC(dp4a_32, uint32_t, uint32_t, uint32_t, uint32_t, dot4(instr, a[i], b[i], c[i]))
HANDLER_SCALAR_ABC(dp2a_32, uint32_t, uint32_t, uint32_t, uint32_t, dot2(instr, a[i], b[i], c[i]))
BIND(DP4A) {
    (void)instr;
    return dp4a_32;
}
BIND(DP2A) {
    (void)instr;
    return dp2a_32;
}
