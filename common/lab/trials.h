// SPDX-License-Identifier: MIT
// The lab program as a bench for shared objects of the lab's contract, one after the other: `ladder
// tune` sends their names over a descriptor and gets back verdict and time. Inputs and answers are
// made once for all of them.
//
// Lines of text. From this side first
// "device<TAB>kind<TAB>name<TAB>SMs<TAB>capability<TAB>driver<TAB>runtime", and when inputs and
// answers are there "ready". To each request "symbol<TAB>file" belong any number of
// "count<TAB>counter<TAB>value" (simulator only), then
// "trial<TAB>state<TAB>low<TAB>median<TAB>high<TAB>samples<TAB>max_error<TAB>text" with times in
// microseconds, and at last "next", or "over" after an error of the device that no later call can
// be free of: then this side ends. state is ok, wrong, failed (an error of the runtime) or missing
// (cannot be loaded); a NaN is printed as "nan".
#ifndef KL_TRIALS_H
#define KL_TRIALS_H

#include "step_run.h"

// Says which device runs the trials.
kl_status kl_trials_greet(int fd, const kl_device *device, kl_error *err);

// Answers requests until the other side closes the connection. job: without a step; its plan's main
// case is the one.
kl_status kl_trials_serve(int fd, const kl_step_job *job, kl_error *err);

#endif
