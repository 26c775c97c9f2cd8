// How handlers read registers and loop over lanes. A lane loop has 32 iterations that do not depend
// on each other and no branches, so that the compiler turns it into 4 (AVX2) or 8 (SSE2) vector
// steps; lanes that are off are computed like the rest and blended away. Included by handlers only,
// which are compiled with -fno-strict-aliasing because one slot holds integers and floats in turn.
#pragma once

#include "warps/block.h"

// ---- lanes --------------------------------------------------------------------------------------

// Bit i, as a table, because AVX2 compares faster than SSE2 shifts.
static const uint32_t lane_bit[SIM_WARP_LANES] = {
    1u << 0,  1u << 1,  1u << 2,  1u << 3,  1u << 4,  1u << 5,  1u << 6,  1u << 7,
    1u << 8,  1u << 9,  1u << 10, 1u << 11, 1u << 12, 1u << 13, 1u << 14, 1u << 15,
    1u << 16, 1u << 17, 1u << 18, 1u << 19, 1u << 20, 1u << 21, 1u << 22, 1u << 23,
    1u << 24, 1u << 25, 1u << 26, 1u << 27, 1u << 28, 1u << 29, 1u << 30, 1u << 31};

// The head of a function that executes an instruction for the active lanes.
#define HANDLER(name) static void name(sim_warp *warp, const sim_instr *instr, uint32_t lanes)

// A slot of the running frame as an array [SIM_WARP_LANES].
#define SLOT(type, slot) ((type *)(warp->registers + (slot)))
// `d`: the slot of the result.
#define DST(type) type *d = SLOT(type, instr->dst)
// `name`: the slot of a source operand.
#define SRC(type, name, number) const type *name = SLOT(const type, instr->src[number])

// Slots are equal or disjoint, so lane i of the result depends on lane i of the operands only.
#define EACH_LANE _Pragma("GCC ivdep") for (int i = 0; i < SIM_WARP_LANES; i++)

// d[i] = expression, for the active lanes. `expression` may use i, must be cheap to compute
// for lanes that are off, and must not trap on their values.
#define LANES(type, d, expression)                                                                 \
    do {                                                                                           \
        if (lanes == SIM_ALL_LANES) EACH_LANE d[i] = (type)(expression);                           \
        else LANES_LONG(type, d, expression)                                                       \
    } while (0)

// The same for expressions that take long, or are rare: one loop for full and other warps, as a
// second one costs more to compile than blending costs beside them.
#define LANES_LONG(type, d, expression)                                                            \
    EACH_LANE {                                                                                    \
        type value_ = (type)(expression);                                                          \
        d[i] = lanes & lane_bit[i] ? value_ : d[i];                                                \
    }

// The same for expressions that call functions or loop: only active lanes are visited.
#define LANES_SCALAR(type, d, expression)                                                          \
    do {                                                                                           \
        for (uint32_t rest_ = lanes; rest_; rest_ &= rest_ - 1) {                                  \
            int i = __builtin_ctz(rest_);                                                          \
            d[i] = (type)(expression);                                                             \
        }                                                                                          \
    } while (0)

// A whole handler: name, result type, operand types, expression in a[i]; how it goes over lanes.
#define HANDLER_OF_A(name, type_d, type_a, expression, over)                                       \
    HANDLER(name) {                                                                                \
        DST(type_d);                                                                               \
        SRC(type_a, a, 0);                                                                         \
        over(type_d, d, expression);                                                               \
    }
// The same with the sources `a` and `b`.
#define HANDLER_OF_AB(name, type_d, type_a, type_b, expression, over)                              \
    HANDLER(name) {                                                                                \
        DST(type_d);                                                                               \
        SRC(type_a, a, 0);                                                                         \
        SRC(type_b, b, 1);                                                                         \
        over(type_d, d, expression);                                                               \
    }
// The same with the sources `a`, `b` and `c`.
#define HANDLER_OF_ABC(name, type_d, type_a, type_b, type_c, expression, over)                     \
    HANDLER(name) {                                                                                \
        DST(type_d);                                                                               \
        SRC(type_a, a, 0);                                                                         \
        SRC(type_b, b, 1);                                                                         \
        SRC(type_c, c, 2);                                                                         \
        over(type_d, d, expression);                                                               \
    }
// Cheap and frequent ones, of one source.
#define HANDLER_A(name, d, a, expression) HANDLER_OF_A(name, d, a, expression, LANES)
// Cheap and frequent ones, of two sources.
#define HANDLER_AB(name, d, a, b, expression) HANDLER_OF_AB(name, d, a, b, expression, LANES)
// Cheap and frequent ones, of three sources.
#define HANDLER_ABC(name, d, a, b, c, expression)                                                  \
    HANDLER_OF_ABC(name, d, a, b, c, expression, LANES)
// Those that take long or are rare, of one source.
#define HANDLER_LONG_A(name, d, a, expression) HANDLER_OF_A(name, d, a, expression, LANES_LONG)
// Those that take long or are rare, of two sources.
#define HANDLER_LONG_AB(name, d, a, b, expression)                                                 \
    HANDLER_OF_AB(name, d, a, b, expression, LANES_LONG)
// Those that take long or are rare, of three sources.
#define HANDLER_LONG_ABC(name, d, a, b, c, expression)                                             \
    HANDLER_OF_ABC(name, d, a, b, c, expression, LANES_LONG)
// Those that visit active lanes only, of one source.
#define HANDLER_SCALAR_A(name, d, a, expression) HANDLER_OF_A(name, d, a, expression, LANES_SCALAR)
// Those that visit active lanes only, of two sources.
#define HANDLER_SCALAR_AB(name, d, a, b, expression)                                               \
    HANDLER_OF_AB(name, d, a, b, expression, LANES_SCALAR)
// Those that visit active lanes only, of three sources.
#define HANDLER_SCALAR_ABC(name, d, a, b, c, expression)                                           \
    HANDLER_OF_ABC(name, d, a, b, c, expression, LANES_SCALAR)

// Binding functions choose by type; each file defines those of its operations.
#define BIND(id) sim_exec_fn SIM_VARIANT(sim_bind_##id)(const sim_instr *instr)

// The slot of part `part` of a vector operand; part_slot: of a scalar, `single`.
static inline uint32_t vector_slot(const sim_warp *warp, const sim_instr *instr, uint32_t part) {
    return warp->frame->function->slots[instr->list + part];
}
static inline uint32_t part_slot(const sim_warp *warp, const sim_instr *instr, uint32_t part,
                                 uint32_t single) {
    return instr->vector > 1 ? vector_slot(warp, instr, part) : single;
}

// Writes the bits of `value` that are in `lanes` to a predicate slot.
static inline void write_predicate(sim_warp *warp, uint32_t slot, uint32_t lanes, uint32_t value) {
    if (slot == SIM_NO_SLOT) return;
    uint32_t *predicate = SLOT(uint32_t, slot);
    *predicate = (*predicate & ~lanes) | (value & lanes);
}

// The predicate operand src[2], negated where the instruction says so.
static inline uint32_t read_predicate_c(const sim_warp *warp, const sim_instr *instr) {
    uint32_t value = *(const uint32_t *)(warp->registers + instr->src[2]);
    return instr->mods & SIM_MOD_PRED_NEG_C ? ~value : value;
}

static inline bool has(const sim_instr *instr, uint32_t mods) {
    return (instr->mods & mods) == mods;
}

// ---- addresses of lanes -------------------------------------------------------------------------
// Where the 32 lanes of a memory instruction point. Nearly all accesses are regular, and regular
// ones need neither a list of addresses nor one check a lane: all lanes at one place (uniform), a
// constant distance apart (affine), or both for each half-warp on its own, as rows of a 16-wide
// tile give.

// How the addresses of a warp's lanes follow from few numbers.
typedef enum lane_pattern {
    PATTERN_UNIFORM,
    PATTERN_AFFINE,
    PATTERN_HALVES,
    PATTERN_ANY
} lane_pattern;

enum { HALF_WARP = SIM_WARP_LANES / 2 };
#define STRIDE_MAX (INT64_C(1) << 40) // far more than memory, and no sum of 32 overflows

// The addresses of one access.
typedef struct lane_addresses {
    lane_pattern pattern; // decides which of the fields below are set
    uint64_t base[2];     // of lane 0, of lane 16; both halves have the same stride
    int64_t stride;       // between neighbouring lanes of a half
    uint32_t lanes;       // that are on; a regular pattern holds for those that are off as well
    uint64_t low, high;   // lowest and highest address of a lane that is on
    uint64_t set_bits;    // of all addresses or strides: its low bits tell misalignment
    uint64_t lane[SIM_WARP_LANES]; // PATTERN_ANY only; lanes that are off repeat one that is on
} lane_addresses;

// For the executor's inner loops, which must be specialised where they are called.
#define ALWAYS_INLINE static inline __attribute__((always_inline))

// Whether both halves have address[first + i] == address[first] + i * step.
#define HALVES_ARE_REGULAR(type, address, step)                                                    \
    ({                                                                                             \
        type differs_ = 0;                                                                         \
        for (int i = 0; i < HALF_WARP; i++) {                                                      \
            type offset_ = (type)(step) * (type)i;                                                 \
            differs_ |= ((address)[i] - offset_) ^ (address)[0];                                   \
            differs_ |= ((address)[HALF_WARP + i] - offset_) ^ (address)[HALF_WARP];               \
        }                                                                                          \
        differs_ == 0;                                                                             \
    })

// Pattern of all 32 registers, lanes that are off included: their addresses were mostly computed
// before the branch. `unit`: the stride to expect, a constant, which is tested fastest.
#define CLASSIFY(type, stype, address, offset, unit, known, out)                                   \
    do {                                                                                           \
        type step_ = (address)[1] - (address)[0];                                                  \
        bool regular_ = true;                                                                      \
        if (known)                                                                                 \
            ;                                                                                      \
        else if (step_ == 0) regular_ = HALVES_ARE_REGULAR(type, address, 0);                      \
        else if (step_ == (type)(unit)) regular_ = HALVES_ARE_REGULAR(type, address, unit);        \
        else regular_ = HALVES_ARE_REGULAR(type, address, step_);                                  \
        (out)->stride = (stype)step_;                                                              \
        (out)->base[0] = (type)((address)[0] + (type)(offset));                                    \
        (out)->base[1] = (type)((address)[HALF_WARP] + (type)(offset));                            \
        bool sane_ = (out)->stride > -STRIDE_MAX && (out)->stride < STRIDE_MAX;                    \
        (out)->pattern = regular_ && sane_ ? PATTERN_HALVES : PATTERN_ANY;                         \
    } while (0)

// Addresses of every lane, for lanes that are off that of the first one on.
#define LIST_LANES(type, address, offset, lanes, out)                                              \
    do {                                                                                           \
        type first_ = (address)[__builtin_ctz(lanes)];                                             \
        EACH_LANE {                                                                                \
            type address_ = (lanes)&lane_bit[i] ? (address)[i] : first_;                           \
            (out)->lane[i] = (type)(address_ + (type)(offset));                                    \
        }                                                                                          \
    } while (0)

// Refines a regular pattern and finds its extremes over the active lanes.
ALWAYS_INLINE void finish_regular(lane_addresses *out) {
    uint64_t a = out->base[0], b = out->base[1];
    int64_t stride = out->stride;
    out->set_bits = a | b | (uint64_t)stride;
    if (out->lanes == SIM_ALL_LANES) {
        int64_t span = stride * (HALF_WARP - 1);
        uint64_t low = a < b ? a : b, high = a < b ? b : a;
        out->low = low + (uint64_t)(span < 0 ? span : 0);
        out->high = high + (uint64_t)(span < 0 ? 0 : span);
        if (b == a + (uint64_t)(stride * HALF_WARP))
            out->pattern = stride ? PATTERN_AFFINE : PATTERN_UNIFORM;
        return;
    }
    if (b == a + (uint64_t)(stride * HALF_WARP)) {
        out->pattern = stride ? PATTERN_AFFINE : PATTERN_UNIFORM;
        uint64_t first = a + (uint64_t)(stride * __builtin_ctz(out->lanes));
        uint64_t last = a + (uint64_t)(stride * (31 - __builtin_clz(out->lanes)));
        out->low = stride < 0 ? last : first;
        out->high = stride < 0 ? first : last;
        return;
    }
    out->low = UINT64_MAX;
    out->high = 0;
    for (int half = 0; half < 2; half++) {
        uint32_t on = out->lanes >> (half * HALF_WARP) & 0xFFFF;
        if (!on) continue;
        uint64_t first = out->base[half] + (uint64_t)(stride * __builtin_ctz(on));
        uint64_t last = out->base[half] + (uint64_t)(stride * (31 - __builtin_clz(on)));
        uint64_t low = stride < 0 ? last : first, high = stride < 0 ? first : last;
        out->low = low < out->low ? low : out->low;
        out->high = high > out->high ? high : out->high;
    }
}

ALWAYS_INLINE void finish_any(lane_addresses *out) {
    uint64_t low = out->lane[0], high = out->lane[0], bits = 0;
    for (int i = 0; i < SIM_WARP_LANES; i++) {
        low = out->lane[i] < low ? out->lane[i] : low;
        high = out->lane[i] > high ? out->lane[i] : high;
        bits |= out->lane[i];
    }
    out->low = low;
    out->high = high;
    out->set_bits = bits;
}

// Unrolled code uses one address register several times, and registers that differ from it by what
// all lanes have in common. Once the 32 lanes of one have been found to be regular, that holds for
// all of these: by `shape` where the run is a full warp's, so that every lane has its part of each
// sum; else by `base`, of the same value. An observer sees every access: what is known under one
// has a mark, so that handlers do not take it for known. Not kept on cards whose accesses are
// counted otherwise.
#define REGULAR_OBSERVED (UINT32_C(1) << 30)
ALWAYS_INLINE uint32_t regular_number(const sim_warp *warp, const sim_instr *instr) {
    return warp->lanes == SIM_ALL_LANES ? instr->shape : instr->base;
}
ALWAYS_INLINE bool is_known_regular(const sim_warp *warp, uint32_t number) {
    return warp->regular[number % SIM_REGULAR_BASES] == number;
}
ALWAYS_INLINE uint32_t regular_mark(const sim_warp *warp) {
    return warp->observing ? REGULAR_OBSERVED : 0;
}
// Also true of what is known under an observer.
ALWAYS_INLINE bool was_found_regular(const sim_warp *warp, uint32_t number) {
    return is_known_regular(warp, number | regular_mark(warp));
}
ALWAYS_INLINE void note_regular(sim_warp *warp, uint32_t number) {
    uint32_t noted = number | regular_mark(warp);
    warp->regular[number % SIM_REGULAR_BASES] = warp->legacy ? 0 : noted;
}

// The pattern of all 32 lanes when it is regular; false: PATTERN_ANY. Sums with 32-bit registers
// wrap at 32 bits.
ALWAYS_INLINE bool find_regular(sim_warp *warp, const sim_instr *instr, uint32_t lanes, bool narrow,
                                uint32_t unit, lane_addresses *out) {
    const uint32_t *a32 = SLOT(const uint32_t, instr->src[0]);
    const uint64_t *a64 = SLOT(const uint64_t, instr->src[0]);
    uint32_t number = regular_number(warp, instr);
    bool known = was_found_regular(warp, number);
    out->lanes = lanes;
    if (narrow) CLASSIFY(uint32_t, int32_t, a32, instr->offset, unit, known, out);
    else CLASSIFY(uint64_t, int64_t, a64, instr->offset, unit, known, out);
    if (out->pattern == PATTERN_ANY) return false;
    note_regular(warp, number);
    finish_regular(out);
    return true;
}

// Fills `out` from the address register of `instr`, whatever the pattern.
static inline void find_addresses(sim_warp *warp, const sim_instr *instr, uint32_t lanes,
                                  bool narrow, uint32_t unit, lane_addresses *out) {
    const uint32_t *a32 = SLOT(const uint32_t, instr->src[0]);
    const uint64_t *a64 = SLOT(const uint64_t, instr->src[0]);
    if (find_regular(warp, instr, lanes, narrow, unit, out)) return;
    out->stride = 0;
    if (narrow) LIST_LANES(uint32_t, a32, instr->offset, lanes, out);
    else LIST_LANES(uint64_t, a64, instr->offset, lanes, out);
    finish_any(out);
}

// Whether [low, high + bytes) lies in [base, end), without overflow.
static inline bool lies_inside(const lane_addresses *a, uint64_t base, uint64_t end,
                               uint32_t bytes) {
    return a->low >= base && a->low <= a->high && a->high < end && bytes <= end - a->high;
}

static inline uint64_t address_of(const lane_addresses *addresses, uint32_t lane) {
    if (addresses->pattern == PATTERN_ANY) return addresses->lane[lane];
    uint64_t steps = lane % HALF_WARP;
    return addresses->base[lane / HALF_WARP] + (uint64_t)addresses->stride * steps;
}

// Lanes that are off repeat one that is on.
static inline void list_addresses(const lane_addresses *addresses, uint64_t out[SIM_WARP_LANES]) {
    if (addresses->pattern == PATTERN_ANY) {
        memcpy(out, addresses->lane, sizeof addresses->lane);
        return;
    }
    uint64_t low = addresses->base[0], high = addresses->base[1];
    for (int i = 0; i < HALF_WARP; i++) {
        out[i] = low;
        out[HALF_WARP + i] = high;
        low += (uint64_t)addresses->stride;
        high += (uint64_t)addresses->stride;
    }
    if (addresses->lanes == SIM_ALL_LANES) return;
    uint64_t first = out[__builtin_ctz(addresses->lanes)];
    EACH_LANE out[i] = addresses->lanes & lane_bit[i] ? out[i] : first;
}

// Whether the places of all 32 lanes of an affine access, on or off, lie in [base, end).
static inline bool row_lies_inside(const lane_addresses *a, uint64_t base, uint64_t end,
                                   uint32_t bytes) {
    uint64_t first = a->base[0], last = first + (uint64_t)(a->stride * (SIM_WARP_LANES - 1));
    return a->stride > 0 && first >= base && first <= last && last < end && bytes <= end - last;
}

// Where the executor remembers the allocation that this instruction used last.
static inline sim_site *site_of(sim_warp *warp, const sim_instr *instr) {
    return &warp->sites[instr->site];
}

// Host memory that a kernel uses by the host's pointers has a device address too, which everything
// that counts or watches addresses takes instead. Other addresses come back as they are.
static inline uint64_t sim_device_address(const sim_warp *warp, uint64_t address) {
    if (address - SIM_GLOBAL_BASE < SIM_GLOBAL_SPAN) return address;
    return sim_mem_device(warp->block->grid->memory, address);
}

// Element bytes times vector length.
static inline uint32_t sim_access_bytes(const sim_instr *instr) {
    return ptx_type_bytes((ptx_type)instr->type) * (instr->vector ? instr->vector : 1);
}
