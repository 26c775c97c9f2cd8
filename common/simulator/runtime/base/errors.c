// SPDX-License-Identifier: MIT
// Names and texts of cudaError_t, from device/errors.def. Pure tables: works without a device.
#include "runtime/base/errors.h"

#include <stddef.h>

#include "device/cuda_numbers.h"

#define RUNTIME_ERROR(code, number, words) _Static_assert((int)(code) == (number), #code);
#include "device/errors.def"
#undef RUNTIME_ERROR

const char *runtime_error_name(cudaError_t error) {
    return sim_error_name((int)error);
}

const char *runtime_error_text(cudaError_t error) {
    return sim_error_text((int)error);
}
