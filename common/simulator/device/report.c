// SPDX-License-Identifier: MIT
// Launch reports as data: see report.h.
#include "device/report.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

bool sim_schedule_parse(const char *text, sim_schedule *out_schedule) {
    static const char *const names[] = {"forward", "reverse", "hurried", "alternating"};
    static const char random[] = "random:";
    const char *seed = text + strlen(random);
    for (int kind = SIM_SCHEDULE_FORWARD; kind < SIM_SCHEDULE_RANDOM; kind++)
        if (strcmp(text, names[kind]) == 0) {
            *out_schedule = (sim_schedule){.kind = (sim_schedule_kind)kind};
            return true;
        }
    if (strncmp(text, random, strlen(random)) != 0 || *seed == '\0') return false;
    if (seed[strspn(seed, "0123456789")] != '\0') return false;
    errno = 0;
    *out_schedule = (sim_schedule){SIM_SCHEDULE_RANDOM, strtoull(seed, NULL, 10)};
    return errno == 0; // the judge's seeds have 64 bits
}

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
