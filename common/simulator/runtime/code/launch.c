// SPDX-License-Identifier: MIT
// Kernel launches ("Execution Control"). A kernel runs to its end inside the call; a wrong
// configuration is reported by the call itself, a fault of the kernel by the next call that waits,
// as on a GPU.
#include "device/device.h"
#include "runtime/code/launch.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "runtime/memory/memory.h"
#include "runtime/state/state.h"

typedef runtime_launch launch;

// ---- configuration errors -----------------------------------------------------------------------

static bool outside(dim3 size, unsigned x, unsigned y, unsigned z) {
    return size.x == 0 || size.y == 0 || size.z == 0 || size.x > x || size.y > y || size.z > z;
}

// All blocks of a cooperative launch have to run at the same time.
static cudaError_t refuse_cooperative(const sim_device *device, const sim_occupancy *fits,
                                      uint64_t blocks) {
    uint64_t most = (uint64_t)fits->blocks_per_sm * device->sm_count;
    return runtime_refuse(cudaErrorCooperativeLaunchTooLarge,
                          "%" PRIu64 " blocks > %" PRIu64
                          ", as many as run at the same time: %" PRIu32
                          " per SM, limited by %s, on %" PRIu32
                          " SMs; a cooperative launch needs all its blocks at once: let each do "
                          "more of the work (cudaOccupancyMaxActiveBlocksPerMultiprocessor)",
                          blocks, most, fits->blocks_per_sm, sim_limiter_name(fits->limiter),
                          (uint32_t)device->sm_count);
}

// What an H100 with CUDA 13.0 answers: cudaErrorInvalidValue for sizes that no kernel may have
// (older drivers: cudaErrorInvalidConfiguration), for shared memory beyond the kernel's limit and
// for blocks beyond its __launch_bounds__; cudaErrorLaunchOutOfResources when its registers do not
// fit.
static cudaError_t check_configuration(const launch *l, const sim_function_info *info) {
    const sim_device *device = sim_engine_device(runtime.engine);
    uint64_t threads = (uint64_t)l->block.x * l->block.y * l->block.z;
    if (outside(l->grid, 0x7FFFFFFF, 65535, 65535))
        return runtime_refuse(cudaErrorInvalidValue,
                              "a grid of %u x %u x %u blocks: at least 1 each way, at most "
                              "2147483647 x 65535 x 65535",
                              l->grid.x, l->grid.y, l->grid.z);
    if (threads > device->threads_per_block)
        return runtime_refuse(cudaErrorInvalidValue, "%llu threads > %u per block",
                              (unsigned long long)threads, device->threads_per_block);
    if (outside(l->block, 1024, 1024, 64))
        return runtime_refuse(cudaErrorInvalidValue,
                              "a block of %u x %u x %u threads: at least 1 each way, at most "
                              "1024 x 1024 x 64",
                              l->block.x, l->block.y, l->block.z);
    if (l->shared_bytes > info->max_dynamic_shared_bytes)
        return runtime_refuse(cudaErrorInvalidValue,
                              "%zu bytes of dynamic shared memory > %u, the kernel's limit "
                              "(cudaFuncAttributeMaxDynamicSharedMemorySize raises it)",
                              (size_t)l->shared_bytes, info->max_dynamic_shared_bytes);
    uint64_t shared = info->shared_bytes + l->shared_bytes; // fits: see set_dynamic_limit
    sim_occupancy occupancy;
    sim_occupancy_compute(device, (uint32_t)threads, info->registers, (uint32_t)shared, &occupancy);
    if (occupancy.limit_registers == 0)
        return runtime_refuse(cudaErrorLaunchOutOfResources,
                              "%llu threads of %u registers each do not fit on an SM%s",
                              (unsigned long long)threads, info->registers,
                              sim_device_registers_origin(device));
    if (info->max_threads && threads > info->max_threads)
        return runtime_refuse(cudaErrorInvalidValue,
                              "%llu threads per block > %u, which the kernel's __launch_bounds__ "
                              "allow",
                              (unsigned long long)threads, info->max_threads);
    uint64_t blocks = (uint64_t)l->grid.x * l->grid.y * l->grid.z;
    uint64_t most = (uint64_t)occupancy.blocks_per_sm * device->sm_count;
    if (l->cooperative && blocks > most) return refuse_cooperative(device, &occupancy, blocks);
    return cudaSuccess;
}

dim3 runtime_launch_cluster(const launch *l, const sim_function_info *info) {
    if (l->cluster.x) return l->cluster;
    unsigned y = info->cluster.y ? info->cluster.y : 1, z = info->cluster.z ? info->cluster.z : 1;
    return (dim3){info->cluster.x, y, z};
}

bool runtime_cluster_fits(const struct CUkern_st *kernel, dim3 cluster) {
    uint64_t most = kernel->beyond_portable ? SIM_CLUSTER_BLOCKS : RUNTIME_CLUSTER_BLOCKS;
    return !outside(cluster, (unsigned)most, (unsigned)most, (unsigned)most) &&
           (uint64_t)cluster.x * cluster.y * cluster.z <= most;
}

// Clusters divide the grid, are of a size that the kernel may have, and of that which it is
// compiled for.
static cudaError_t check_cluster(const launch *l, const struct CUkern_st *kernel) {
    dim3 cluster = runtime_launch_cluster(l, &kernel->info);
    sim_dim3 given = kernel->info.cluster;
    if (cluster.x == 0) return cudaSuccess;
    bool differs = given.x && (given.x != cluster.x || (given.y && given.y != cluster.y) ||
                               (given.z && given.z != cluster.z));
    if (differs || !runtime_cluster_fits(kernel, cluster) || l->grid.x % cluster.x ||
        l->grid.y % cluster.y || l->grid.z % cluster.z)
        return cudaErrorInvalidClusterSize;
    return cudaSuccess;
}

cudaError_t runtime_launch_check(const launch *l, struct CUkern_st **out_kernel) {
    cudaError_t status = runtime_kernel_find(l->function, out_kernel);
    if (!status) status = check_configuration(l, &(*out_kernel)->info);
    return status ? status : check_cluster(l, *out_kernel);
}

cudaError_t runtime_launch_gather(const struct CUkern_st *kernel, void *const *arguments,
                                  uint8_t *block) {
    const sim_function_info *info = &kernel->info;
    if (info->param_bytes > RUNTIME_PARAM_BYTES || (info->param_count && !arguments))
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
    double capacity = (double)occupancy.blocks_per_sm * device->sm_count;
    double blocks = (double)l->grid.x * l->grid.y * l->grid.z;
    return blocks < capacity ? blocks / capacity : 1.0;
}

// Explains a fault once, when it happens; its code surfaces later.
static void note_fault(const sim_launch_result *result, const kl_error *err) {
    const sim_fault *fault = &result->fault;
    char text[2 * KL_ERROR_TEXT];
    if (fault->text[0])
        snprintf(text, sizeof text, "%s", fault->text);
    else
        snprintf(text, sizeof text, "kernel %s: %s", fault->kernel, err->text);
    runtime_fault_describe(text);
    if (!runtime.faults_are_findings) runtime_say(runtime_fault_text());
    runtime_fault(runtime_status(fault->kind ? fault->kind : err->status));
}

static cudaError_t run(const launch *l, struct CUkern_st *kernel, runtime_queue *queue, bool alone,
                       const uint8_t *parameters) {
    dim3 cluster = runtime_launch_cluster(l, &kernel->info);
    sim_launch_config config = {.grid = {l->grid.x, l->grid.y, l->grid.z},
                                .block = {l->block.x, l->block.y, l->block.z},
                                .dynamic_shared_bytes = (uint32_t)l->shared_bytes,
                                .preferred_shared_bytes = sim_preferred_shared(
                                    sim_engine_device(runtime.engine), kernel->carveout),
                                .cluster = {cluster.x, cluster.y, cluster.z},
                                .cooperative = l->cooperative,
                                .streams = runtime.streams.live > 0,
                                .queue = runtime_order_launch(queue)};
    sim_launch_result result = {0};
    kl_error err = {0};
    sim_status status = sim_launch(runtime.engine, kernel->handle, &config, parameters,
                                   kernel->info.param_bytes, &result, &err);
    // The error code alone says too little.
    if (status == SIM_UNSUPPORTED && !runtime.faults_are_findings) runtime_say(err.text);
    if (result.note[0]) runtime_say(result.note);
    if (status != SIM_OK && !is_kernel_fault(status)) return runtime_fail(&err);
    runtime_tell_caller(kernel->name);
    runtime.launches++;
    runtime.warp_instructions += result.warp_instructions;
    runtime.output_due = true;
    (alone ? runtime_clock_kernel
           : runtime_clock_graph_kernel)(&runtime.clock, queue, sim_engine_device(runtime.engine),
                                         result.time_us, share_of(l, &kernel->info));
    if (status != SIM_OK) note_fault(&result, &err);
    return cudaSuccess;
}

cudaError_t runtime_launch_run(const launch *l, struct CUkern_st *kernel, const uint8_t *block,
                               runtime_queue *queue, bool alone) {
    cudaError_t status = runtime_copies_to_device();
    if (!status) status = run(l, kernel, queue, alone, block);
    if (!status) status = runtime_copies_to_host();
    if (!status && runtime.launch_blocking) runtime_order_host_waits(queue);
    if (!status && runtime.launch_blocking && runtime.pending) {
        runtime.sticky = status = runtime.pending;
        runtime.pending = cudaSuccess;
    }
    return status;
}
