// SPDX-License-Identifier: MIT
// The explained closed form: how long a launch would take if only one resource limited it, for each resource;
// the modelled time is the largest of these plus the fixed cost of a kernel. Wrong in detail, right in order,
// and always able to say which bound wins. A pipeline model may later stand beside it behind this header.
#ifndef SIM_TIMING_H
#define SIM_TIMING_H

#include "engine.h"
#include "exec.h"

// Fills time_us, bounds and explanation of `report`, whose config, occupancy and totals are set already.
// `result` holds the raw counts of the functions of `program` that ran.
void sim_timing_model(const sim_device *device, const sim_program *program,
                      const sim_grid_result *result, sim_launch_report *report);

// Cycles that one warp alone would spend in a function, summed over all warps that ran it: every executed
// instruction costs its issue slot and the wait for its operands, as an in-order core with a scoreboard
// would wait (registers become ready after the latency of the unit that writes them).
double sim_timing_serial_cycles(const sim_device *device, const sim_function *function,
                                const sim_raw_counts *counts);

#endif
