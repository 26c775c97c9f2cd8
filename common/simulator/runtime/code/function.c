// Attributes of kernels and occupancy (CUDA Runtime API reference, "Execution Control",
// "Occupancy"). Numbers come from the engine, which has them from the machine code's header.
#include "runtime/code/code.h"
#include "runtime/state/state.h"

static cudaError_t set_dynamic_limit(struct CUkern_st *kernel, int value) {
    const sim_device *device = sim_engine_device(runtime.engine);
    uint32_t most = device->shared_bytes_per_block_optin;
    if (value < 0 || kernel->info.shared_bytes > most ||
        (uint32_t)value > most - kernel->info.shared_bytes)
        return cudaErrorInvalidValue;
    kl_error err = {0};
    if (sim_function_set_max_dynamic_shared(runtime.engine, kernel->handle[runtime.device],
                                            (uint32_t)value, &err) != SIM_OK)
        return runtime_fail(&err);
    kernel->info.max_dynamic_shared_bytes = kernel->dynamic_bytes[runtime.device] = (uint32_t)value;
    return cudaSuccess;
}

static uint32_t blocks_of(sim_dim3 cluster) {
    return (cluster.x ? cluster.x : 1) * (cluster.y ? cluster.y : 1) * (cluster.z ? cluster.z : 1);
}

// Blocks of a cluster along one axis, from then on as if the kernel were compiled so. An H200 looks
// at their product only where __launch_bounds__ has a bound.
static cudaError_t set_cluster(struct CUkern_st *kernel, int axis, int value) {
    sim_dim3 compiled = sim_compiled_cluster(kernel->info.cluster), wanted = kernel->cluster;
    const uint32_t of_compiler[] = {compiled.x, compiled.y, compiled.z};
    if (compiled.x)
        return value > 0 && (uint32_t)value == of_compiler[axis] ? cudaSuccess
                                                                 : cudaErrorInvalidValue;
    if (value < 0) return cudaErrorInvalidValue;
    *(axis == 0 ? &wanted.x : axis == 1 ? &wanted.y : &wanted.z) = (uint32_t)value;
    uint32_t bound = kernel->info.most_cluster_blocks;
    if (bound && blocks_of(wanted) > bound) return cudaErrorInvalidValue;
    kernel->cluster = wanted;
    return cudaSuccess;
}

cudaError_t runtime_function_set(const void *function, enum cudaFuncAttribute attribute,
                                 int value) {
    enum { LAST_POLICY = 2 }; // enum cudaClusterSchedulingPolicy
    struct CUkern_st *kernel;
    cudaError_t status = runtime_kernel_find(function, &kernel);
    if (status) return status;
    switch (attribute) {
    case cudaFuncAttributeMaxDynamicSharedMemorySize: return set_dynamic_limit(kernel, value);
    case cudaFuncAttributePreferredSharedMemoryCarveout:
        if (value < -1 || value > 100) return cudaErrorInvalidValue;
        kernel->carveout = value;
        return cudaSuccess;
    case cudaFuncAttributeNonPortableClusterSizeAllowed:
        kernel->beyond_portable = value;
        return cudaSuccess;
    case cudaFuncAttributeClusterSchedulingPolicyPreference:
        if (value < 0 || value > LAST_POLICY) return cudaErrorInvalidValue;
        kernel->cluster_policy = value;
        return cudaSuccess;
    case cudaFuncAttributeRequiredClusterWidth: return set_cluster(kernel, 0, value);
    case cudaFuncAttributeRequiredClusterHeight: return set_cluster(kernel, 1, value);
    case cudaFuncAttributeRequiredClusterDepth: return set_cluster(kernel, 2, value);
    default: return cudaErrorInvalidValue;
    }
}

// Bytes of an SM that the program wants for shared memory (sim_occupancy_limit_carve_out); 0: no
// wish.
static uint32_t preferred_shared(const struct CUkern_st *kernel) {
    int percent = kernel->carveout < 0 && kernel->prefers_l1 ? 0 : kernel->carveout;
    return sim_preferred_shared(sim_engine_device(runtime.engine), percent);
}

cudaError_t runtime_blocks_per_sm(const void *function, int threads, size_t dynamic_bytes,
                                  int *out_blocks) {
    struct CUkern_st *kernel;
    cudaError_t status = runtime_kernel_find(function, &kernel);
    if (status) return status;
    const sim_function_info *info = &kernel->info;
    if (!out_blocks || threads <= 0) return cudaErrorInvalidValue;
    *out_blocks = 0; // a block that cannot be launched
    if (info->max_threads && (uint32_t)threads > info->max_threads) return cudaSuccess;
    if (dynamic_bytes > info->max_dynamic_shared_bytes) return cudaSuccess;
    const sim_launch_config config = {.block = {(uint32_t)threads, 1, 1},
                                      .dynamic_shared_bytes = (uint32_t)dynamic_bytes,
                                      .preferred_shared_bytes = preferred_shared(kernel)};
    sim_occupancy occupancy;
    sim_launch_occupancy(sim_engine_device(runtime.engine), info, &config, &occupancy);
    *out_blocks = (int)occupancy.blocks_per_sm;
    return cudaSuccess;
}

// Shared memory of a SM, or of the carve-out that the program asked for, divided among `blocks` in
// the device's units, less the kernel's static part. (As an H100 answers: the part that is reserved
// for each block is not taken off, and a single block is given all that there is.)
cudaError_t runtime_dynamic_bytes(const void *function, int blocks, int threads,
                                  size_t *out_bytes) {
    int fit = 0;
    struct CUkern_st *kernel;
    cudaError_t status = runtime_kernel_find(function, &kernel);
    if (status) return status;
    int bound = (int)kernel->info.max_threads; // of which an H200 takes no notice
    status = runtime_blocks_per_sm(function, bound && threads > bound ? bound : threads, 0, &fit);
    if (status) return status;
    if (!out_bytes || blocks <= 0 || blocks > fit) return cudaErrorInvalidValue;
    const sim_device *device = sim_engine_device(runtime.engine);
    uint32_t preferred = preferred_shared(kernel), all = device->shared_bytes_per_sm;
    uint32_t least = kernel->info.shared_bytes + device->shared_reserved_bytes;
    if (preferred && blocks > 1) all = sim_carve_out(device, preferred > least ? preferred : least);
    uint32_t each = all / (uint32_t)blocks;
    each -= device->shared_unit ? each % device->shared_unit : 0;
    uint32_t taken = kernel->info.shared_bytes;
    *out_bytes = each > taken ? each - taken : 0;
    uint32_t limit = kernel->info.max_dynamic_shared_bytes;
    if (*out_bytes > limit) *out_bytes = limit;
    return cudaSuccess;
}
