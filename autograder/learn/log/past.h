// SPDX-License-Identifier: MIT
// What the last runs of a student's step gave (common/host/past_runs.h), for every device and size.
#ifndef LADDER_LOG_PAST_H
#define LADDER_LOG_PAST_H

#include "grade/rubric/lab_files.h"

enum { LADDER_PAST_MAX = 256, LADDER_PAST_COUNTS = 4096 };

// One run.
typedef struct ladder_past {
    char device[200];                // "sim NVIDIA H100 80GB HBM3 (simulated)", "gpu ..."
    int step;                        // its number
    char family[64];                 // of the case: what its inputs are like
    int64_t size;                    // of the case
    bool now;                        // of the step's file as it is; false: of an older version
    double time_us;                  // measured, or modelled on the simulator
    char counts[LADDER_PAST_COUNTS]; // "NAME=VALUE\tNAME=VALUE": of the simulator
} ladder_past;

// The student's runs of this lab, the newest first; *out_list: [*out_count], caller frees. No file:
// none.
kl_status ladder_past_read(const ladder_kit *kit, const ladder_lab *lab, ladder_past **out_list,
                           int *out_count, kl_error *err);

// Sum of these counters (names, blanks between them); NaN when the run was not counted.
double ladder_past_sum(const ladder_past *run, const char *counters);

#endif
