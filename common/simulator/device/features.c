// SPDX-License-Identifier: MIT
// See device.h.
#include "device/device.h"

static const struct {
    uint32_t major, minor;
    const char *what;
} rows[] = {
#define SIM_FEATURE(id, major, minor, what) {major, minor, what},
#include "device/features.def"
#undef SIM_FEATURE
};

_Static_assert(SIM_FEATURE_COUNT <= 32, "a bit for each feature");

static bool is_before(const sim_device *device, uint32_t major, uint32_t minor) {
    return device->compute_major < major ||
           (device->compute_major == major && device->compute_minor < minor);
}

uint32_t sim_device_lacks(const sim_device *device, uint32_t features) {
    uint32_t lacking = 0;
    for (uint32_t i = 0; i < SIM_FEATURE_COUNT; i++)
        if (features >> i & 1 && is_before(device, rows[i].major, rows[i].minor))
            lacking |= UINT32_C(1) << i;
    return lacking;
}

const char *sim_feature_text(sim_feature feature, uint32_t *out_major, uint32_t *out_minor) {
    *out_major = rows[feature].major;
    *out_minor = rows[feature].minor;
    return rows[feature].what;
}

bool sim_device_has_clusters(const sim_device *device) {
    return !is_before(device, 9, 0);
}

bool sim_device_is_foreign(const sim_device *device) {
    return device->compute_major != SIM_COMPILED_MAJOR ||
           device->compute_minor != SIM_COMPILED_MINOR;
}

bool sim_device_has_sm_model(const sim_device *device) {
    return !sim_device_is_foreign(device) && device->l1_caches_global && device->l2_gbs > 0 &&
           device->l1_and_shared_bytes > 0;
}

const char *sim_device_registers_origin(const sim_device *device) {
    if (!sim_device_is_foreign(device) || device->kernel_registers) return "";
    return "; they are those of machine code for compute capability 9.0: a file for --device may "
           "set kernel_registers";
}
