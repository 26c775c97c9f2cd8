// Kernel launches ("Execution Control"). A kernel runs to its end inside the call; a wrong
// configuration is reported by the call itself, a fault of the kernel by the next call that waits,
// as on a GPU.
#include "runtime/code/code.h"
#include "runtime/memory/memory.h"

typedef runtime_launch launch;

// ---- configuration errors -----------------------------------------------------------------------

static sim_dim3 sizes(dim3 size) { return (sim_dim3){size.x, size.y, size.z}; }

bool runtime_cluster_fits(const struct CUkern_st *kernel, dim3 cluster) {
    uint32_t most = runtime_cluster_blocks(kernel), bound = kernel->info.most_cluster_blocks;
    return sim_cluster_fits(sizes(cluster), bound && bound < most ? bound : most);
}

uint32_t runtime_cluster_blocks(const struct CUkern_st *kernel) {
    return kernel->beyond_portable ? SIM_CLUSTER_BLOCKS : RUNTIME_CLUSTER_BLOCKS;
}

// The configuration that a launch asks for, but for its queue. Clusters: as it asks, else as the
// kernel is compiled.
static sim_launch_config runtime_launch_config(const launch *l, const struct CUkern_st *kernel) {
    const sim_device *device = sim_engine_device(runtime.engine);
    bool is_compiled = kernel->info.cluster.x;
    sim_dim3 compiled = sim_compiled_cluster(is_compiled ? kernel->info.cluster : kernel->cluster);
    return (sim_launch_config){
        .grid = sizes(l->grid),
        .block = sizes(l->block),
        .dynamic_shared_bytes =
            l->shared_bytes < UINT32_MAX ? (uint32_t)l->shared_bytes : UINT32_MAX,
        .preferred_shared_bytes = sim_preferred_shared(device, kernel->carveout),
        .cluster = l->cluster.x ? sizes(l->cluster) : compiled,
        .cooperative = l->cooperative,
        .streams = runtime.streams.live > 0 || runtime.device_count > 1};
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
// fit. What the device lacks fails when the kernel is launched.
static cudaError_t check_configuration(const launch *l, const struct CUkern_st *kernel) {
    const sim_device *device = sim_engine_device(runtime.engine);
    const sim_function_info *info = &kernel->info;
    const sim_launch_config config = runtime_launch_config(l, kernel);
    unsigned long long threads = (uint64_t)l->block.x * l->block.y * l->block.z;
    sim_occupancy fits;
    switch (sim_launch_check(device, info, &config, runtime_cluster_blocks(kernel), &fits)) {
    case SIM_FLAW_GRID:
        return runtime_refuse(cudaErrorInvalidValue,
                              "a grid of %u x %u x %u blocks: at least 1 each way, at most "
                              "%d x %d x %d",
                              l->grid.x, l->grid.y, l->grid.z, SIM_GRID_MOST_X, SIM_GRID_MOST_YZ,
                              SIM_GRID_MOST_YZ);
    case SIM_FLAW_THREADS:
        return runtime_refuse(cudaErrorInvalidValue, "%llu threads > %u per block", threads,
                              device->threads_per_block);
    case SIM_FLAW_BLOCK:
        return runtime_refuse(cudaErrorInvalidValue,
                              "a block of %u x %u x %u threads: at least 1 each way, at most "
                              "%d x %d x %d",
                              l->block.x, l->block.y, l->block.z, SIM_BLOCK_MOST_XY,
                              SIM_BLOCK_MOST_XY, SIM_BLOCK_MOST_Z);
    case SIM_FLAW_DYNAMIC_SHARED:
        return runtime_refuse(cudaErrorInvalidValue,
                              "%zu bytes of dynamic shared memory > %u, the kernel's limit "
                              "(cudaFuncAttributeMaxDynamicSharedMemorySize raises it)",
                              (size_t)l->shared_bytes, info->max_dynamic_shared_bytes);
    case SIM_FLAW_REGISTERS:
        return runtime_refuse(cudaErrorLaunchOutOfResources,
                              "%llu threads of %u registers each do not fit on an SM: the kernel's "
                              "blocks may have %u, or __launch_bounds__(%llu) at the kernel lets "
                              "the compiler take fewer registers%s",
                              threads, info->registers, info->max_threads, threads,
                              sim_device_registers_origin(device));
    case SIM_FLAW_BOUNDS:
        return runtime_refuse(cudaErrorInvalidValue,
                              "%llu threads per block > %u, which the kernel's __launch_bounds__ "
                              "allow",
                              threads, info->max_threads);
    case SIM_FLAW_REQUIRED:
        return runtime_refuse(cudaErrorInvalidValue,
                              "a block of %u x %u x %u threads; the kernel is compiled for one of "
                              "%u x %u x %u (.reqntid)",
                              l->block.x, l->block.y, l->block.z, info->required_threads.x,
                              info->required_threads.y ? info->required_threads.y : 1,
                              info->required_threads.z ? info->required_threads.z : 1);
    case SIM_FLAW_COOPERATIVE:
        return refuse_cooperative(device, &fits, (uint64_t)l->grid.x * l->grid.y * l->grid.z);
    case SIM_FLAW_CLUSTER: return cudaErrorInvalidClusterSize;
    default: return cudaSuccess;
    }
}

cudaError_t runtime_launch_check(const launch *l, struct CUkern_st **out_kernel) {
    cudaError_t status = runtime_kernel_find(l->function, out_kernel);
    return status ? status : check_configuration(l, *out_kernel);
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

// Whether the host may end the kernel's wait: it was given, or may name, memory that both see.
static bool shares_with_host(const struct CUkern_st *kernel, const uint8_t *block) {
    for (size_t i = 0; i < runtime.range_count; i++) {
        const runtime_range *range = &runtime.ranges[i];
        if (range->kind != RUNTIME_MEMORY_DEVICE && range->is_variable) return true;
    }
    for (uint32_t at = 0; at + 8 <= kernel->info.param_bytes; at += 8) {
        uint64_t address;
        memcpy(&address, block + at, sizeof address);
        const runtime_range *range = runtime_range_find(address);
        if (range && range->kind != RUNTIME_MEMORY_DEVICE) return true;
    }
    return false;
}

// Explains a fault once, when it happens; its code surfaces later.
static void note_fault(const sim_launch_result *result, const kl_error *err) {
    const sim_fault *fault = &result->fault;
    char text[2 * KL_ERROR_TEXT];
    cudaError_t error = runtime_status(fault->kind ? fault->kind : err->status);
    if (!fault->text[0] && !err->text[0]) { // told with that of another launch
        runtime_fault(error);
        return;
    }
    if (fault->text[0]) snprintf(text, sizeof text, "%s", fault->text);
    else snprintf(text, sizeof text, "kernel %s: %s", fault->kernel, err->text);
    runtime_fault_describe(text);
    if (!runtime.faults_are_findings) runtime_say(runtime_fault_text());
    runtime_fault(error);
}

static void charge(const runtime_held *held, runtime_queue *queue,
                   const sim_launch_result *result) {
    static double (*const ways[])(runtime_clock *, runtime_queue *, const sim_device *, double,
                                  double) = {runtime_clock_kernel, runtime_clock_launched_kernel,
                                             runtime_clock_graph_kernel};
    runtime_span_kernel(held->kernel->name);
    ways[held->way](&runtime.clock, queue, sim_engine_device(runtime.engine),
                    result->time_us + result->waited_us, result->share);
}

cudaError_t runtime_launch_ended(const runtime_held *held, runtime_queue *queue,
                                 const sim_launch_result *result, const kl_error *err) {
    sim_status status = (sim_status)err->status;
    // The error code alone says too little.
    if (status == SIM_UNSUPPORTED && !runtime.faults_are_findings) runtime_say(err->text);
    if (result->note[0]) runtime_say(result->note);
    if (status != SIM_OK && !is_kernel_fault(status)) return runtime_fail(err);
    runtime_tell_caller(held->kernel->name);
    runtime.launches++;
    runtime.warp_instructions += result->warp_instructions;
    runtime.now->output_due = true;
    charge(held, queue, result);
    if (status != SIM_OK) note_fault(result, err);
    return cudaSuccess;
}

static cudaError_t run(const launch *l, struct CUkern_st *kernel, runtime_queue *queue,
                       const uint8_t *parameters, runtime_held *held) {
    sim_launch_config config = runtime_launch_config(l, kernel);
    config.streams = config.streams || shares_with_host(kernel, parameters);
    config.queue = runtime_order_launch(queue);
    config.stream = queue->stream;
    config.start_us = runtime_clock_start(&runtime.clock, queue, sim_engine_device(runtime.engine),
                                          held->way == RUNTIME_NOW);
    sim_launch_result result = {0};
    kl_error err = {0};
    sim_status status = sim_launch_kernel(runtime.engine, kernel->handle[runtime.device], &config,
                                          parameters, kernel->info.param_bytes, &result, &err);
    err.status = status;
    held->number = result.held;
    if (!held->number) return runtime_launch_ended(held, queue, &result, &err);
    if (held->way != RUNTIME_NOW) return cudaSuccess;
    runtime_clock_launch(&runtime.clock, sim_engine_device(runtime.engine));
    held->way = RUNTIME_LATER;
    return cudaSuccess;
}

cudaError_t runtime_launch_run(const launch *l, struct CUkern_st *kernel, const uint8_t *block,
                               runtime_queue *queue, runtime_way way, runtime_held *out_held) {
    *out_held = (runtime_held){.kernel = kernel, .way = way};
    cudaError_t status = runtime_copies_to_device();
    if (!status) status = run(l, kernel, queue, block, out_held);
    if (!status) status = runtime_copies_to_host();
    if (status || !runtime.launch_blocking || out_held->number) return status;
    runtime_order_host_waits(queue);
    runtime_fault_surface();
    return runtime.sticky;
}
