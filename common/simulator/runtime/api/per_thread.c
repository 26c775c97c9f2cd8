// Entry points of programs built with --default-stream per-thread (per_thread.def): the
// plain function, with stream 0 meaning the per-thread default stream.
// Some of them are deprecated, and exist all the same.
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
#include "runtime/stream/stream.h"

cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 gridDim, dim3 blockDim, void **args,
                               size_t sharedMem, cudaStream_t stream);

#define RUNTIME_PER_THREAD(function, suffix, parameters, arguments)                                \
    cudaError_t function##suffix parameters;                                                       \
    cudaError_t function##suffix parameters {                                                      \
        runtime_default_stream_set(true);                                                          \
        cudaError_t status = function arguments;                                                   \
        runtime_default_stream_set(false);                                                         \
        return status;                                                                             \
    }
#include "runtime/api/per_thread.def"
#undef RUNTIME_PER_THREAD
