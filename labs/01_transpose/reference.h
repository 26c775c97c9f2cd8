// SPDX-License-Identifier: MIT
// Comparison of a transposed matrix with its input (reference.c), and the cases' kinds (problem.c).
#ifndef TRANSPOSE_REFERENCE_H
#define TRANSPOSE_REFERENCE_H

#include <stdint.h>

#include "problem.h"

// What became of a matrix: in[rows][cols] and what should be its transposed or copied form.
typedef struct transpose_check {
    const uint32_t *in;  // [rows][cols]
    const uint32_t *out; // [cols][rows], of a copy [rows][cols]
    int64_t rows, cols;
    bool is_copy;
} transpose_check;

// Compares every element, bit by bit: nothing is computed, so nothing may differ.
void transpose_compare(const transpose_check *check, kl_verdict *out_verdict);

extern const kl_problem transpose_problem;

#endif
