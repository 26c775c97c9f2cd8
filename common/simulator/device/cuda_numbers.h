// SPDX-License-Identifier: MIT
// What host and device code of the CUDA runtime answer alike, by the numbers of its enumerations:
// errors (errors.def) and attributes of a device (attributes.def). Needs no header of CUDA.
#ifndef SIM_DEVICE_CUDA_NUMBERS_H
#define SIM_DEVICE_CUDA_NUMBERS_H

#include <stdbool.h>
#include <stddef.h>

#include "device/device.h"

// enum cudaError, as far as kernels meet it.
enum {
#define RUNTIME_ERROR(code, number, words) SIM_##code = number,
#include "device/errors.def"
#undef RUNTIME_ERROR
};

// "cudaErrorInvalidValue", "invalid argument"; of numbers that are no error as the runtime says it.
const char *sim_error_name(int err);
const char *sim_error_text(int err);

// All names and texts one after the other, each with its NUL: what lies in device memory for
// kernels.
size_t sim_error_strings(char *out_text, size_t bytes); // returns the bytes of all
// Where in it the name or the text of an error begins.
size_t sim_error_string_at(int err, bool is_name);

// The value of an attribute of the device; false when there is none of this number.
bool sim_attribute(const sim_device *device, int attribute, int *out_value);

#endif
