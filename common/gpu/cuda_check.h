// Checking of CUDA runtime calls, for C and CUDA C: what failed, where, the runtime's words and
// what they mean. CUDA_CHECK prints and returns the error to the caller; KL_CUDA fills an error
// record instead.
#pragma once

#include "error.h"
#include <cuda_runtime_api.h>

// One sentence on what an error means, or "" when none is known.
static inline const char *kl_cuda_hint(cudaError_t code) {
    switch (code) {
    case cudaErrorInvalidConfiguration:
        return "a grid or block dimension is 0 or above the limit (1024 threads per block)";
    case cudaErrorInvalidValue:
        return "an argument is out of range, e.g. more than 1024 threads per block, a size, a "
               "pointer or a copy direction";
    case cudaErrorMemoryAllocation: return "the device has not enough free memory";
    case cudaErrorIllegalAddress: return "a kernel read or wrote outside its arrays";
    case cudaErrorMisalignedAddress:
        return "a wide load or store needs an address that is a multiple of its width";
    case cudaErrorLaunchOutOfResources:
        return "the kernel needs more registers or shared memory than a block may have";
    case cudaErrorLaunchTimeout: return "the kernel ran too long";
    case cudaErrorNoKernelImageForDevice:
    case cudaErrorInvalidDeviceFunction:
        return "the program was built for another architecture than this GPU's";
    case cudaErrorNoDevice:
    case cudaErrorInsufficientDriver: return "no usable GPU or driver; use --device sim";
    default: return "";
    }
}

static inline kl_status kl_cuda_fail(kl_error *err, cudaError_t code, const char *file, int line,
                                     const char *call) {
    const char *hint = kl_cuda_hint(code);
    const char *slash = strrchr(file, '/');
    return kl_fail(err, KL_ERROR_CUDA, "%s: %s%s%s (%s, %s:%d)", cudaGetErrorName(code),
                   cudaGetErrorString(code), hint[0] != '\0' ? "; hint: " : "", hint, call,
                   slash ? slash + 1 : file, line);
}

// Inside a function that returns kl_status and has an error record.
#define KL_CUDA(err, call)                                                                         \
    do {                                                                                           \
        cudaError_t cuda_code_ = (call);                                                           \
        if (cuda_code_ != cudaSuccess) {                                                           \
            return kl_cuda_fail((err), cuda_code_, __FILE__, __LINE__, #call);                     \
        }                                                                                          \
    } while (0)

// Inside a function that returns a cudaError_t as int, e.g. the host part of a lab's step.
#define CUDA_CHECK(call)                                                                           \
    do {                                                                                           \
        cudaError_t cuda_code_ = (call);                                                           \
        if (cuda_code_ != cudaSuccess) {                                                           \
            kl_error cuda_err_ = {KL_OK, ""};                                                      \
            kl_cuda_fail(&cuda_err_, cuda_code_, __FILE__, __LINE__, #call);                       \
            fprintf(stderr, "%s\n", cuda_err_.text);                                               \
            return (int)cuda_code_;                                                                \
        }                                                                                          \
    } while (0)

// After a <<< >>> launch, which returns nothing itself.
#define CUDA_CHECK_LAUNCH() CUDA_CHECK(cudaGetLastError())
