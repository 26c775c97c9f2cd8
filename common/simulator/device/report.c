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
    sim_launch_maps_free(report->maps);
    free(report);
}
