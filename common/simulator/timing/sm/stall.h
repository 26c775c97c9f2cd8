// SPDX-License-Identifier: MIT
// Why a warp waits, for a timeline (device/counters.h).
#ifndef SIM_TIMING_SM_STALL_H
#define SIM_TIMING_SM_STALL_H

#include "device/counters.h"
#include "timing/sm/warp_trace.h"

// What an operation waits for that waits for its operands: where the last one of these comes from.
sim_warp_phase stall_of_operands(const sm_warp *w, const issue_op *op);
// What it waits for when its operands are there.
sim_warp_phase stall_of_unit(const issue_op *op);
// Notes what waits for its results, before they are known to come at `cycle`.
void stall_of_results(sm_warp *w, const issue_op *op, double cycle);

#endif
