// SPDX-License-Identifier: MIT
// Query programs: see plan.h.
#include "grade/judge/plan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/device_text.h"
#include "utilities/kit.h"
#include "sandbox/process/process.h"

enum { OUTPUT_MAX = 4 << 20 };

kl_status ladder_query_run(const ladder_kit *kit, const ladder_lab *lab, bool gpu, char **out_text,
                           kl_error *err) {
    char program[LADDER_PATH], simulator[LADDER_PATH], library[LADDER_PATH + 32], visible[256];
    char device[SIM_DEVICE_TEXT + 32];
    *out_text = NULL;
    TRY(ladder_path(program, err, "%s/labs/%s/query", kit->build, lab->folder));
    TRY(ladder_kit_simulator(kit, simulator, err));
    snprintf(library, sizeof library, "LD_LIBRARY_PATH=%s", simulator);
    const char *argv[] = {program, NULL};
    snprintf(device, sizeof device, "LADDER_SIM_DEVICE=%s", ladder_device_simulated()->id);
    const char *environment[5] = {"PATH=/usr/bin:/bin", "LC_ALL=C"};
    const char *devices = getenv("CUDA_VISIBLE_DEVICES");
    if (!gpu) {
        environment[2] = library;
        environment[3] = device;
    } else if (devices) {
        snprintf(visible, sizeof visible, "CUDA_VISIBLE_DEVICES=%s", devices);
        environment[2] = visible;
    }
    ladder_process_spec spec = {.argv = argv,
                                .environment = environment,
                                .limits = {.wall_s = 120, .output_bytes = OUTPUT_MAX}};
    ladder_process process;
    TRY(ladder_process_run(&spec, &process, err));
    char how[160];
    kl_status status = KL_OK;
    if (process.end != LADDER_END_EXITED || process.code != 0) {
        status = kl_fail(err, KL_ERROR_SYSTEM, "%.200s: %s: %.200s", program,
                         ladder_process_describe(&process, how, sizeof how), process.output);
    } else if (!(*out_text = strdup(process.output))) {
        status = kl_fail(err, KL_ERROR_MEMORY, "no memory for the query's answers");
    }
    ladder_process_free(&process);
    return status;
}
