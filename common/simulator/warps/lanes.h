// SPDX-License-Identifier: MIT
// How handlers read registers and loop over lanes. A lane loop has 32 iterations that do not depend
// on each other and no branches, so that the compiler turns it into 4 (AVX2) or 8 (SSE2) vector
// steps; lanes that are off are computed like the rest and blended away. Included by handlers only,
// which are compiled with -fno-strict-aliasing because one slot holds integers and floats in turn.
#ifndef SIM_WARPS_LANES_H
#define SIM_WARPS_LANES_H

#include <math.h>
#include <string.h>

#include "warps/block.h"
#include "base/base.h"

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
        if (lanes == SIM_ALL_LANES) {                                                              \
            EACH_LANE d[i] = (type)(expression);                                                   \
        } else {                                                                                   \
            EACH_LANE {                                                                            \
                type value_ = (type)(expression);                                                  \
                d[i] = lanes & lane_bit[i] ? value_ : d[i];                                        \
            }                                                                                      \
        }                                                                                          \
    } while (0)

// The same for expressions that call functions or loop: only active lanes are visited.
#define LANES_SCALAR(type, d, expression)                                                          \
    do {                                                                                           \
        for (uint32_t rest_ = lanes; rest_; rest_ &= rest_ - 1) {                                  \
            int i = __builtin_ctz(rest_);                                                          \
            d[i] = (type)(expression);                                                             \
        }                                                                                          \
    } while (0)

// A whole handler: name, result type, operand types, expression in a[i], b[i], c[i].
#define HANDLER_A(name, type_d, type_a, expression)                                                \
    HANDLER(name) {                                                                                \
        DST(type_d);                                                                               \
        SRC(type_a, a, 0);                                                                         \
        LANES(type_d, d, expression);                                                              \
    }
// The same with the sources `a` and `b`.
#define HANDLER_AB(name, type_d, type_a, type_b, expression)                                       \
    HANDLER(name) {                                                                                \
        DST(type_d);                                                                               \
        SRC(type_a, a, 0);                                                                         \
        SRC(type_b, b, 1);                                                                         \
        LANES(type_d, d, expression);                                                              \
    }
// The same with the sources `a`, `b` and `c`.
#define HANDLER_ABC(name, type_d, type_a, type_b, type_c, expression)                              \
    HANDLER(name) {                                                                                \
        DST(type_d);                                                                               \
        SRC(type_a, a, 0);                                                                         \
        SRC(type_b, b, 1);                                                                         \
        SRC(type_c, c, 2);                                                                         \
        LANES(type_d, d, expression);                                                              \
    }
// The scalar forms.
#define HANDLER_SCALAR_A(name, type_d, type_a, expression)                                         \
    HANDLER(name) {                                                                                \
        DST(type_d);                                                                               \
        SRC(type_a, a, 0);                                                                         \
        LANES_SCALAR(type_d, d, expression);                                                       \
    }
// The same with the sources `a` and `b`.
#define HANDLER_SCALAR_AB(name, type_d, type_a, type_b, expression)                                \
    HANDLER(name) {                                                                                \
        DST(type_d);                                                                               \
        SRC(type_a, a, 0);                                                                         \
        SRC(type_b, b, 1);                                                                         \
        LANES_SCALAR(type_d, d, expression);                                                       \
    }
// The same with the sources `a`, `b` and `c`.
#define HANDLER_SCALAR_ABC(name, type_d, type_a, type_b, type_c, expression)                       \
    HANDLER(name) {                                                                                \
        DST(type_d);                                                                               \
        SRC(type_a, a, 0);                                                                         \
        SRC(type_b, b, 1);                                                                         \
        SRC(type_c, c, 2);                                                                         \
        LANES_SCALAR(type_d, d, expression);                                                       \
    }

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

#endif
