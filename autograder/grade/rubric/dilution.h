// SPDX-License-Identifier: MIT
// Counts that a submission can lower without doing better, which no rubric may have alone:
// - a ratio (sectors per request): good accesses beside the bad ones lower it;
// - a count of one way of reading or writing (load requests): it is 0 for what reads by atomics;
// - a least amount (asynchronous copies): accesses that nobody needs raise it.
// Each needs, in the same criterion and of the same case, an upper bound per call or per element on
// the counter of all ways (ways.def).
#ifndef LADDER_RUBRIC_DILUTION_H
#define LADDER_RUBRIC_DILUTION_H

#include "grade/rubric/rubric.h"

// Bounds of a count: the criterion's own, then those of its "with".
int ladder_bound_count(const ladder_criterion *criterion);
// index: from 0. Of the criterion's own case the family is "".
ladder_bound ladder_bound_at(const ladder_criterion *criterion, int index);

// Whether what it divides by is the submission's choice: a counter, blocks, launches.
bool ladder_bound_is_ratio(const ladder_bound *bound);
// Whether it limits an amount per call or element from above.
bool ladder_bound_limits(const ladder_bound *bound);
// Whether it is of a counter that accesses in another form raise as much (warp instructions).
bool ladder_bound_sees_every_way(const ladder_bound *bound);
// The counter of all ways; NULL: the name has none.
const char *ladder_way_all(const char *counter);

// KL_ERROR_INPUT names the step, the count and the bound that it needs.
kl_status ladder_rubric_check_dilution(const ladder_criterion *criterion, int step, kl_error *err);

#endif
