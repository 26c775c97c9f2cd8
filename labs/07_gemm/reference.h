// SPDX-License-Identifier: MIT
// The readable answer to lab 07 and the comparison with it (reference.c), and the problem
// (problem.c).
#ifndef GEMM_REFERENCE_H
#define GEMM_REFERENCE_H

#include <stdint.h>

#include "problem.h"

// A product and what is needed to judge it.
typedef struct gemm_check {
    int64_t m, n, k;
    const float *a; // [k][m]
    const float *b; // [n][k]
    float alpha, beta;
    const float *d; // [n][m], or NULL when beta is 0
    bool exact;     // integers whose sums all fit a float: the bound is 0
    uint64_t seed;  // of the samples and the probes of large products
} gemm_check;

// Doubles of the opaque answer.
uint64_t gemm_answer_doubles(int64_t m, int64_t n, int64_t k);

// Fills `answer`: [gemm_answer_doubles()].
kl_status gemm_solve(const gemm_check *check, double *answer, kl_error *err);

// c: [n][m], what a step wrote.
void gemm_compare(const gemm_check *check, const double *answer, const float *c,
                  kl_verdict *out_verdict);

extern const kl_problem gemm_problem;

#endif
