// Arrays: cudaMallocArray and its relatives (CUDA Runtime API, "Memory Management").
#include "runtime/memory/memory.h"

struct cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w,
                                                   enum cudaChannelFormatKind f) {
    return (struct cudaChannelFormatDesc){x, y, z, w, f};
}

cudaError_t cudaMallocArray(cudaArray_t *array, const struct cudaChannelFormatDesc *desc,
                            size_t width, size_t height, unsigned int flags) {
    cudaError_t status = runtime_enter(RUNTIME_DEVICE | RUNTIME_UNSAFE,
                                       "cudaMallocArray(%zu, %zu, %u)", width, height, flags);
    if (!status && (flags & cudaArrayLayered)) status = cudaErrorInvalidValue;
    if (!status)
        status = runtime_array_create(array, desc, (struct cudaExtent){width, height, 0}, flags);
    return runtime_leave(status);
}

cudaError_t cudaMalloc3DArray(cudaArray_t *array, const struct cudaChannelFormatDesc *desc,
                              struct cudaExtent extent, unsigned int flags) {
    cudaError_t status =
        runtime_enter(RUNTIME_DEVICE | RUNTIME_UNSAFE, "cudaMalloc3DArray(%zu, %zu, %zu, %u)",
                      extent.width, extent.height, extent.depth, flags);
    if (!status) status = runtime_array_create(array, desc, extent, flags);
    return runtime_leave(status);
}

cudaError_t cudaFreeArray(cudaArray_t array) {
    cudaError_t status =
        runtime_enter(RUNTIME_SYNC | RUNTIME_UNSAFE, "cudaFreeArray(%p)", (void *)array);
    struct cudaArray *live = status ? NULL : runtime_array_find(array);
    if (!status && array && !live) status = cudaErrorContextIsDestroyed;
    if (live && !live->is_level) status = runtime_array_free(live); // a mipmap frees its levels
    return runtime_leave(status);
}

cudaError_t cudaArrayGetInfo(struct cudaChannelFormatDesc *desc, struct cudaExtent *extent,
                             unsigned int *flags, cudaArray_t array) {
    cudaError_t status = runtime_enter(RUNTIME_DEVICE, "cudaArrayGetInfo(%p)", (void *)array);
    const struct cudaArray *live = status ? NULL : runtime_array_find(array);
    if (!status && !live) status = cudaErrorInvalidResourceHandle;
    if (!status) {
        if (desc) *desc = live->channels;
        if (extent) *extent = live->extent;
        if (flags) *flags = live->flags;
    }
    return runtime_leave(status);
}

cudaError_t cudaGetChannelDesc(struct cudaChannelFormatDesc *desc, cudaArray_const_t array) {
    cudaError_t status = runtime_enter(RUNTIME_DEVICE, "cudaGetChannelDesc(%p)", (void *)array);
    const struct cudaArray *live = status ? NULL : runtime_array_find(array);
    if (!status && !live) status = cudaErrorInvalidResourceHandle;
    if (!status && !desc) status = cudaErrorInvalidValue;
    if (!status) *desc = live->channels;
    return runtime_leave(status);
}

cudaError_t cudaMallocMipmappedArray(cudaMipmappedArray_t *mipmappedArray,
                                     const struct cudaChannelFormatDesc *desc,
                                     struct cudaExtent extent, unsigned int numLevels,
                                     unsigned int flags) {
    cudaError_t status = runtime_enter(RUNTIME_DEVICE | RUNTIME_UNSAFE,
                                       "cudaMallocMipmappedArray(%zu, %zu, %zu, %u, %u)",
                                       extent.width, extent.height, extent.depth, numLevels, flags);
    if (!status) status = runtime_mipmap_create(mipmappedArray, desc, extent, numLevels, flags);
    return runtime_leave(status);
}

cudaError_t cudaGetMipmappedArrayLevel(cudaArray_t *levelArray,
                                       cudaMipmappedArray_const_t mipmappedArray,
                                       unsigned int level) {
    cudaError_t status = runtime_enter(RUNTIME_DEVICE, "cudaGetMipmappedArrayLevel(%p, %u)",
                                       (const void *)mipmappedArray, level);
    struct cudaMipmappedArray *live = status ? NULL : runtime_mipmap_find(mipmappedArray);
    if (!status && !live) status = cudaErrorInvalidResourceHandle;
    if (!status && (!levelArray || level >= live->count)) status = cudaErrorInvalidValue;
    if (!status) *levelArray = &live->levels[level];
    return runtime_leave(status);
}

cudaError_t cudaFreeMipmappedArray(cudaMipmappedArray_t mipmappedArray) {
    cudaError_t status = runtime_enter(RUNTIME_SYNC | RUNTIME_UNSAFE, "cudaFreeMipmappedArray(%p)",
                                       (void *)mipmappedArray);
    struct cudaMipmappedArray *live = status ? NULL : runtime_mipmap_find(mipmappedArray);
    if (!status && mipmappedArray && !live) status = cudaErrorContextIsDestroyed;
    if (live) status = runtime_mipmap_free(live);
    return runtime_leave(status);
}

// Planes, sparse properties and requirements belong to arrays that are refused above.
static cudaError_t refuse_kind(const char *call, const void *array) {
    cudaError_t status = runtime_enter(RUNTIME_DEVICE, "%s(%p)", call, array);
    if (!status) status = cudaErrorInvalidValue;
    return runtime_leave(status);
}

cudaError_t cudaArrayGetPlane(cudaArray_t *pPlaneArray, cudaArray_t hArray, unsigned int planeIdx) {
    (void)pPlaneArray, (void)planeIdx;
    return refuse_kind("cudaArrayGetPlane", hArray);
}

cudaError_t cudaArrayGetSparseProperties(struct cudaArraySparseProperties *sparseProperties,
                                         cudaArray_t array) {
    (void)sparseProperties;
    return refuse_kind("cudaArrayGetSparseProperties", array);
}

cudaError_t cudaArrayGetMemoryRequirements(struct cudaArrayMemoryRequirements *memoryRequirements,
                                           cudaArray_t array, int device) {
    (void)memoryRequirements, (void)device;
    return refuse_kind("cudaArrayGetMemoryRequirements", array);
}

cudaError_t
cudaMipmappedArrayGetSparseProperties(struct cudaArraySparseProperties *sparseProperties,
                                      cudaMipmappedArray_t mipmap) {
    (void)sparseProperties;
    return refuse_kind("cudaMipmappedArrayGetSparseProperties", mipmap);
}

cudaError_t
cudaMipmappedArrayGetMemoryRequirements(struct cudaArrayMemoryRequirements *memoryRequirements,
                                        cudaMipmappedArray_t mipmap, int device) {
    (void)memoryRequirements, (void)device;
    return refuse_kind("cudaMipmappedArrayGetMemoryRequirements", mipmap);
}
