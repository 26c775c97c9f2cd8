// The readable answers to lab 16 (reference.c) and the problem (problem.c).
#pragma once

#include <stdint.h>

#include "problem.h"

// Error that is allowed for each element of y: see reference.c for their derivation.
double two_gpus_grid_bound(void);
double two_gpus_sum_bound(void);

// x: [n][n]. value: [2][n][n], of which the first grid is the answer.
void two_gpus_reference_grid(const float *x, int64_t n, double *value);
// x: [n]. value: [2][n].
void two_gpus_reference_sum(const float *x, int64_t n, double *value);

extern const kl_problem two_gpus_problem;
