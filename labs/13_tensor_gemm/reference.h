// The answer to lab 13 and its error bound, and the comparison with what a step wrote.
#pragma once

#include "problem.h"
#include "tensor_gemm.h"

extern const kl_problem tensor_gemm_problem;

// The inputs of one product.
typedef struct tensor_gemm_check {
    int64_t m, n, k;
    tensor_gemm_type type;
    const void *a, *b;                // [m][k], [n][k], of 16 bits, 8-bit floats of 8
    const float *a_scales, *b_scales; // of 8-bit floats, as in tensor_gemm.h; NULL elsewhere
    uint64_t seed;                    // of the samples and probes of large products
    bool exact;                       // sums are exact in float: nothing but a narrow result errs
    bool a_by_columns;                // a is [k][m]
    bool b_by_rows;                   // b is [k][n]
    bool narrow;                      // d has elements of `type`, of 8-bit floats bfloat16
} tensor_gemm_check;

// The value of an element of A or B, without a scale.
float tensor_gemm_value(tensor_gemm_type type, uint16_t bits);
// The bits of the element next to x; of two that are as near the one whose last bit is 0. |x| is
// below 2^15, of 8-bit floats at most 448.
uint16_t tensor_gemm_bits(tensor_gemm_type type, float x);

// Doubles of the reference answer.
uint64_t tensor_gemm_answer_doubles(int64_t m, int64_t n, int64_t k);
// answer: [tensor_gemm_answer_doubles].
kl_status tensor_gemm_solve(const tensor_gemm_check *check, double *answer, kl_error *err);
// Compares d: [m][n] floats, or elements of `type` where it is narrow; one where it is empty.
void tensor_gemm_compare(const tensor_gemm_check *check, const double *answer, const void *d,
                         kl_verdict *out_verdict);
