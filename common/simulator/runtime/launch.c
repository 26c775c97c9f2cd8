// SPDX-License-Identifier: MIT
// Kernel launches: the launch ABI of nvcc's stubs and the launch functions of the runtime API.
// A kernel runs to its end inside the call; a wrong configuration is reported by the call itself,
// a fault of the kernel by the next call that waits, as on a GPU ("Execution Control").
#include "runtime/runtime.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CALL_DEPTH = 16, MAX_PARAM_BYTES = 32764 }; // PTX ISA, ".param": 32764 bytes from sm_70 on

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
cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 gridDim, dim3 blockDim, void **args,
                               size_t sharedMem, cudaStream_t stream);

// Nonzero makes the program skip the launch.
unsigned __cudaPushCallConfiguration(dim3 gridDim, dim3 blockDim, size_t sharedMem,
                                     struct CUstream_st *stream) {
    if (pushed_count == CALL_DEPTH) return 1;
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

// ---- configuration errors -----------------------------------------------------------------------

static bool outside(dim3 size, unsigned x, unsigned y, unsigned z) {
    return size.x == 0 || size.y == 0 || size.z == 0 || size.x > x || size.y > y || size.z > z;
}

// What an H100 with CUDA 13.0 answers: cudaErrorInvalidValue for sizes that no kernel may have (older
// drivers: cudaErrorInvalidConfiguration), for shared memory beyond the kernel's limit and for blocks
// beyond its __launch_bounds__; cudaErrorLaunchOutOfResources when its registers do not fit.
static cudaError_t check_configuration(const launch *l, const sim_function_info *info) {
    const sim_device *device = sim_engine_device(runtime.engine);
    uint64_t threads = (uint64_t)l->block.x * l->block.y * l->block.z;
    if (outside(l->grid, 0x7FFFFFFF, 65535, 65535)) return cudaErrorInvalidValue;
    if (outside(l->block, 1024, 1024, 64)) return cudaErrorInvalidValue;
    if (threads > device->threads_per_block) return cudaErrorInvalidValue;
    if (l->shared_bytes > info->max_dynamic_shared_bytes) return cudaErrorInvalidValue;
    uint64_t shared = info->shared_bytes + l->shared_bytes; // fits: see set_dynamic_limit
    sim_occupancy occupancy;
    sim_occupancy_compute(device, (uint32_t)threads, info->registers, (uint32_t)shared, &occupancy);
    if (occupancy.limit_registers == 0) return cudaErrorLaunchOutOfResources;
    if (info->max_threads && threads > info->max_threads) return cudaErrorInvalidValue;
    uint64_t blocks = (uint64_t)l->grid.x * l->grid.y * l->grid.z;
    if (l->cooperative && blocks > (uint64_t)occupancy.blocks_per_sm * device->sm_count)
        return cudaErrorCooperativeLaunchTooLarge;
    return cudaSuccess;
}

// ---- parameters ---------------------------------------------------------------------------------

cudaError_t runtime_launch_gather(const struct CUkern_st *kernel, void *const *arguments,
                                  uint8_t *block) {
    const sim_function_info *info = &kernel->info;
    if (info->param_bytes > MAX_PARAM_BYTES || (info->param_count && !arguments))
        return cudaErrorInvalidValue;
    memset(block, 0, info->param_bytes);
    for (uint32_t i = 0; i < info->param_count; i++) {
        uint32_t offset = info->params[i].offset, size = info->params[i].size_bytes;
        if (!arguments[i] || offset > info->param_bytes || size > info->param_bytes - offset)
            return cudaErrorInvalidValue;
        memcpy(block + offset, arguments[i], size);
    }
    return cudaSuccess;
}

// ---- the launch ---------------------------------------------------------------------------------

static bool is_kernel_fault(sim_status status) {
    return status >= SIM_ILLEGAL_ADDRESS && status <= SIM_STACK_OVERFLOW;
}

// The share of the device that the grid fills, for the clock's overlap of small kernels.
static double share_of(const launch *l, const sim_function_info *info) {
    const sim_device *device = sim_engine_device(runtime.engine);
    sim_occupancy occupancy;
    sim_occupancy_compute(device, l->block.x * l->block.y * l->block.z, info->registers,
                          info->shared_bytes + (uint32_t)l->shared_bytes, &occupancy);
    double room = (double)occupancy.blocks_per_sm * device->sm_count;
    double blocks = (double)l->grid.x * l->grid.y * l->grid.z;
    return blocks < room ? blocks / room : 1.0;
}

// Explains a fault once, when it happens; its code surfaces later.
static void note_fault(const sim_launch_result *result, const sim_error *error) {
    const sim_fault *fault = &result->fault;
    char text[2 * SIM_ERROR_TEXT_BYTES];
    if (fault->text[0])
        snprintf(text, sizeof text, "%s", fault->text);
    else
        snprintf(text, sizeof text, "kernel %s: %s", fault->kernel, error->text);
    if (!runtime.faults_are_findings) runtime_say(text);
    runtime_fault(runtime_status(fault->kind ? fault->kind : error->status));
}

static cudaError_t run(const launch *l, struct CUkern_st *kernel, runtime_queue *queue, bool alone,
                       const uint8_t *parameters) {
    sim_launch_config config = {.grid = {l->grid.x, l->grid.y, l->grid.z},
                                .block = {l->block.x, l->block.y, l->block.z},
                                .dynamic_shared_bytes = (uint32_t)l->shared_bytes,
                                .preferred_shared_bytes = sim_preferred_shared(
                                    sim_engine_device(runtime.engine), kernel->carveout),
                                .cooperative = l->cooperative};
    sim_launch_result result = {0};
    sim_error error = {0};
    sim_status status = sim_launch(runtime.engine, kernel->handle, &config, parameters,
                                   kernel->info.param_bytes, &result, &error);
    if (status == SIM_UNSUPPORTED) runtime_say(error.text); // the error code alone says too little
    if (status != SIM_OK && !is_kernel_fault(status)) return runtime_fail(&error);
    runtime.launches++;
    runtime.warp_instructions += result.warp_instructions;
    runtime.output_due = true;
    (alone ? runtime_clock_kernel
           : runtime_clock_graph_kernel)(&runtime.clock, queue, sim_engine_device(runtime.engine),
                                         result.time_us, share_of(l, &kernel->info));
    if (status != SIM_OK) note_fault(&result, &error);
    return cudaSuccess;
}

cudaError_t runtime_launch_check(const launch *l, struct CUkern_st **out_kernel) {
    cudaError_t status = runtime_kernel_find(l->function, out_kernel);
    return status ? status : check_configuration(l, &(*out_kernel)->info);
}

cudaError_t runtime_launch_run(const launch *l, struct CUkern_st *kernel, const uint8_t *block,
                               runtime_queue *queue, bool alone) {
    cudaError_t status = runtime_copies_to_device();
    if (!status) status = run(l, kernel, queue, alone, block);
    if (!status) status = runtime_copies_to_host();
    if (!status && runtime.launch_blocking && runtime.pending) {
        runtime.sticky = status = runtime.pending;
        runtime.pending = cudaSuccess;
    }
    return status;
}

static cudaError_t launch_kernel(const launch *l) {
    struct CUkern_st *kernel;
    struct CUstream_st *stream = runtime_stream_find(l->stream);
    bool captured;
    cudaError_t status = runtime_kernel_find(l->function, &kernel);
    if (status) return status;
    if (!stream) return cudaErrorInvalidResourceHandle;
    status = runtime_capturing(stream, &captured);
    if (status) return status;
    if (captured) return runtime_capture_launch(stream, l);
    status = check_configuration(l, &kernel->info);
    if (status || runtime.pending) return status; // nothing runs on a device that has faulted
    uint64_t block[(MAX_PARAM_BYTES + 7) / 8];
    status = runtime_launch_gather(kernel, l->arguments, (uint8_t *)block);
    if (status) return status;
    return runtime_launch_run(l, kernel, (const uint8_t *)block, &stream->queue, true);
}

static cudaError_t enter_and_launch(const char *call, const launch *l) {
    cudaError_t status = runtime_enter(RUNTIME_DEVICE, "%s(%p)", call, l->function);
    const struct CUkern_st *kernel = runtime_map_get(&runtime.kernels, l->function);
    runtime_describe("%s(%s, grid %ux%ux%u, block %ux%ux%u, shared %zu, stream %p)", call,
                     kernel ? kernel->name : "unknown kernel", l->grid.x, l->grid.y, l->grid.z,
                     l->block.x, l->block.y, l->block.z, l->shared_bytes, (void *)l->stream);
    if (!status) status = launch_kernel(l);
    return runtime_leave(status);
}

// Nobody sees the status of <<<..>>>: only cudaGetLastError tells that nothing ran.
static void note_unchecked(const launch *l, cudaError_t status) {
    const struct CUkern_st *kernel = runtime_map_get(&runtime.kernels, l->function);
    pthread_mutex_lock(&runtime.lock);
    if (kernel && kernel->handle && !runtime.sticky) {
        runtime_report_unchecked();
        runtime.unchecked_kernel = kernel->handle;
        snprintf(runtime.unchecked, sizeof runtime.unchecked,
                 "<<<(%u,%u,%u), (%u,%u,%u), %zu>>> returned %s and ran nothing; ask "
                 "cudaGetLastError() after the launch",
                 l->grid.x, l->grid.y, l->grid.z, l->block.x, l->block.y, l->block.z,
                 l->shared_bytes, runtime_error_name(status));
    }
    pthread_mutex_unlock(&runtime.lock);
}

cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 gridDim, dim3 blockDim, void **args,
                               size_t sharedMem, cudaStream_t stream) {
    launch l = {kernel, gridDim, blockDim, args, (uint32_t)sharedMem, stream, false};
    cudaError_t status = enter_and_launch("cudaLaunchKernel", &l);
    if (status) note_unchecked(&l, status);
    return status;
}

cudaError_t cudaLaunchKernel(const void *func, dim3 gridDim, dim3 blockDim, void **args,
                             size_t sharedMem, cudaStream_t stream) {
    launch l = {func, gridDim, blockDim, args, (uint32_t)sharedMem, stream, false};
    return enter_and_launch("cudaLaunchKernel", &l);
}

cudaError_t cudaLaunchCooperativeKernel(const void *func, dim3 gridDim, dim3 blockDim, void **args,
                                        size_t sharedMem, cudaStream_t stream) {
    launch l = {func, gridDim, blockDim, args, sharedMem, stream, true};
    return enter_and_launch("cudaLaunchCooperativeKernel", &l);
}

// A cluster has at most eight blocks and divides the grid.
static bool cluster_fits(const cudaLaunchAttribute *attribute, const launch *l) {
    enum { MOST_BLOCKS = RUNTIME_CLUSTER_BLOCKS };
    uint64_t x = attribute->val.clusterDim.x, y = attribute->val.clusterDim.y;
    uint64_t z = attribute->val.clusterDim.z;
    if (x == 0 || y == 0 || z == 0 || x > MOST_BLOCKS || y > MOST_BLOCKS || z > MOST_BLOCKS)
        return false;
    return x * y * z <= MOST_BLOCKS && l->grid.x % x == 0 && l->grid.y % y == 0 &&
           l->grid.z % z == 0;
}

// Attributes that only tune are accepted and have no effect; clusters of more than one block are
// not simulated.
static cudaError_t apply_attribute(const cudaLaunchAttribute *attribute, launch *l) {
    switch (attribute->id) {
    case cudaLaunchAttributeCooperative:
        l->cooperative = attribute->val.cooperative != 0;
        return cudaSuccess;
    case cudaLaunchAttributeClusterDimension:
        if (!cluster_fits(attribute, l)) return cudaErrorInvalidClusterSize;
        if (attribute->val.clusterDim.x * attribute->val.clusterDim.y *
                attribute->val.clusterDim.z ==
            1)
            return cudaSuccess;
        runtime_say("launches with thread block clusters are not supported");
        return cudaErrorNotSupported;
    case cudaLaunchAttributeIgnore:
    case cudaLaunchAttributeAccessPolicyWindow:
    case cudaLaunchAttributeSynchronizationPolicy:
    case cudaLaunchAttributeClusterSchedulingPolicyPreference:
    case cudaLaunchAttributeProgrammaticStreamSerialization:
    case cudaLaunchAttributeProgrammaticEvent:
    case cudaLaunchAttributePriority:
    case cudaLaunchAttributeMemSyncDomainMap:
    case cudaLaunchAttributeMemSyncDomain:
    case cudaLaunchAttributePreferredClusterDimension:
    case cudaLaunchAttributeLaunchCompletionEvent:
    case cudaLaunchAttributePreferredSharedMemoryCarveout: return cudaSuccess;
    default: return cudaErrorInvalidValue;
    }
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *config, const void *func, void **args) {
    if (!config || (config->numAttrs && !config->attrs)) {
        runtime_enter(RUNTIME_NOTHING, "cudaLaunchKernelExC(%p)", func);
        return runtime_leave(cudaErrorInvalidValue);
    }
    launch l = {func, config->gridDim,          config->blockDim,
                args, config->dynamicSmemBytes, config->stream,
                false};
    for (unsigned i = 0; i < config->numAttrs; i++) {
        cudaError_t status = apply_attribute(&config->attrs[i], &l);
        if (!status) continue;
        runtime_enter(RUNTIME_NOTHING, "cudaLaunchKernelExC(%p)", func);
        return runtime_leave(status);
    }
    return enter_and_launch("cudaLaunchKernelExC", &l);
}

// ---- handles of kernels -------------------------------------------------------------------------

// Gives the handle without loading code: the stub asks once, before its first launch.
static cudaError_t get_kernel(cudaKernel_t *out_kernel, const void *function) {
    cudaError_t status = runtime_enter(RUNTIME_NOTHING, "cudaGetKernel(%p)", function);
    struct CUkern_st *kernel = runtime_map_get(&runtime.kernels, function);
    if (!out_kernel)
        status = cudaErrorInvalidValue;
    else if (!kernel)
        status = cudaErrorInvalidDeviceFunction;
    else
        *out_kernel = kernel;
    return runtime_leave(status);
}

cudaError_t __cudaGetKernel(cudaKernel_t *kernelPtr, const void *entryFuncAddr) {
    return get_kernel(kernelPtr, entryFuncAddr);
}

cudaError_t cudaGetKernel(cudaKernel_t *kernelPtr, const void *entryFuncAddr) {
    return get_kernel(kernelPtr, entryFuncAddr);
}

cudaError_t cudaGetFuncBySymbol(cudaFunction_t *functionPtr, const void *symbolPtr) {
    return get_kernel((cudaKernel_t *)functionPtr, symbolPtr);
}
