// SPDX-License-Identifier: MIT
// How many rows have which length, from shortest, longest, mean and deviation. Private to
// common/topics/sparse.
#ifndef KL_ROW_LAW_H
#define KL_ROW_LAW_H

#include "sparse.h"

// Fills sorted: [items], ascending whole numbers of 0 .. top whose mean and population deviation
// are near those given. Law: p(k) ~ x^a (1 - x)^b with x = (k + offset) / (top + offset + 1/2), a
// beta distribution's discrete relative: for other a and b it is bell-shaped, one-sided, a power
// law with a cut-off, or two-sided. An offset above 1/2 makes the smallest numbers of a power law
// rarer. KL_ERROR_INPUT when no numbers have these moments.
kl_status kl_law_fill(int64_t top, double mean, double stddev, double offset, int64_t items,
                      int32_t *sorted, kl_error *err);

// Like kl_law_fill, and then exactly: the numbers add up to `sum`, the first is 0 and the last
// `top` (when there are two), the deviation as near as single steps get it.
kl_status kl_law_fill_exactly(int64_t top, int64_t sum, double stddev, double offset, int64_t items,
                              int32_t *sorted, kl_error *err);

#endif
