// SPDX-License-Identifier: MIT
// A case whose step is a function of host memory (kl_case.host): the same call as on a device, with
// buffers of the process. Must not touch CUDA.
#ifndef KL_HOST_CASE_H
#define KL_HOST_CASE_H

#include "step_run.h"

// Calls the step on copies of the inputs, with poisoned outputs, and has the problem judge them.
// Fills in result->state and verdict; KL_ERROR_CUDA when the step returned an error.
kl_status kl_host_case_run(const kl_step_job *job, const kl_prepared *p, kl_case_result *result,
                           kl_error *err);

#endif
