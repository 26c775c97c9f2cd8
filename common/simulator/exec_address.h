// SPDX-License-Identifier: MIT
// Where the 32 lanes of a memory instruction point. Nearly all accesses are regular, and regular ones need neither a
// list of addresses nor one check a lane: all lanes at one place (uniform), a constant distance apart (affine), or
// both for each half-warp on its own, as rows of a 16-wide tile give.
#ifndef SIM_EXEC_ADDRESS_H
#define SIM_EXEC_ADDRESS_H

#include "lanes.h"

typedef enum lane_pattern { PATTERN_UNIFORM, PATTERN_AFFINE, PATTERN_HALVES, PATTERN_ANY } lane_pattern;

enum { HALF_WARP = SIM_WARP_LANES / 2 };
#define STRIDE_MAX (INT64_C(1) << 40) // far more than memory, and no sum of 32 overflows

typedef struct lane_addresses {
    lane_pattern pattern;
    uint64_t base[2];    // of lane 0, of lane 16; both halves have the same stride
    int64_t stride;      // between neighbouring lanes of a half
    uint64_t low, high;  // lowest and highest address of a lane that is on
    uint64_t set_bits;   // of all addresses or strides: its low bits tell misalignment
    uint64_t lane[SIM_WARP_LANES]; // PATTERN_ANY only; lanes that are off repeat one that is on
} lane_addresses;

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

// Pattern of a full warp's registers. `unit`: the stride to expect, a constant, which is tested fastest.
#define CLASSIFY(type, stype, address, offset, unit, out)                                          \
    do {                                                                                           \
        type step_ = (address)[1] - (address)[0];                                                  \
        bool regular_;                                                                             \
        if (step_ == 0) regular_ = HALVES_ARE_REGULAR(type, address, 0);                           \
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
            type address_ = (lanes) & lane_bit[i] ? (address)[i] : first_;                         \
            (out)->lane[i] = (type)(address_ + (type)(offset));                                    \
        }                                                                                          \
    } while (0)

// Refines a regular pattern and finds its extremes.
ALWAYS_INLINE void finish_regular(lane_addresses *out) {
    int64_t last = out->stride * (HALF_WARP - 1);
    uint64_t a = out->base[0], b = out->base[1];
    uint64_t low = a < b ? a : b, high = a < b ? b : a;
    out->low = low + (uint64_t)(last < 0 ? last : 0);
    out->high = high + (uint64_t)(last < 0 ? 0 : last);
    out->set_bits = a | b | (uint64_t)out->stride;
    if (b == a + (uint64_t)(out->stride * HALF_WARP))
        out->pattern = out->stride ? PATTERN_AFFINE : PATTERN_UNIFORM;
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

// Fills `out` from the address register of `instr`. Sums with 32-bit address registers wrap at 32 bits.
ALWAYS_INLINE void find_addresses(const sim_warp *warp, const sim_instr *instr, uint32_t lanes,
                                  bool narrow, uint32_t unit, lane_addresses *out) {
    const uint32_t *a32 = SLOT(const uint32_t, instr->src[0]);
    const uint64_t *a64 = SLOT(const uint64_t, instr->src[0]);
    out->pattern = PATTERN_ANY;
    out->stride = 0;
    out->base[0] = out->base[1] = 0;
    if (lanes == SIM_ALL_LANES) {
        if (narrow) CLASSIFY(uint32_t, int32_t, a32, instr->offset, unit, out);
        else CLASSIFY(uint64_t, int64_t, a64, instr->offset, unit, out);
    }
    if (out->pattern == PATTERN_ANY) {
        if (narrow) LIST_LANES(uint32_t, a32, instr->offset, lanes, out);
        else LIST_LANES(uint64_t, a64, instr->offset, lanes, out);
        finish_any(out);
    } else {
        finish_regular(out);
    }
}

// Whether [low, high + bytes) lies in [base, end), without overflow.
static inline bool lies_inside(const lane_addresses *a, uint64_t base, uint64_t end, uint32_t bytes) {
    return a->low >= base && a->low <= a->high && a->high < end && bytes <= end - a->high;
}

static inline uint64_t address_of(const lane_addresses *addresses, uint32_t lane) {
    if (addresses->pattern == PATTERN_ANY) return addresses->lane[lane];
    uint64_t steps = lane % HALF_WARP;
    return addresses->base[lane / HALF_WARP] + (uint64_t)addresses->stride * steps;
}

static inline void list_addresses(const lane_addresses *addresses, uint64_t out[SIM_WARP_LANES]) {
    for (uint32_t lane = 0; lane < SIM_WARP_LANES; lane++) out[lane] = address_of(addresses, lane);
}

// Where the executor remembers the allocation that this instruction used last.
static inline sim_site *site_of(sim_warp *warp, const sim_instr *instr) {
    return &warp->sites[((uintptr_t)instr / 32) % SIM_SITES];
}

#endif
