// SPDX-License-Identifier: MIT
// Formulas of counted quantities, as a lab's lab.json has them: numbers, + - * / ^, brackets,
// min(a, b), max(a, b), and names of quantities (grade/points/counts.h) such as sim__barriers.sum.
// A name stands for the step that is asked about; NAME@3 for step 3 of the same lab and case,
// NAME@before for the step before it.
#ifndef LADDER_RUBRIC_FORMULA_H
#define LADDER_RUBRIC_FORMULA_H

#include <stdbool.h>

#include "error.h"

enum { LADDER_FORMULA_OWN = -1, LADDER_FORMULA_BEFORE = -2, LADDER_FORMULA_NAME = 96 };

// Value of a quantity in a step (a number, or one of the two above). KL_ERROR_INPUT: no such name.
typedef kl_status ladder_formula_lookup(void *context, const char *name, int step,
                                        double *out_value, kl_error *err);

// KL_ERROR_INPUT shows the place of a mistake. Division by 0 gives what IEEE 754 says.
kl_status ladder_formula_value(const char *text, ladder_formula_lookup *lookup, void *context,
                               double *out_value, kl_error *err);

#endif
