// SPDX-License-Identifier: MIT
// How much of the device a launch keeps at work: the SMs that get a block, waves and their tail,
// and the occupancy that is reached. Follows from a report's sizes and counters.
#ifndef SIM_DEVICE_ACTIVITY_H
#define SIM_DEVICE_ACTIVITY_H

#include "device/report.h"

// Use of the device by one launch.
typedef struct sim_activity {
    uint64_t blocks;   // of the grid
    uint32_t sms_used; // min(blocks, SMs): blocks go to an idle SM first
    double waves;      // blocks / (SMs x resident blocks per SM): launch__waves_per_multiprocessor
    double tail_idle;  // share of the last wave's places that get no block, 0 .. 1
    // Resident warps on average, of the most that an SM can hold, 0 .. 1; NaN: not counted. Over
    // the cycles in which an SM holds any: sm__warps_active.avg.pct_of_peak_sustained_active / 100.
    double achieved;
    // The same over all SMs and the launch's whole time: ..pct_of_peak_sustained_elapsed / 100.
    double achieved_elapsed;
    // Of the cycles in which an SM holds a warp, 0 .. 1, mean of its schedulers: tensor core and
    // special-function unit both work, only the one, only the other; NaN: not counted.
    double tensor_and_xu, tensor_alone, xu_alone;
} sim_activity;

// The figures of a launch. waves and tail_idle are 0 when no block fits on an SM.
sim_activity sim_activity_of(const sim_device *device, const sim_launch_report *report);

// achieved of the sums of several launches.
double sim_achieved_occupancy(const sim_device *device, const sim_counters *counters);

#endif
