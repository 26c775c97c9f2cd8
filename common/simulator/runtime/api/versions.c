// The functions of versions.def, compiled once for each version (RUNTIME_MAJOR).
#include "runtime/abi/interface.h"
#include "runtime/api/api.h"
#include "runtime/stream/stream.h"

cudaError_t runtime_exec_update(cudaGraphExec_t exec, cudaGraph_t graph,
                                cudaGraphExecUpdateResultInfo *result); // graph/exec.c

// memory/batch.c
cudaError_t runtime_copy_batch(void *const *dsts, const void *const *srcs, const size_t *sizes,
                               size_t count, const struct cudaMemcpyAttributes *attrs,
                               const size_t *attrsIdxs, size_t numAttrs, cudaStream_t stream);
cudaError_t runtime_copy_boxes(size_t numOps, const struct cudaMemcpy3DBatchOp *opList,
                               unsigned long long flags, cudaStream_t stream);

#if RUNTIME_MAJOR < 13

// As cudaLaunchCooperativeKernelMultiDevice takes it, one per device.
typedef struct runtime_device_launch {
    void *function;
    dim3 grid, block;
    void **arguments;
    size_t shared_bytes;
    cudaStream_t stream;
} runtime_device_launch;

// A device by its number, or the host.
static struct cudaMemLocation runtime_location(int device) {
    bool is_host = device == cudaCpuDeviceId;
    return (struct cudaMemLocation){.type = is_host ? cudaMemLocationTypeHost
                                                    : cudaMemLocationTypeDevice,
                                    .id = is_host ? 0 : device};
}

#endif
#if RUNTIME_MAJOR == 11

static cudaError_t runtime_entry_point(const char *name, void **out, unsigned long long flags) {
    enum cudaDriverEntryPointQueryResult result = cudaDriverEntryPointSuccess;
    cudaError_t status = cudaGetDriverEntryPointByVersion(
        name, out, (unsigned)runtime_interface.version, flags, &result);
    return !status && result != cudaDriverEntryPointSuccess ? cudaErrorSymbolNotFound : status;
}

#endif

#define DEFINE(function, parameters, ...)                                                          \
    cudaError_t function parameters;                                                               \
    cudaError_t function parameters { __VA_ARGS__ }
#define DEFINE_STREAM(function, parameters, arguments, ...)                                        \
    DEFINE(function, parameters, __VA_ARGS__)                                                      \
    DEFINE(function##_ptsz, parameters, runtime_default_stream_set(true);                          \
           cudaError_t status_of_call = function arguments; runtime_default_stream_set(false);     \
           return status_of_call;)
#define NOTHING(...)

#if RUNTIME_MAJOR == 11
#define RUNTIME_IN_11           DEFINE
#define RUNTIME_IN_11_STREAM    DEFINE_STREAM
#define RUNTIME_IN_11_12        DEFINE
#define RUNTIME_IN_11_12_STREAM DEFINE_STREAM
#define RUNTIME_IN_12           NOTHING
#define RUNTIME_IN_12_STREAM    NOTHING
#define RUNTIME_IN_12_13        NOTHING
#define RUNTIME_IN_12_13_STREAM NOTHING
#define RUNTIME_IN_13           NOTHING
#define RUNTIME_IN_13_STREAM    NOTHING
#elif RUNTIME_MAJOR == 12
#define RUNTIME_IN_11           NOTHING
#define RUNTIME_IN_11_STREAM    NOTHING
#define RUNTIME_IN_11_12        DEFINE
#define RUNTIME_IN_11_12_STREAM DEFINE_STREAM
#define RUNTIME_IN_12           DEFINE
#define RUNTIME_IN_12_STREAM    DEFINE_STREAM
#define RUNTIME_IN_12_13        DEFINE
#define RUNTIME_IN_12_13_STREAM DEFINE_STREAM
#define RUNTIME_IN_13           NOTHING
#define RUNTIME_IN_13_STREAM    NOTHING
#else
#define RUNTIME_IN_11           NOTHING
#define RUNTIME_IN_11_STREAM    NOTHING
#define RUNTIME_IN_11_12        NOTHING
#define RUNTIME_IN_11_12_STREAM NOTHING
#define RUNTIME_IN_12           NOTHING
#define RUNTIME_IN_12_STREAM    NOTHING
#define RUNTIME_IN_12_13        DEFINE
#define RUNTIME_IN_12_13_STREAM DEFINE_STREAM
#define RUNTIME_IN_13           DEFINE
#define RUNTIME_IN_13_STREAM    DEFINE_STREAM
#endif
#include "runtime/api/versions.def"
