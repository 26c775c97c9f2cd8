// Entry points of programs built with --default-stream per-thread (per_thread.def): the
// plain function, with stream 0 meaning the per-thread default stream.
// Some of them are deprecated, and exist all the same.
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
#include "runtime/stream/stream.h"

#define ARGUMENT(type, name) name
#define RUNTIME_PER_THREAD(function, suffix, ...)                                                  \
    cudaError_t function##suffix(RUNTIME_LIST(RUNTIME_PARAMETER, __VA_ARGS__));                    \
    cudaError_t function##suffix(RUNTIME_LIST(RUNTIME_PARAMETER, __VA_ARGS__)) {                   \
        runtime_default_stream_set(true);                                                          \
        cudaError_t status = function(RUNTIME_LIST(ARGUMENT, __VA_ARGS__));                        \
        runtime_default_stream_set(false);                                                         \
        return status;                                                                             \
    }
#include "runtime/abi/per_thread.def"
#undef RUNTIME_PER_THREAD
