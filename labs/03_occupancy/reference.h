// Reference answers of lab 03 (reference.c) for its problem and its tests.
#pragma once

#include "occupancy.h"
#include "problem.h"

typedef struct occupancy_count {
    int blocks, warps;
    int by_warps, by_registers, by_shared; // blocks that each resource alone would allow
} occupancy_count;

occupancy_count occupancy_reference(const occupancy_config *config);
int occupancy_reference_hiding(const occupancy_latency *c);

// x: [rounds][columns]; out_value, out_bound: [columns], the exact fold and the allowed error.
void occupancy_reference_fold(const float *x, int64_t columns, int rounds, double a,
                              double *out_value, double *out_bound);

extern const kl_problem occupancy_problem;
