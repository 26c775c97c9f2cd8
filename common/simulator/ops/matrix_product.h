// SPDX-License-Identifier: MIT
// Products of small matrices as a tensor core computes them, on plain arrays (PTX ISA, "mma").
//
// As an H100 does it, to the bit (validation/operands/matrix_h100.txt). Integers: exact, in 32 bits
// that wrap, or saturate once at the end with .satfinite. Double: one fma after the other along k.
// The rest: the exact products of a step and the accumulator are aligned to the largest exponent
// among them, where a product's is the sum of its factors' whatever the product; cut to 26 bits
// there; added exactly; the sum is cut to 24 bits (towards zero) for f32, or rounded to nearest for
// f16. A step is the whole of k but for wmma of tf32, which has two, and for 8-bit floats, whose
// products come in two steps that start from zero; C is added to that as by add.rn.
#ifndef SIM_OPS_MATRIX_PRODUCT_H
#define SIM_OPS_MATRIX_PRODUCT_H

#include <stdint.h>

#include "program/ir.h"

enum { SIM_MATRIX_MAX_ELEMENTS = 4096 };

// Row-major arrays of raw elements: bits of the type in the low end.
typedef struct sim_matrix_values {
    uint64_t a[SIM_MATRIX_MAX_ELEMENTS], b[SIM_MATRIX_MAX_ELEMENTS];
    uint64_t c[SIM_MATRIX_MAX_ELEMENTS], d[SIM_MATRIX_MAX_ELEMENTS];
} sim_matrix_values;

// d = a * b + c.
void sim_matrix_multiply(const sim_matrix *matrix, sim_matrix_values *values);

#endif
