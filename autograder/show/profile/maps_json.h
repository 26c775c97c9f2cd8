// SPDX-License-Identifier: MIT
// Recorded accesses and branches of a launch as JSON.
#ifndef LADDER_PROFILE_MAPS_JSON_H
#define LADDER_PROFILE_MAPS_JSON_H

#include "device/report.h"
#include "json.h"

// Key "maps" of a launch: of each memory instruction sums and two executions with the addresses of
// the lanes (null: off), of each branch that split a warp how often and which lanes, of each bulk
// tensor copy its first box. report->maps must not be NULL.
void ladder_maps_write(kl_json *json, const sim_launch_report *report);

#endif
