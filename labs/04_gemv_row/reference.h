// Reference answer and error bound of lab 04 (reference.c), and the cases' kinds (problem.c).
#pragma once

#include "problem.h"

// a: [m][n] row-major; x: [n]; y, bound: [m], of which |got - y| <= bound is right.
void gemv_row_reference(const float *a, const float *x, int64_t m, int64_t n, double *y,
                        double *bound);

extern const kl_problem gemv_row_problem;
