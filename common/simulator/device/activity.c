// SPDX-License-Identifier: MIT
// See activity.h.
#include "device/activity.h"

#include <math.h>

static double warps_over(const sim_device *device, const sim_counters *counters, double sm_cycles) {
    double warps = (double)counters->value[SIM_COUNTER_WARPS_ACTIVE];
    return warps > 0 && sm_cycles > 0 ? warps / (sm_cycles * device->warps_per_sm) : NAN;
}

double sim_achieved_occupancy(const sim_device *device, const sim_counters *counters) {
    return warps_over(device, counters, (double)counters->value[SIM_COUNTER_SM_CYCLES_ACTIVE]);
}

// Cycles by a counter as a share of those in which SMs are active.
static double share_active(const sim_launch_report *report, sim_counter cycles) {
    double active = (double)report->totals.value[SIM_COUNTER_SM_CYCLES_ACTIVE];
    return active > 0 ? (double)report->totals.value[cycles] / active : NAN;
}

sim_activity sim_activity_of(const sim_device *device, const sim_launch_report *report) {
    const sim_dim3 *grid = &report->config.grid;
    uint64_t blocks = (uint64_t)grid->x * grid->y * grid->z;
    uint64_t places = (uint64_t)device->sm_count * report->occupancy.blocks_per_sm;
    double elapsed = (double)report->totals.value[SIM_COUNTER_CYCLES_ELAPSED] * device->sm_count;
    sim_activity activity = {
        .blocks = blocks,
        .sms_used = blocks < device->sm_count ? (uint32_t)blocks : device->sm_count,
        .achieved = sim_achieved_occupancy(device, &report->totals),
        .achieved_elapsed = warps_over(device, &report->totals, elapsed),
        .tensor_and_xu = share_active(report, SIM_COUNTER_TENSOR_AND_XU),
        .tensor_alone = share_active(report, SIM_COUNTER_TENSOR_ALONE),
        .xu_alone = share_active(report, SIM_COUNTER_XU_ALONE),
    };
    if (places == 0) return activity;
    activity.waves = (double)blocks / (double)places;
    activity.tail_idle = ceil(activity.waves) - activity.waves;
    return activity;
}
