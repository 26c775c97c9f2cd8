// Kernel launches: the launch ABI of nvcc's stubs and the launch functions of the runtime API
// ("Execution Control").
#include "runtime/stream/stream.h"
#include "runtime/submit/submit.h"

enum { CALL_DEPTH = 16, SYNC_DOMAINS = 4, MOST_WINDOW_BYTES = 128 << 20 };

typedef runtime_launch launch;

// ---- the configuration that <<<...>>> pushes and the stub pops ----------------------------------

typedef struct pushed_call {
    dim3 grid, block;
    size_t shared_bytes;
    cudaStream_t stream;
} pushed_call;

static __thread pushed_call pushed[CALL_DEPTH];
static __thread int pushed_count;

unsigned __cudaPushCallConfiguration(dim3 gridDim, dim3 blockDim, size_t sharedMem,
                                     struct CUstream_st *stream);
cudaError_t __cudaPopCallConfiguration(dim3 *gridDim, dim3 *blockDim, size_t *sharedMem,
                                       void *stream);
cudaError_t __cudaGetKernel(cudaKernel_t *kernelPtr, const void *entryFuncAddr);

// Nonzero makes the program skip the launch.
unsigned __cudaPushCallConfiguration(dim3 gridDim, dim3 blockDim, size_t sharedMem,
                                     struct CUstream_st *stream) {
    if (pushed_count == CALL_DEPTH) return 1;
    runtime_order_launch_here(true);
    pushed[pushed_count++] = (pushed_call){gridDim, blockDim, sharedMem, stream};
    return 0;
}

cudaError_t __cudaPopCallConfiguration(dim3 *gridDim, dim3 *blockDim, size_t *sharedMem,
                                       void *stream) {
    if (pushed_count == 0) return cudaErrorMissingConfiguration;
    const pushed_call *call = &pushed[--pushed_count];
    *gridDim = call->grid;
    *blockDim = call->block;
    *sharedMem = call->shared_bytes;
    *(cudaStream_t *)stream = call->stream;
    return cudaSuccess;
}

// ---- the launch ---------------------------------------------------------------------------------

static cudaError_t enter_and_launch(const char *call, const launch *l) {
    cudaError_t status = runtime_enter(RUNTIME_DEVICE, "%s(%p)", call, l->function);
    const struct CUkern_st *kernel = runtime_kernel_named(l->function);
    if (!status) status = runtime_submit_launch(l);
    runtime_order_launch_here(false);
    int length = 0;
    const char *name = kernel ? sim_kernel_name(kernel->name, &length) : "";
    runtime_describe(status, "%s(%.*s, grid %ux%ux%u, block %ux%ux%u, shared %zu, stream %p)", call,
                     length, name, l->grid.x, l->grid.y, l->grid.z, l->block.x, l->block.y,
                     l->block.z, l->shared_bytes, (void *)l->stream);
    return runtime_leave(status);
}

// Nobody sees the status of <<<..>>>: only cudaGetLastError tells that nothing ran.
static void note_unchecked(const launch *l, cudaError_t status) {
    const char *reason = runtime_reason();
    const struct CUkern_st *kernel = runtime_kernel_named(l->function);
    pthread_mutex_lock(&runtime.lock);
    int device = runtime_thread_device();
    if (kernel && kernel->handle[device] && !runtime.sticky) {
        runtime_report_unchecked();
        runtime.unchecked_kernel = kernel->handle[device];
        int length;
        const char *name = sim_kernel_name(kernel->name, &length);
        snprintf(runtime.unchecked_name, sizeof runtime.unchecked_name, "%.*s", length, name);
        snprintf(runtime.unchecked, sizeof runtime.unchecked,
                 "<<<(%u,%u,%u), (%u,%u,%u), %zu>>> returned %s and ran nothing%s%.500s; ask "
                 "cudaGetLastError() after the launch",
                 l->grid.x, l->grid.y, l->grid.z, l->block.x, l->block.y, l->block.z,
                 l->shared_bytes, sim_error_name(status), reason[0] ? ": " : "", reason);
    }
    pthread_mutex_unlock(&runtime.lock);
}

cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 gridDim, dim3 blockDim, void **args,
                               size_t sharedMem, cudaStream_t stream) {
    launch l = {kernel, gridDim, blockDim, args, (uint32_t)sharedMem, stream, .cooperative = false};
    runtime_call_is_of_stub(true);
    cudaError_t status = enter_and_launch("cudaLaunchKernel", &l);
    runtime_call_is_of_stub(false);
    // Told as such.
    bool refused = (status == cudaErrorNotSupported || runtime_in_host_function()) &&
                   runtime.faults_are_findings;
    if (status && !refused) note_unchecked(&l, status);
    return status;
}

cudaError_t cudaLaunchKernel(const void *func, dim3 gridDim, dim3 blockDim, void **args,
                             size_t sharedMem, cudaStream_t stream) {
    launch l = {func, gridDim, blockDim, args, (uint32_t)sharedMem, stream, .cooperative = false};
    return enter_and_launch("cudaLaunchKernel", &l);
}

cudaError_t cudaLaunchCooperativeKernel(const void *func, dim3 gridDim, dim3 blockDim, void **args,
                                        size_t sharedMem, cudaStream_t stream) {
    launch l = {func, gridDim, blockDim, args, sharedMem, stream, .cooperative = true};
    return enter_and_launch("cudaLaunchCooperativeKernel", &l);
}

// An event that a launch records has no times.
static cudaError_t check_event(cudaEvent_t handle) {
    const struct CUevent_st *event = runtime_event_find(handle);
    if (!event) return cudaErrorInvalidResourceHandle;
    return event->flags & cudaEventDisableTiming ? cudaSuccess : cudaErrorNotSupported;
}

// Attributes that only tune are checked as an H200 does, and have no effect.
static cudaError_t apply_attribute(const cudaLaunchAttribute *attribute, launch *l) {
    const cudaLaunchAttributeValue *value = &attribute->val;
    bool is_right = true;
    switch (attribute->id) {
    case cudaLaunchAttributeCooperative:
        l->cooperative = attribute->val.cooperative != 0;
        return cudaSuccess;
    case cudaLaunchAttributeClusterDimension:
        l->cluster = (dim3){attribute->val.clusterDim.x, attribute->val.clusterDim.y,
                            attribute->val.clusterDim.z};
        return l->cluster.x ? cudaSuccess : cudaErrorInvalidClusterSize;
    case cudaLaunchAttributeIgnore:
    case cudaLaunchAttributeProgrammaticStreamSerialization:
    case cudaLaunchAttributePriority:
    case cudaLaunchAttributePreferredClusterDimension: break;
    case cudaLaunchAttributeProgrammaticEvent: return check_event(value->programmaticEvent.event);
    case cudaLaunchAttributeLaunchCompletionEvent:
        return check_event(value->launchCompletionEvent.event);
    case cudaLaunchAttributeAccessPolicyWindow:
        is_right = value->accessPolicyWindow.num_bytes <= MOST_WINDOW_BYTES;
        break;
    case cudaLaunchAttributeClusterSchedulingPolicyPreference:
        is_right = (unsigned)value->clusterSchedulingPolicyPreference <= 2;
        break;
    case cudaLaunchAttributeMemSyncDomain:
        is_right = (unsigned)value->memSyncDomain < SYNC_DOMAINS / 2;
        break;
    case cudaLaunchAttributeMemSyncDomainMap:
        is_right = value->memSyncDomainMap.default_ < SYNC_DOMAINS &&
                   value->memSyncDomainMap.remote < SYNC_DOMAINS;
        break;
    case cudaLaunchAttributePreferredSharedMemoryCarveout:
        is_right = value->sharedMemCarveout + 1 <= 101;
        break;
    default: is_right = false;
    }
    return is_right ? cudaSuccess : cudaErrorInvalidValue;
}

// A preferred cluster is one beside that which the kernel needs.
static cudaError_t apply_attributes(const cudaLaunchConfig_t *config, launch *l) {
    cudaError_t status = cudaSuccess;
    bool prefers = false;
    for (unsigned i = 0; i < config->numAttrs && !status; i++) {
        prefers |= config->attrs[i].id == cudaLaunchAttributePreferredClusterDimension;
        status = apply_attribute(&config->attrs[i], l);
    }
    return !status && prefers && !l->cluster.x ? cudaErrorInvalidClusterSize : status;
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *config, const void *func, void **args) {
    if (!config || (config->numAttrs && !config->attrs)) {
        runtime_enter(RUNTIME_NOTHING, "cudaLaunchKernelExC(%p)", func);
        return runtime_leave(cudaErrorInvalidValue);
    }
    launch l = {
        func,           config->gridDim,     config->blockDim, args, config->dynamicSmemBytes,
        config->stream, .cooperative = false};
    cudaError_t status = apply_attributes(config, &l);
    if (status) {
        runtime_enter(RUNTIME_NOTHING, "cudaLaunchKernelExC(%p)", func);
        return runtime_leave(status);
    }
    status = enter_and_launch("cudaLaunchKernelExC", &l);
    for (unsigned i = 0; i < config->numAttrs && !status; i++) {
        const cudaLaunchAttribute *at = &config->attrs[i];
        if (at->id == cudaLaunchAttributeProgrammaticEvent)
            status = cudaEventRecord(at->val.programmaticEvent.event, config->stream);
        if (at->id == cudaLaunchAttributeLaunchCompletionEvent)
            status = cudaEventRecord(at->val.launchCompletionEvent.event, config->stream);
    }
    return status;
}

// ---- handles of kernels -------------------------------------------------------------------------

// Gives the handle without loading code: the stub asks once, before its first launch.
static cudaError_t get_kernel(void **out_handle, const void *function, bool of_device) {
    const char *call = of_device ? "cudaGetFuncBySymbol" : "cudaGetKernel";
    cudaError_t status = runtime_enter(RUNTIME_NOTHING, "%s(%p)", call, function);
    struct CUkern_st *kernel = runtime_map_get(&runtime.kernels, function);
    if (!out_handle) status = cudaErrorInvalidValue;
    else if (!kernel) status = cudaErrorInvalidDeviceFunction;
    else *out_handle = of_device ? runtime_function_of(kernel) : kernel;
    return runtime_leave(status);
}

cudaError_t __cudaGetKernel(cudaKernel_t *kernelPtr, const void *entryFuncAddr) {
    return get_kernel((void **)kernelPtr, entryFuncAddr, false);
}

cudaError_t cudaGetKernel(cudaKernel_t *kernelPtr, const void *entryFuncAddr) {
    return get_kernel((void **)kernelPtr, entryFuncAddr, false);
}

cudaError_t cudaGetFuncBySymbol(cudaFunction_t *functionPtr, const void *symbolPtr) {
    return get_kernel((void **)functionPtr, symbolPtr, true);
}
