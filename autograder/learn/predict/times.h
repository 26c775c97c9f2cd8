// SPDX-License-Identifier: MIT
// Modelled times of the student's last runs, which the lab's program keeps
// (common/lab/past_runs.h): what a run has taken minutes to simulate need not be simulated again
// for a prediction.
#ifndef LADDER_PREDICT_TIMES_H
#define LADDER_PREDICT_TIMES_H

#include "grade/rubric/lab_files.h"

// Microseconds of a step of the student's on a case, on the simulator's first device; NaN when it
// was not run there since its file changed.
double ladder_past_time_us(const ladder_kit *kit, const ladder_lab *lab, int step,
                           const char *family, int64_t size);

#endif
