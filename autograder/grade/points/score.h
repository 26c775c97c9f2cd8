// What a step's criteria are worth: from counts of a call on the simulator, and from times on a
// GPU.
#pragma once

#include "grade/judge/judge.h"
#include "grade/points/counts.h"

// One call of the run's step on one case in a fresh engine and runner. The outcome is CORRECT when
// counts were taken; then the call's outputs were right, too.
void ladder_measure_counts(const ladder_submission_run *run, const ladder_case *item,
                           ladder_case_end *out_end, ladder_counts *out_counts);

// Evaluates the criteria of the run's step, whose correctness is decided: fills in its criteria. Of
// a step that is not correct nothing else of the run is looked at.
void ladder_score_step(const ladder_submission_run *run);
