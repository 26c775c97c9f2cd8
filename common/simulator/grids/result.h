// SPDX-License-Identifier: MIT
// Beginning and end of a launch: checking its configuration, adding up what workers counted.
// Private to grid.c.
#ifndef SIM_GRIDS_RESULT_H
#define SIM_GRIDS_RESULT_H

#include "grids/executor.h"

void sim_grid_result_clear(sim_grid_result *result);
// Limits of the device; fills the result's fault when the launch must be refused.
sim_status sim_grid_check(const sim_grid *grid, sim_grid_result *result);
void sim_grid_refuse(const sim_grid *grid, sim_grid_result *result, sim_status status,
                     const char *format, ...) __attribute__((format(printf, 4, 5)));
// Adds up counts, footprint, output and faults of all workers, and clears them there.
void sim_grid_collect(sim_executor *executor, sim_grid_result *result);

#endif
