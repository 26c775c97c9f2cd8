// SPDX-License-Identifier: MIT
// The choice of a device: see devices.h.
#include "kit/devices.h"

#include <stdlib.h>
#include <string.h>

#include "kit/text.h"

static const char variable[] = "LADDER_SIM_DEVICE";

#define SIM_DEVICE(identifier, ...) "|" #identifier
const char ladder_device_words[] = "auto|sim|gpu"
#include "device/devices.def"
    ;
const char ladder_device_help[] = "auto|sim|gpu"
#include "device/devices.def"
                                  " (default: a GPU if any)";
const char ladder_simulated_words[] = "sim"
#include "device/devices.def"
    ;
const char ladder_simulated_help[] = "which card to simulate: sim"
#include "device/devices.def"
    ;
#undef SIM_DEVICE

static const char *environment_device(void) {
    const char *id = getenv(variable);
    return id != NULL && id[0] != '\0' ? id : NULL;
}

kl_status ladder_device_choose(const char *word, kl_error *err) {
    if (word != NULL && sim_device_find(word) != NULL) {
        if (setenv(variable, word, 1) == 0) return KL_OK;
        return kl_fail(err, KL_ERROR_MEMORY, "no memory for the environment");
    }
    const char *id = environment_device();
    if (sim_device_find(id) != NULL) return KL_OK;
    char plain[80];
    ladder_plain(id, false, plain, sizeof plain);
    return kl_fail(err, KL_ERROR_USAGE, "%s=%s: there is no such device, only %s", variable, plain,
                   sim_device_names());
}

bool ladder_device_may_be_gpu(const char *word) {
    return word == NULL || (strcmp(word, "sim") != 0 && sim_device_find(word) == NULL);
}

const sim_device *ladder_device_simulated(void) {
    const sim_device *device = sim_device_find(environment_device());
    return device != NULL ? device : sim_device_find(NULL);
}
