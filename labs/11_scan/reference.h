// Reference answer and error bound of lab 11 (reference.c), and the cases' kinds (problem.c).
#pragma once

#include "problem.h"
#include "scan.h"

// What a case asks for: what kl_problem calls its solution. The sums themselves are computed again
// while an output is compared, which takes less time than to read them back from memory.
typedef struct scan_answer {
    int64_t n;
    scan_type type;
    scan_kind kind;
    bool exact; // floats: no order of additions rounds, so the bound is 0
} scan_answer;

// Sums of the beginning of an array, to be taken on element by element. Zeroed: of no elements.
typedef struct scan_sums {
    uint32_t of_ints;
    double of_floats; // as IEEE says
    double lost;      // what the additions to of_floats have rounded away
    double of_sizes;  // of the absolute values
} scan_sums;

// The sum so far, and the error that is allowed for it.
double scan_value(const scan_answer *answer, const scan_sums *sums);
double scan_bound(const scan_answer *answer, const scan_sums *sums);

// Compares y: [n] with the sums of x: [n]. A NaN is right where the sum is one, unless it is what
// fills memory that nobody has written.
kl_comparison scan_compare(const scan_answer *answer, const void *x, const void *y);

// Says in a few words what kind of mistake gives `got` at element `at`, or "" when nothing fits.
void scan_explain(const scan_answer *answer, const void *x, int64_t at, double want, double got,
                  char *hint, size_t hint_bytes);

extern const kl_problem scan_problem;
