// SPDX-License-Identifier: MIT
// Pictures of a page about a grade (SVG, base/paper.h): the ladder of points and that of modelled
// times of one submission, beside the class and the kit's solution.
#ifndef LADDER_REPORT_FIGURES_H
#define LADDER_REPORT_FIGURES_H

#include "show/report/report.h"

// The case that criteria of most steps count, so that times of steps can be compared. False: no two
// steps share one.
bool ladder_common_case(const ladder_lab *lab, const char **out_family, int64_t *out_size);

// Modelled time of a step's call on that case; NaN: it was not counted.
double ladder_common_us(const ladder_lab *lab, const ladder_step_result *step);

// Measured time of a step's call on the case that most criteria of speed have (of several such
// cases, that of the later steps); NaN: the step was not timed on it.
double ladder_timed_us(const ladder_lab *lab, const ladder_step_result *step);

// Share of each step's points: the submission's (result NULL: nobody's), and the class's quartiles
// where they are known.
void ladder_draw_points(const ladder_lab *lab, const ladder_result *result,
                        const ladder_distribution *class, FILE *out);

// Modelled times of the common case by step. False, and nothing is drawn, where fewer than two are
// known.
bool ladder_draw_times(const ladder_lab *lab, const ladder_result *result,
                       const ladder_distribution *class, FILE *out);

#endif
