// SPDX-License-Identifier: MIT
// Products of small matrices as a tensor core computes them, on plain arrays (PTX ISA, "mma").
//
// Integers: exact, in 32 bits that wrap, or saturate once at the end with .satfinite. Double: one fma
// after the other along k. The rest: products are exact; up to 16 of them and the accumulator are
// aligned to the largest exponent among them, cut to 26 bits there, added exactly, and the sum is cut
// to 24 bits (towards zero); an f16 result is rounded to nearest from that. The number of terms a
// step and the two extra bits are what published measurements give for Hopper; results of a GPU may
// differ in the last bit.
#ifndef SIM_MATRIX_H
#define SIM_MATRIX_H

#include <stdint.h>

#include "ir.h"

enum { SIM_MATRIX_MAX_ELEMENTS = 1024 };

// Row-major arrays of raw elements: bits of the type in the low end.
typedef struct sim_matrix_values {
    uint64_t a[SIM_MATRIX_MAX_ELEMENTS], b[SIM_MATRIX_MAX_ELEMENTS];
    uint64_t c[SIM_MATRIX_MAX_ELEMENTS], d[SIM_MATRIX_MAX_ELEMENTS];
} sim_matrix_values;

// d = a * b + c.
void sim_matrix_multiply(const sim_matrix *matrix, sim_matrix_values *values);

#endif
