// SPDX-License-Identifier: MIT
// Making a timeline (device/timeline.h) of a launch whose ways were recorded (warps/path.h).
#ifndef SIM_TIMING_BOUNDS_TIMELINE_PLAY_H
#define SIM_TIMING_BOUNDS_TIMELINE_PLAY_H

#include "counters/cache_model.h"
#include "device/report.h"
#include "grids/grids.h"
#include "warps/path.h"

// For recording the blocks of one SM, a few times as many as it can hold at once, so that a
// timeline need not end early. NULL without memory or for an empty grid.
sim_paths *sim_timeline_paths(const sim_device *device, const sim_launch_config *config);

// report: config, occupancy, totals, bounds of the launch. NULL without memory or when nothing ran.
sim_timeline *sim_timeline_play(const sim_device *device, const sim_program *program,
                                const sim_grid_result *result, const sim_cache_result *cache,
                                const sim_launch_report *report, const sim_paths *paths);

#endif
