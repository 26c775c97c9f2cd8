// SPDX-License-Identifier: MIT
// Where the parts of this kit lie: see kit.h.
#include "utilities/kit.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ladder_config.h"

kl_status ladder_kit_find(ladder_kit *out_kit, kl_error *err) {
    const char *other = getenv("LADDER_KIT");
    TRY(ladder_path(out_kit->source, err, "%s", other ? other : LADDER_SOURCE_DIR));
    if (other) return ladder_path(out_kit->build, err, "%s/build", other);
    char *build = out_kit->build; // this program is <build>/autograder/ladder
    ssize_t length = readlink("/proc/self/exe", build, LADDER_PATH - 1);
    if (length <= 0) return kl_fail(err, KL_ERROR_SYSTEM, "the folder of this program is unknown");
    build[length] = '\0';
    for (int up = 0; up < 2; up++) {
        char *slash = strrchr(build, '/');
        if (slash) *slash = '\0';
    }
    return KL_OK;
}

bool ladder_kit_is_handout(const ladder_kit *kit) {
    char tests[LADDER_PATH];
    return ladder_path(tests, NULL, "%s/autograder/tests", kit->source) == KL_OK &&
           !ladder_file_exists(tests);
}

static kl_status require(const char *path, const char *what, kl_error *err) {
    if (ladder_file_exists(path)) return KL_OK;
    return kl_fail(err, KL_ERROR_SYSTEM,
                   "%s is not built (%s); build the kit again: ./ladder doctor", what, path);
}

kl_status ladder_kit_simulator(const ladder_kit *kit, char *out_folder, kl_error *err) {
    char library[LADDER_PATH];
    TRY(ladder_path(out_folder, err, "%s/common/simulator", kit->build));
    TRY(ladder_path(library, err, "%s/" LADDER_CUDART, out_folder));
    return require(library, "the simulator", err);
}

kl_status ladder_kit_engine(const ladder_kit *kit, char *out, kl_error *err) {
    TRY(ladder_path(out, err, "%s/common/simulator/ladder-engine", kit->build));
    return require(out, "the simulator's engine program", err);
}

kl_status ladder_kit_runner(const ladder_kit *kit, char *out, kl_error *err) {
    TRY(ladder_path(out, err, "%s/autograder/ladder-runner", kit->build));
    return require(out, "the runner", err);
}

kl_status ladder_kit_adapter(const ladder_kit *kit, const char *lab, char *out, kl_error *err) {
    TRY(ladder_path(out, err, "%s/labs/%s/call.so", kit->build, lab));
    return require(out, "the lab's call adapter", err);
}
