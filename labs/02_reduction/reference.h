// Reference answer and error bound of lab 02 (reference.c), and the cases' kinds (problem.c).
#pragma once

#include "problem.h"
#include "reduction.h"

// The reference answer of a case: what kl_problem calls its solution.
typedef struct reduction_answer {
    double value; // the exact result, rounded to double
    double bound; // allowed |got - value|
} reduction_answer;

// x: [n] float. exact: the data are such that every partial sum is a float, so the bound is 0.
reduction_answer reduction_reference(const float *x, int64_t n, reduction_op op, bool exact);

// Says in a few words what kind of mistake gives `got`, or "" when nothing fits.
void reduction_explain(const float *x, int64_t n, reduction_op op, double want, double got,
                       char *hint, size_t hint_bytes);

extern const kl_problem reduction_problem;
