// SPDX-License-Identifier: MIT
// Reference answers of lab 00 (reference.c) for its problem and its tests.
#ifndef FIRST_KERNEL_REFERENCE_H
#define FIRST_KERNEL_REFERENCE_H

#include "first_kernel.h"
#include "problem.h"

// Each fills out_value and out_bound, [n] doubles: the answer and the error that is allowed.
void first_kernel_reference_scale(const float *x, int64_t n, float a, double *out_value,
                                  double *out_bound);
void first_kernel_reference_difference(const float *x, int64_t n, double *out_value,
                                       double *out_bound);
void first_kernel_reference_polynomial(const float *x, int64_t n, const double *coefs,
                                       double *out_value, double *out_bound);
void first_kernel_reference_lookup(const uint8_t *index, int64_t n, const float *table,
                                   double *out_value, double *out_bound);
void first_kernel_reference_paths(const float *x, int64_t n, int rounds, double *out_value,
                                  double *out_bound);

// The bug hunts of steps 13 to 16; task: of first_kernel.h. n elements, of which no result has an
// error: sums and x + 2 are of whole numbers.
void first_kernel_reference_map(int task, const float *x, int64_t n, double *out_value,
                                double *out_bound);

extern const kl_problem first_kernel_problem;

#endif
