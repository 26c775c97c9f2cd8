// Reference answer and error bound of lab 06 (reference.c), and the cases' kinds (problem.c).
#pragma once

#include "problem.h"
#include "softmax.h"

// What the reference knows of a row; its elements' results follow from this.
typedef struct softmax_row_answer {
    double most;  // largest element
    double sum;   // of exp(x - most); NaN: the whole row is NaN
    double error; // allowed relative error of a computed sum
} softmax_row_answer;

// Rows of this case that are compared element by element: all of a small one. Of the others the
// results' sum is looked at.
int64_t softmax_compared_rows(int64_t rows, int64_t columns);

// x: [rows][columns]; out_answers: [softmax_compared_rows].
void softmax_reference(const float *x, int64_t rows, int64_t columns,
                       softmax_row_answer *out_answers);

// got: [rows][columns] against answers: [softmax_compared_rows].
void softmax_compare(const float *x, int64_t rows, int64_t columns,
                     const softmax_row_answer *answers, const float *got, kl_verdict *out_verdict);

extern const kl_problem softmax_problem;
