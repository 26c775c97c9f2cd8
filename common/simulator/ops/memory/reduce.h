// SPDX-License-Identifier: MIT
// What reductions compute of an old value and an operand: floating-point sums of atomics, and the
// elements of a reducing bulk copy (PTX ISA, "atom", "cp.reduce.async.bulk").
#ifndef SIM_OPS_MEMORY_REDUCE_H
#define SIM_OPS_MEMORY_REDUCE_H

#include <math.h>
#include <string.h>

#include "program/fpmath.h"
#include "program/ir.h"

// As an H100 gives: the L2 flushes subnormals of .f32 and passes NaN of .f64 on as they are, the
// operand's first; on shared memory both are ordinary additions.
static inline float sum_f32(float old, float operand, uint8_t space) {
    if (space == PTX_SPACE_SHARED) return sim_canonical(old + operand);
    return sim_flush(sim_canonical(sim_flush(old) + sim_flush(operand)));
}
static inline double sum_f64(double old, double operand, uint8_t space) {
    if (space == PTX_SPACE_SHARED) {
        double nan = old != old ? old : operand;
        return nan != nan ? sim_double_from_bits(sim_bits_from_double(nan) | UINT64_C(1) << 51)
                          : old + operand;
    }
    return operand != operand ? operand : old != old ? old : old + operand;
}

// A half or bfloat16 as bits.
static inline uint32_t half_result(uint8_t type, uint8_t variant, uint32_t old, uint32_t operand) {
    bool brain = type == PTX_BF16 || type == PTX_BF16X2;
    double x = brain ? (double)sim_float_from_bf16(old) : sim_double_from_f16(old);
    double y = brain ? (double)sim_float_from_bf16(operand) : sim_double_from_f16(operand);
    double result = sim_odd_add(x, y);
    if (variant != SIM_ATOMIC_ADD && x == y) // -0 is below +0
        return variant == SIM_ATOMIC_MIN ? old | operand : old & operand;
    if (variant == SIM_ATOMIC_MIN) result = fmin(x, y);
    if (variant == SIM_ATOMIC_MAX) result = fmax(x, y);
    if (result != result) return SIM_NAN_F16;
    return (uint32_t)sim_pack_double(brain ? &sim_format_bf16 : &sim_format_f16, result,
                                     SIM_ROUND_RN);
}

// ---- Elements of a bulk copy, whose sums of .f32 keep subnormals (H200) ----

static inline uint64_t reduce_bits(uint8_t atomic, uint64_t old, uint64_t b) {
    switch (atomic) {
    case SIM_ATOMIC_ADD: return old + b;
    case SIM_ATOMIC_AND: return old & b;
    case SIM_ATOMIC_OR: return old | b;
    case SIM_ATOMIC_XOR: return old ^ b;
    case SIM_ATOMIC_INC: return old >= b ? 0 : old + 1;
    case SIM_ATOMIC_DEC: return old == 0 || old > b ? b : old - 1;
    case SIM_ATOMIC_MIN: return b < old ? b : old;
    default: return b > old ? b : old;
    }
}

static inline int64_t reduce_signed(uint8_t atomic, int64_t old, int64_t b) {
    return (atomic == SIM_ATOMIC_MIN) == (b < old) ? b : old;
}

static inline uint64_t reduce_element(uint8_t type, uint8_t atomic, uint64_t old, uint64_t b) {
    bool extreme = atomic == SIM_ATOMIC_MIN || atomic == SIM_ATOMIC_MAX;
    bool adds = atomic == SIM_ATOMIC_ADD;
    switch (type) {
    case PTX_F16:
    case PTX_BF16: return half_result(type, atomic, (uint32_t)old, (uint32_t)b);
    case PTX_F32:
        if (!adds) break;
        return sim_bits_from_float(
            sim_canonical(sim_float_from_bits((uint32_t)old) + sim_float_from_bits((uint32_t)b)));
    case PTX_F64:
        if (!adds) break;
        return sim_bits_from_double(
            sum_f64(sim_double_from_bits(old), sim_double_from_bits(b), PTX_SPACE_GLOBAL));
    case PTX_S32:
        if (extreme) return (uint64_t)reduce_signed(atomic, (int32_t)old, (int32_t)b);
        break;
    case PTX_S64:
        if (extreme) return (uint64_t)reduce_signed(atomic, (int64_t)old, (int64_t)b);
        break;
    default: break;
    }
    return reduce_bits(atomic, old, b);
}

// Combines `bytes` of elements of `type` in `to` with those in `from`, in place.
static inline void reduce_bytes(uint8_t type, uint8_t atomic, uint8_t *to, const uint8_t *from,
                                uint32_t bytes) {
    uint32_t element = ptx_type_bytes((ptx_type)type);
    for (uint32_t at = 0; at < bytes; at += element) {
        uint64_t old = 0, operand = 0;
        memcpy(&old, to + at, element);
        memcpy(&operand, from + at, element);
        uint64_t result = reduce_element(type, atomic, old, operand);
        memcpy(to + at, &result, element);
    }
}

#endif
