// SPDX-License-Identifier: MIT
// Errors: the last one, and names and texts (CUDA Runtime API reference, "Error Handling").
#include "runtime/base/errors.h"
#include "runtime/state/call.h"

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
void runtime_remember(int error);
void runtime_remember(int error) {
    runtime_last_error_set((cudaError_t)error);
}
