// SPDX-License-Identifier: MIT
// Names and texts of cudaError_t (device/errors.def).
#ifndef SIM_RUNTIME_BASE_ERRORS_H
#define SIM_RUNTIME_BASE_ERRORS_H

#include "runtime/abi/functions.h"
// Of an error that there is not: "unrecognized error code", as the real runtime says.
const char *runtime_error_name(cudaError_t error);
const char *runtime_error_text(cudaError_t error);

#endif
