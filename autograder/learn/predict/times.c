// SPDX-License-Identifier: MIT
// Modelled times of the student's last runs: see times.h. A line of the file: kind and name of the
// device, "yours", step, case, size, hash of the step's file, microseconds, and more.
#include "learn/predict/times.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/device.h"
#include "step_text.h"

double ladder_past_time_us(const ladder_kit *kit, const ladder_lab *lab, int step,
                           const char *family, int64_t size) {
    char path[LADDER_PATH], source[LADDER_PATH], key[512], *line = NULL;
    size_t capacity = 0;
    double time_us = NAN;
    const kl_step_info *info = kl_problem_step(lab->problem, step);
    const char *chosen = getenv("LADDER_SIM_DEVICE");
    const sim_device *device = sim_device_find(chosen ? chosen : "h100");
    if (!info || !device || ladder_kit_step_file(kit, lab, info, false, source, NULL) != KL_OK ||
        ladder_path(path, NULL, "%s/labs/%s/past_runs.txt", kit->build, lab->folder) != KL_OK)
        return NAN;
    snprintf(key, sizeof key, "sim %s (simulated)\tyours\t%d\t%s\t%" PRId64 "\t%" PRIx64 "\t",
             device->name, step, family, size, kl_step_file_hash(source));
    FILE *in = fopen(path, "r");
    while (in && isnan(time_us) && getline(&line, &capacity, in) > 0)
        if (strncmp(line, key, strlen(key)) == 0) time_us = strtod(line + strlen(key), NULL);
    free(line);
    if (in) fclose(in);
    return time_us > 0 ? time_us : NAN;
}
