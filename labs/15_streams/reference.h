// The readable answers to lab 15 (reference.c) and the problem (problem.c).
#pragma once

#include <stdint.h>

#include "problem.h"

// Error that is allowed for each element of y: see reference.c for their derivation.
double streams_filter_bound(void);
double streams_ring_bound(int64_t rounds);

// x: [n][STREAMS_CHANNELS]. value: [n][STREAMS_CHANNELS].
void streams_reference_filter(const float *x, int64_t n, double *value);
// x: [STREAMS_TABLE], whole numbers below STREAMS_TABLE. value: [n + STREAMS_QUESTIONS], exact.
void streams_reference_survey(const float *x, int64_t n, double *value);
// x: [n]. value: [STREAMS_FIELD].
void streams_reference_ring(const float *x, int64_t n, double *value);

extern const kl_problem streams_problem;
