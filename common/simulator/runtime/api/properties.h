// SPDX-License-Identifier: MIT
// What the simulated device says about itself, in the structure of a version.
#ifndef SIM_RUNTIME_API_PROPERTIES_H
#define SIM_RUNTIME_API_PROPERTIES_H

#include "runtime/abi/functions.h"

// Fills the cudaDeviceProp of `major` (11, 12 or 13); cudaGetDeviceProperties of all versions.
cudaError_t runtime_device_properties(void *out_properties, int device, int major);

#endif
