// SPDX-License-Identifier: MIT
// Attributes of kernels and occupancy questions (CUDA Runtime API reference, "Execution Control",
// "Occupancy").
#include <string.h>

#include "base/base.h"
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
    if (!status && device != 0) status = cudaErrorInvalidDevice;
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

// Blocks of the cluster that a configuration asks for; 1 without the attribute, 0 for a size that
// the kernel may not have.
static unsigned cluster_blocks(const struct CUkern_st *kernel, const cudaLaunchConfig_t *config) {
    for (unsigned i = 0; i < config->numAttrs; i++) {
        const cudaLaunchAttribute *at = &config->attrs[i];
        if (at->id != cudaLaunchAttributeClusterDimension) continue;
        dim3 cluster = {at->val.clusterDim.x, at->val.clusterDim.y, at->val.clusterDim.z};
        return runtime_cluster_fits(kernel, cluster) ? cluster.x * cluster.y * cluster.z : 0;
    }
    return 1;
}

static cudaError_t blocks_of_config(const void *function, const cudaLaunchConfig_t *config,
                                    int *out_blocks) {
    if (!config || (config->numAttrs && !config->attrs)) return cudaErrorInvalidValue;
    uint64_t threads = (uint64_t)config->blockDim.x * config->blockDim.y * config->blockDim.z;
    if (threads == 0 || threads > SIM_BLOCK_MOST_XY) return cudaErrorInvalidValue;
    return runtime_blocks_per_sm(function, (int)threads, config->dynamicSmemBytes, out_blocks);
}

cudaError_t cudaOccupancyMaxPotentialClusterSize(int *clusterSize, const void *func,
                                                 const cudaLaunchConfig_t *launchConfig) {
    cudaError_t status =
        runtime_enter(RUNTIME_DEVICE, "cudaOccupancyMaxPotentialClusterSize(%p)", func);
    int blocks = 0;
    struct CUkern_st *kernel;
    if (!status && !clusterSize) status = cudaErrorInvalidValue;
    if (!status) status = blocks_of_config(func, launchConfig, &blocks);
    if (!status) status = runtime_kernel_find(func, &kernel);
    if (!status && cluster_blocks(kernel, launchConfig) == 0) status = cudaErrorInvalidClusterSize;
    if (!status) *clusterSize = (int)runtime_cluster_blocks(kernel);
    if (!status && blocks == 0) *clusterSize = 0;
    return runtime_leave(status);
}

// Upper bound: how clusters spread over the groups of multiprocessors is not modelled. (Of blocks
// with 1024 threads an H200 holds 62 clusters of 4, 30 of 8 and 14 of 16, where this says 66, 33
// and 16.)
cudaError_t cudaOccupancyMaxActiveClusters(int *numClusters, const void *func,
                                           const cudaLaunchConfig_t *launchConfig) {
    cudaError_t status = runtime_enter(RUNTIME_DEVICE, "cudaOccupancyMaxActiveClusters(%p)", func);
    int blocks = 0;
    unsigned each = 1;
    struct CUkern_st *kernel;
    if (!status && !numClusters) status = cudaErrorInvalidValue;
    if (!status) status = blocks_of_config(func, launchConfig, &blocks);
    if (!status) status = runtime_kernel_find(func, &kernel);
    if (!status) each = cluster_blocks(kernel, launchConfig);
    if (!status && each == 0) status = cudaErrorInvalidClusterSize;
    if (!status)
        *numClusters = (int)((unsigned)blocks * sim_engine_device(runtime.engine)->sm_count / each);
    return runtime_leave(status);
}
