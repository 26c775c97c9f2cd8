// SPDX-License-Identifier: MIT
// What grading one submission costs, from what was measured before.
#ifndef LADDER_SLURM_COST_H
#define LADDER_SLURM_COST_H

#include "grade/rubric/lab_files.h"

typedef struct ladder_slurm_cost {
    double seconds;   // per submission, on the clock
    char source[160]; // where the figure comes from: "mean of 12 that were graded into results"
} ladder_slurm_cost;

// The mean of what lies in `output` from an earlier run of this class; else what the kit's solution
// took here, for which it is graded now if nobody has done so (10 to 80 s).
kl_status ladder_slurm_cost_find(const ladder_kit *kit, const ladder_lab *lab, const char *output,
                                 ladder_slurm_cost *out_cost, kl_error *err);

#endif
