// SPDX-License-Identifier: MIT
// Errors: the last one, and names and texts (CUDA Runtime API reference, "Error Handling").
#include "runtime/base/errors.h"
#include "runtime/state/call.h"
#include "runtime/state/host_findings.h"

cudaError_t cudaGetLastError(void) {
    return runtime_last_error(true);
}

cudaError_t cudaPeekAtLastError(void) {
    return runtime_last_error(false);
}

const char *cudaGetErrorName(cudaError_t error) {
    return runtime_error_name(error);
}

const char *cudaGetErrorString(cudaError_t error) {
    return runtime_error_text(error);
}

// Declared where it is used: unsupported.c cannot include CUDA's types.
void runtime_refused(const char *function, int error);
void runtime_refused(const char *function, int error) {
    bool is_driver = function[0] == 'c' && function[1] == 'u' && function[2] != 'd';
    runtime_enter(RUNTIME_OPEN, "%s()", function); // so that findings have a place to go
    runtime_note_refused(function);
    if (is_driver)
        runtime_leave_driver((cudaError_t)error);
    else
        runtime_leave((cudaError_t)error);
}
