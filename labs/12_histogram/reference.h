// Reference answer of lab 12 (reference.c), and the cases' kinds (problem.c).
#pragma once

#include "histogram.h"
#include "problem.h"

// x: [n] values of the kind's type, at a multiple of its size; counts: [histogram_bins(kind)].
void histogram_reference(const void *x, int64_t n, histogram_kind kind, uint32_t *counts);

// Says in a few words what kind of mistake gives `got`, or "" when nothing fits. want, got:
// [histogram_bins(kind)] of n values.
void histogram_explain(const uint32_t *want, const uint32_t *got, int64_t n, histogram_kind kind,
                       char *hint, size_t hint_bytes);

extern const kl_problem histogram_problem;
