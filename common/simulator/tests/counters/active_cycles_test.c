// SPDX-License-Identifier: MIT
// Protects the schedule behind achieved occupancy, and the sizes beside it: SMs used, waves, tail.
#include <check.h>
#include <math.h>
#include <stdlib.h>

#include "counters/counters.h"
#include "device/report.h"
#include "suite.h"

enum { WARPS = 8, LENGTH = 1000, BLOCKS_MAX = 5000 };

static uint32_t stays[BLOCKS_MAX];

// A launch of blocks of 256 threads, 8 of which an SM holds, whose warps stay LENGTH each.
static sim_launch_report launch(const sim_device *device, uint32_t blocks) {
    sim_launch_report report = {.config = {.grid = {blocks, 1, 1}, .block = {256, 1, 1}},
                                .time_us = 100 + device->kernel_us};
    sim_occupancy_compute(device, 256, 32, 0, &report.occupancy);
    for (uint32_t i = 0; i < blocks; i++) stays[i] = LENGTH;
    return report;
}

static sim_activity activity(const sim_device *device, sim_launch_report *report,
                             uint64_t warps_stay) {
    sim_residence residence = {stays, report->config.grid.x, warps_stay};
    sim_active_cycles(device, &residence, report);
    return sim_activity_of(device, report);
}

START_TEST(one_block_uses_one_sm) {
    const sim_device *device = sim_device_find(NULL);
    sim_launch_report report = launch(device, 1);
    sim_activity a = activity(device, &report, WARPS * LENGTH);
    ck_assert_uint_eq(a.sms_used, 1);
    ck_assert_double_eq_tol(a.waves, 1.0 / (8 * device->sm_count), 1e-12);
    ck_assert_double_eq_tol(a.tail_idle, 1 - a.waves, 1e-12);
    ck_assert_double_eq_tol(a.achieved, 8.0 / 64, 1e-4); // an H200 counts 12.50 %
    ck_assert_double_le(a.achieved_elapsed, a.achieved / device->sm_count);
    double cycles = (double)report.totals.value[SIM_COUNTER_SM_CYCLES_ACTIVE];
    ck_assert_double_eq_tol(cycles, 100.0 * device->clock_mhz, 1);
}
END_TEST

START_TEST(a_full_wave_fills_the_device) {
    const sim_device *device = sim_device_find(NULL);
    uint32_t blocks = 8 * device->sm_count;
    sim_launch_report report = launch(device, blocks);
    sim_activity a = activity(device, &report, (uint64_t)blocks * WARPS * LENGTH);
    ck_assert_uint_eq(a.sms_used, device->sm_count);
    ck_assert_double_eq_tol(a.waves, 1, 1e-12);
    ck_assert_double_eq_tol(a.tail_idle, 0, 1e-12);
    ck_assert_double_eq_tol(a.achieved, 1, 1e-4);
}
END_TEST

// One block more: a second wave of one block, beside which that SM and all others idle.
START_TEST(a_tail_costs_occupancy) {
    const sim_device *device = sim_device_find(NULL);
    uint32_t blocks = 8 * device->sm_count + 1;
    sim_launch_report report = launch(device, blocks);
    sim_activity a = activity(device, &report, (uint64_t)blocks * WARPS * LENGTH);
    ck_assert_double_gt(a.waves, 1);
    ck_assert_double_gt(a.tail_idle, 0.99);
    ck_assert_double_lt(a.achieved_elapsed, 0.52);
    ck_assert_double_gt(a.achieved, a.achieved_elapsed); // over the SMs that still hold a block
}
END_TEST

// Warps that leave a block early leave their places empty until its last warp ends.
START_TEST(early_warps_leave_places_empty) {
    const sim_device *device = sim_device_find(NULL);
    sim_launch_report report = launch(device, 132);
    sim_activity a = activity(device, &report, (uint64_t)132 * (LENGTH + 7 * LENGTH / 2));
    ck_assert_double_eq_tol(a.achieved, 4.5 / 64, 1e-3);
}
END_TEST

// A long block keeps its SM alone: the others are not active any more.
START_TEST(a_long_block_is_alone) {
    const sim_device *device = sim_device_find(NULL);
    sim_launch_report report = launch(device, device->sm_count);
    stays[7] = 100 * LENGTH;
    activity(device, &report, (uint64_t)(device->sm_count + 99) * WARPS * LENGTH);
    double sms =
        (double)report.totals.value[SIM_COUNTER_SM_CYCLES_ACTIVE] / (100.0 * device->clock_mhz);
    ck_assert_double_eq_tol(sms, 1 + 0.01 * (device->sm_count - 1), 0.001);
}
END_TEST

START_TEST(what_was_not_counted_is_not_known) {
    const sim_device *device = sim_device_find(NULL);
    sim_launch_report report = launch(device, 10);
    ck_assert(isnan(sim_activity_of(device, &report).achieved));
    ck_assert_uint_eq(sim_activity_of(device, &report).sms_used, 10);
}
END_TEST

KL_TEST_MAIN("active_cycles", one_block_uses_one_sm, a_full_wave_fills_the_device,
             a_tail_costs_occupancy, early_warps_leave_places_empty, a_long_block_is_alone,
             what_was_not_counted_is_not_known)
