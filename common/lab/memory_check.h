// SPDX-License-Identifier: MIT
// Refuses a run that cannot fit before the system kills it. Must not touch CUDA.
#ifndef KL_MEMORY_CHECK_H
#define KL_MEMORY_CHECK_H

#include "device.h"
#include "options.h"
#include "problem.h"

// KL_ERROR_LIMIT, with what is needed, what there is and which size fits, when the plan that these
// options ask for does not fit.
kl_status kl_memory_check(const kl_problem *problem, const kl_options *options,
                          const kl_device *device, kl_error *err);

#endif
