// SPDX-License-Identifier: MIT
// Launch reports as data: see report.h.
#include "device/report.h"

#include <stdlib.h>

void sim_launch_report_free(sim_launch_report *report) {
    if (!report) return;
    for (uint32_t i = 0; i < report->file_count; i++) free(report->files[i]);
    free(report->files);
    free(report->lines);
    free(report->kernel);
    sim_timeline_free(report->timeline);
    sim_code_free(report->code);
    sim_launch_maps_free(report->maps);
    free(report);
}

bool sim_report_has_sm_time(const sim_launch_report *report) {
    return report->time_us != report->bounded_us;
}

bool sim_report_launch_bound(const sim_launch_report *report, const sim_device *device) {
    return report->time_us - device->kernel_us < device->kernel_us;
}
