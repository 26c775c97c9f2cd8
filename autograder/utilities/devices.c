// SPDX-License-Identifier: MIT
// The choice of a device: see devices.h.
#include "utilities/devices.h"

#include <stdlib.h>
#include <string.h>

#include "device/device_text.h"
#include "ladder_config.h"
#include "utilities/text.h"

static const char variable[] = "LADDER_SIM_DEVICE";

#define SIM_DEVICE(identifier, ...) "|" #identifier
const char ladder_device_words[] = "auto|sim|gpu"
#include "device/devices.def"
                                   "|FILE";
const char ladder_simulated_words[] = "sim"
#include "device/devices.def"
                                      "|FILE";
#undef SIM_DEVICE

static const char *environment_device(void) {
    const char *id = getenv(variable);
    return id && id[0] != '\0' ? id : NULL;
}

kl_status ladder_device_choose(const char *word, kl_error *err) {
    bool names_device = word && (sim_device_find(word) || sim_device_is_file(word));
    const char *id = names_device ? word : environment_device();
    const sim_device *device;
    kl_error inner = {0};
    if (sim_device_open(id, &device, &inner) != SIM_OK) {
        char plain[KL_ERROR_TEXT];
        ladder_plain(inner.text, false, plain, sizeof plain);
        return kl_fail(err, KL_ERROR_USAGE, "%s: %s", names_device ? "--device" : variable, plain);
    }
    if (!id || setenv(variable, device->id, 1) == 0) return KL_OK;
    return kl_fail(err, KL_ERROR_MEMORY, "no memory for the environment");
}

static const char resident_variable[] = "LADDER_SIM_RESIDENT";
const char ladder_resident_words[] = "all|earlier";

const char *ladder_resident(void) {
    const char *word = getenv(resident_variable);
    return word && strcmp(word, "all") == 0 ? "all" : "earlier";
}

kl_status ladder_resident_choose(const char *word, kl_error *err) {
    const char *given = word ? word : getenv(resident_variable);
    if (given && *given && strcmp(given, "all") != 0 && strcmp(given, "earlier") != 0)
        return kl_fail(err, KL_ERROR_USAGE, "%s: it is %s", resident_variable,
                       ladder_resident_words);
    if (!word || setenv(resident_variable, word, 1) == 0) return KL_OK;
    return kl_fail(err, KL_ERROR_MEMORY, "no memory for the environment");
}

const char *ladder_device_for_program(const char *word) {
    return word && sim_device_is_file(word) ? "sim" : word;
}

bool ladder_device_may_be_gpu(const char *word) {
    return !word ||
           (strcmp(word, "sim") != 0 && !sim_device_find(word) && !sim_device_is_file(word));
}

const sim_device *ladder_device_simulated(void) {
    const sim_device *device = NULL;
    if (sim_device_open(environment_device(), &device, NULL) == SIM_OK) return device;
    return sim_device_find(NULL);
}

bool ladder_device_lacks(const kl_step_info *step, int sm, char *text, size_t text_bytes) {
    const sim_device *device = ladder_device_simulated();
    if (sm == 0) sm = (int)(10 * device->compute_major + device->compute_minor);
    return kl_step_lacks(step, atoi(LADDER_CUDA_VERSION), sm, text, text_bytes);
}
