// Attributes of kernels and occupancy questions (CUDA Runtime API reference, "Execution Control",
// "Occupancy").
#include "runtime/abi/interface.h"
#include "runtime/code/code.h"
#include "runtime/state/state.h"

cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *attr, const void *func) {
    cudaError_t status = runtime_enter(RUNTIME_DEVICE, "cudaFuncGetAttributes(%p)", func);
    struct CUkern_st *kernel = NULL;
    if (!status && !attr) status = cudaErrorInvalidValue;
    if (!status) status = runtime_kernel_find(func, &kernel);
    if (!status) {
        const sim_function_info *info = &kernel->info;
        struct cudaFuncAttributes found = {0};
        found.sharedSizeBytes = info->shared_bytes;
        found.constSizeBytes = info->constant_bytes;
        found.localSizeBytes = info->local_bytes;
        found.maxThreadsPerBlock = (int)info->max_threads;
        found.numRegs = (int)info->registers;
        found.ptxVersion = (int)info->ptx_version;
        found.binaryVersion = (int)info->binary_version;
        found.maxDynamicSharedSizeBytes = (int)info->max_dynamic_shared_bytes;
        found.preferredShmemCarveout = kernel->carveout;
        found.clusterDimMustBeSet = info->cluster.x > 0;
        sim_dim3 compiled = sim_compiled_cluster(info->cluster);
        sim_dim3 cluster = compiled.x ? compiled : kernel->cluster;
        found.requiredClusterWidth = (int)cluster.x;
        found.requiredClusterHeight = (int)cluster.y;
        found.requiredClusterDepth = (int)cluster.z;
        found.clusterSchedulingPolicyPreference = kernel->cluster_policy;
        found.nonPortableClusterSizeAllowed = kernel->beyond_portable;
        RUNTIME_STRUCT_COPY(cudaFuncAttributes, attr, &found);
    }
    return runtime_leave(status);
}

cudaError_t cudaFuncSetAttribute(const void *func, enum cudaFuncAttribute attr, int value) {
    cudaError_t status =
        runtime_enter(RUNTIME_DEVICE, "cudaFuncSetAttribute(%p, %d, %d)", func, (int)attr, value);
    if (!status) status = runtime_function_set(func, attr, value);
    return runtime_leave(status);
}

cudaError_t cudaKernelSetAttributeForDevice(cudaKernel_t kernel, enum cudaFuncAttribute attr,
                                            int value, int device) {
    cudaError_t status = runtime_enter(RUNTIME_DEVICE, "cudaKernelSetAttributeForDevice(%p, %d)",
                                       (void *)kernel, (int)attr);
    if (!status && !runtime_has_device(device)) status = cudaErrorInvalidDevice;
    if (!status) runtime_use(device);
    if (!status) status = runtime_function_set(kernel, attr, value);
    return runtime_leave(status);
}

cudaError_t cudaFuncSetCacheConfig(const void *func, enum cudaFuncCache cacheConfig) {
    cudaError_t status =
        runtime_enter(RUNTIME_DEVICE, "cudaFuncSetCacheConfig(%p, %d)", func, (int)cacheConfig);
    struct CUkern_st *kernel;
    if (!status && (unsigned)cacheConfig > cudaFuncCachePreferEqual) status = cudaErrorInvalidValue;
    if (!status) status = runtime_kernel_find(func, &kernel);
    if (!status) kernel->prefers_l1 = cacheConfig == cudaFuncCachePreferL1;
    return runtime_leave(status);
}

cudaError_t cudaFuncSetSharedMemConfig(const void *func, enum cudaSharedMemConfig config) {
    cudaError_t status =
        runtime_enter(RUNTIME_DEVICE, "cudaFuncSetSharedMemConfig(%p, %d)", func, (int)config);
    struct CUkern_st *kernel;
    if (!status) status = runtime_kernel_find(func, &kernel);
    return runtime_leave(status);
}

cudaError_t cudaFuncGetName(const char **name, const void *func) {
    cudaError_t status = runtime_enter(RUNTIME_DEVICE, "cudaFuncGetName(%p)", func);
    struct CUkern_st *kernel = NULL;
    if (!status && !name) status = cudaErrorInvalidValue;
    if (!status) status = runtime_kernel_find(func, &kernel);
    if (!status) *name = kernel->name;
    return runtime_leave(status);
}

cudaError_t cudaFuncGetParamInfo(const void *func, size_t paramIndex, size_t *paramOffset,
                                 size_t *paramSize) {
    cudaError_t status =
        runtime_enter(RUNTIME_DEVICE, "cudaFuncGetParamInfo(%p, %zu)", func, paramIndex);
    struct CUkern_st *kernel = NULL;
    if (!status) status = runtime_kernel_find(func, &kernel);
    if (!status && (!paramOffset || paramIndex >= kernel->info.param_count))
        status = cudaErrorInvalidValue;
    if (!status) {
        *paramOffset = kernel->info.params[paramIndex].offset;
        if (paramSize) *paramSize = kernel->info.params[paramIndex].size_bytes;
    }
    return runtime_leave(status);
}

cudaError_t cudaFuncGetParamCount(const void *func, size_t *paramCount) {
    cudaError_t status = runtime_enter(RUNTIME_DEVICE, "cudaFuncGetParamCount(%p)", func);
    struct CUkern_st *kernel = NULL;
    if (!status) status = runtime_kernel_find(func, &kernel);
    if (!status && !paramCount) status = cudaErrorInvalidValue;
    if (!status) *paramCount = kernel->info.param_count;
    return runtime_leave(status);
}

// ---- occupancy ----------------------------------------------------------------------------------

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *numBlocks, const void *func,
                                                                   int blockSize,
                                                                   size_t dynamicSMemSize,
                                                                   unsigned int flags) {
    cudaError_t status =
        runtime_enter(RUNTIME_DEVICE, "cudaOccupancyMaxActiveBlocksPerMultiprocessor(%p, %d, %zu)",
                      func, blockSize, dynamicSMemSize);
    if (!status && (flags & ~(unsigned)cudaOccupancyDisableCachingOverride))
        status = cudaErrorInvalidValue;
    if (!status) status = runtime_blocks_per_sm(func, blockSize, dynamicSMemSize, numBlocks);
    return runtime_leave(status);
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *numBlocks, const void *func,
                                                          int blockSize, size_t dynamicSMemSize) {
    return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
        numBlocks, func, blockSize, dynamicSMemSize, cudaOccupancyDefault);
}

cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *dynamicSmemSize, const void *func,
                                                      int numBlocks, int blockSize) {
    cudaError_t status =
        runtime_enter(RUNTIME_DEVICE, "cudaOccupancyAvailableDynamicSMemPerBlock(%p, %d, %d)", func,
                      numBlocks, blockSize);
    if (!status) status = runtime_dynamic_bytes(func, numBlocks, blockSize, dynamicSmemSize);
    return runtime_leave(status);
}

// ---- clusters -----------------------------------------------------------------------------------

// Blocks of the cluster that a configuration asks for, else of the one that the kernel is compiled
// for, else 0. cudaErrorInvalidClusterSize: the kernel may not have such clusters.
static cudaError_t cluster_blocks(const struct CUkern_st *kernel, const cudaLaunchConfig_t *config,
                                  unsigned *out_blocks) {
    sim_dim3 compiled = sim_compiled_cluster(kernel->info.cluster), grid;
    dim3 cluster = {compiled.x, compiled.y, compiled.z};
    *out_blocks = 0;
    for (unsigned i = 0; i < config->numAttrs; i++) {
        const cudaLaunchAttribute *at = &config->attrs[i];
        if (at->id != cudaLaunchAttributeClusterDimension) continue;
        cluster = (dim3){at->val.clusterDim.x, at->val.clusterDim.y, at->val.clusterDim.z};
        bool differs = compiled.x && (cluster.x != compiled.x || cluster.y != compiled.y ||
                                      cluster.z != compiled.z);
        if (differs || !runtime_cluster_fits(kernel, cluster)) return cudaErrorInvalidClusterSize;
    }
    if (!cluster.x) return cudaSuccess;
    grid = (sim_dim3){config->gridDim.x, config->gridDim.y, config->gridDim.z};
    if (grid.x % cluster.x || grid.y % cluster.y || grid.z % cluster.z)
        return cudaErrorInvalidClusterSize;
    *out_blocks = cluster.x * cluster.y * cluster.z;
    return cudaSuccess;
}

// Blocks of clusters on an SM: up to 8; a bound of __launch_bounds__ on threads is not looked at.
// (As an H200 answers.)
static cudaError_t blocks_of_config(const void *function, const cudaLaunchConfig_t *config,
                                    struct CUkern_st **out_kernel, int *out_blocks) {
    enum { MOST_OF_CLUSTERS = 8 };
    if (!config || (config->numAttrs && !config->attrs)) return cudaErrorInvalidValue;
    uint64_t threads = (uint64_t)config->blockDim.x * config->blockDim.y * config->blockDim.z;
    uint64_t grid = (uint64_t)config->gridDim.x * config->gridDim.y * config->gridDim.z;
    if (threads == 0 || grid == 0) return cudaErrorInvalidValue;
    cudaError_t status = runtime_kernel_find(function, out_kernel);
    if (status) return status;
    uint32_t most = (*out_kernel)->info.max_threads;
    *out_blocks = 0;
    if (threads > SIM_BLOCK_MOST_XY) return cudaSuccess;
    if (most && threads > most) threads = most;
    status = runtime_blocks_per_sm(function, (int)threads, config->dynamicSmemBytes, out_blocks);
    if (*out_blocks > MOST_OF_CLUSTERS) *out_blocks = MOST_OF_CLUSTERS;
    return status;
}

cudaError_t cudaOccupancyMaxPotentialClusterSize(int *clusterSize, const void *func,
                                                 const cudaLaunchConfig_t *launchConfig) {
    cudaError_t status =
        runtime_enter(RUNTIME_DEVICE, "cudaOccupancyMaxPotentialClusterSize(%p)", func);
    int blocks = 0;
    struct CUkern_st *kernel;
    if (!status && !clusterSize) status = cudaErrorInvalidValue;
    if (!status) status = blocks_of_config(func, launchConfig, &kernel, &blocks);
    if (!status && kernel->info.cluster.x) status = cudaErrorInvalidClusterSize;
    if (!status) *clusterSize = (int)runtime_cluster_blocks(kernel);
    if (!status && blocks == 0) *clusterSize = 0;
    return runtime_leave(status);
}

cudaError_t cudaOccupancyMaxActiveClusters(int *numClusters, const void *func,
                                           const cudaLaunchConfig_t *launchConfig) {
    cudaError_t status = runtime_enter(RUNTIME_DEVICE, "cudaOccupancyMaxActiveClusters(%p)", func);
    int blocks = 0;
    unsigned each = 0;
    struct CUkern_st *kernel;
    if (!status && !numClusters) status = cudaErrorInvalidValue;
    if (!status) status = blocks_of_config(func, launchConfig, &kernel, &blocks);
    if (!status) status = cluster_blocks(kernel, launchConfig, &each);
    const sim_device *device = status ? NULL : sim_engine_device(runtime.engine);
    if (!status) *numClusters = each ? (int)sim_active_clusters(device, (uint32_t)blocks, each) : 0;
    return runtime_leave(status);
}
