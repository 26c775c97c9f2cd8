// SPDX-License-Identifier: MIT
// Cycles in which SMs hold warps, and how many: the counters behind achieved occupancy. The rule:
// blocks go to SMs in their order, first one to each SM, then a second one, as many as are resident
// at once (theoretical occupancy), then each to the place that is free first. A block keeps its
// place as long as its longest stay (record/residence.h) takes; the last block's end is the end of
// the modelled time. A block that follows another has warps for a share of its time.
#ifndef SIM_COUNTERS_ACTIVE_CYCLES_H
#define SIM_COUNTERS_ACTIVE_CYCLES_H

#include "device/report.h"
#include "grids/grids.h"

// Fills SIM_COUNTER_SM_CYCLES_ACTIVE, _WARPS_ACTIVE and _CYCLES_ELAPSED of `report`, whose config,
// occupancy and time are set already. Leaves the first two at 0 when memory is short.
void sim_active_cycles(const sim_device *device, const sim_residence *residence,
                       sim_launch_report *report);

#endif
