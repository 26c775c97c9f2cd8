// SPDX-License-Identifier: MIT
// What cards have from some compute capability on (features.def).
#ifndef SIM_DEVICE_FEATURES_H
#define SIM_DEVICE_FEATURES_H

#include "device/device.h"

// The rows of features.def, in their order.
typedef enum sim_feature {
#define SIM_FEATURE(id, major, minor, what) SIM_FEATURE_##id,
#include "device/features.def"
#undef SIM_FEATURE
    SIM_FEATURE_COUNT
} sim_feature;

// Of the features whose bits (1 << sim_feature) are set, those that the device lacks.
uint32_t sim_device_lacks(const sim_device *device, uint32_t features);

// "warp shuffles" and the compute capability from which on they are there.
const char *sim_feature_text(sim_feature feature, uint32_t *out_major, uint32_t *out_minor);

// Whether thread blocks form clusters on this device: from compute capability 9.0 on.
bool sim_device_has_clusters(const sim_device *device);

// Compute capability that kernels are compiled for. Machine code, and with it registers, merged
// accesses and spills, is that of this one, whatever is simulated.
enum { SIM_COMPILED_MAJOR = 9, SIM_COMPILED_MINOR = 0 };

// Whether the device is of another one.
bool sim_device_is_foreign(const sim_device *device);

// Whether times of launches are the cycle-level model's (timing/sm): on compute capability 9.0, for
// which there is machine code and whose latencies were measured, on an H200. Else they are the
// analytical model's.
bool sim_device_has_sm_model(const sim_device *device);

// What to add to a message about too many registers: "" where they are the device's own.
const char *sim_device_registers_origin(const sim_device *device);

#endif
