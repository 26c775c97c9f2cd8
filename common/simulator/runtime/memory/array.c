// SPDX-License-Identifier: MIT
// Arrays: cudaMallocArray and its relatives (CUDA Runtime API, "Memory Management"). A cube map has its
// faces as layers. Mipmaps, sparse and planar arrays are refused.
#include "runtime/memory/array.h"

#include <stdlib.h>

size_t runtime_texel_bytes(const struct cudaChannelFormatDesc *channels) {
    int bits = channels->x, count = 1;
    const int rest[] = {channels->y, channels->z, channels->w};
    bool integer =
        channels->f == cudaChannelFormatKindSigned || channels->f == cudaChannelFormatKindUnsigned;
    if (!integer && channels->f != cudaChannelFormatKindFloat) return 0;
    if (bits != 32 && bits != 16 && !(bits == 8 && integer)) return 0;
    for (int i = 0; i < 3; i++) {
        if (rest[i] == 0) break;
        if (rest[i] != bits) return 0;
        count++;
    }
    for (int i = count - 1; i < 3; i++)
        if (rest[i] != 0) return 0;
    return count == 3 ? 0 : (size_t)(bits / 8 * count);
}

struct cudaArray *runtime_array_find(cudaArray_const_t array) {
    return array ? runtime_map_get(&runtime.arrays, array) : NULL;
}

void runtime_arrays_reset(void) {
    struct cudaArray *array;
    for (size_t at = 0; (array = runtime_map_next(&runtime.arrays, &at));) {
        sim_memory_free(runtime.engine, array->address, NULL);
        free(array);
    }
    runtime_map_free(&runtime.arrays);
}

// The largest sizes of compute capability 9.0 (CUDA C++ Programming Guide, "Technical
// Specifications per Compute Capability").
static bool fits_device(struct cudaExtent size, unsigned flags) {
    bool layered = flags & cudaArrayLayered, gathers = flags & cudaArrayTextureGather;
    if (size.width == 0) return false;
    if (flags & cudaArrayCubemap) {
        if (size.width != size.height || size.width > 32768) return false;
        if (size.depth == 0 || size.depth % 6 != 0) return false;
        return layered ? size.depth <= 2046 : size.depth == 6;
    }
    if (layered) {
        if (size.depth == 0 || size.depth > 2048) return false;
        return size.width <= 32768 && size.height <= 32768;
    }
    if (size.depth) {
        if (gathers || size.height == 0) return false;
        return size.width <= 16384 && size.height <= 16384 && size.depth <= 16384;
    }
    if (gathers) return size.height > 0 && size.width <= 32768 && size.height <= 32768;
    return size.width <= 131072 && size.height <= 65536;
}

static cudaError_t create(cudaArray_t *out_array, const struct cudaChannelFormatDesc *channels,
                          struct cudaExtent size, unsigned flags) {
    if (!out_array || !channels) return cudaErrorInvalidValue;
    if (flags & (cudaArraySparse | cudaArrayDeferredMapping | cudaArrayColorAttachment)) {
        runtime_say("sparse and deferred arrays are not supported");
        return cudaErrorNotSupported;
    }
    size_t texel = runtime_texel_bytes(channels);
    if (texel == 0) return cudaErrorInvalidChannelDescriptor;
    if (!fits_device(size, flags)) return cudaErrorInvalidValue;
    struct cudaArray *array = calloc(1, sizeof *array);
    if (!array) return cudaErrorMemoryAllocation;
    *array = (struct cudaArray){.texel_bytes = texel,
                                .rows = size.height ? size.height : 1,
                                .slices = size.depth ? size.depth : 1,
                                .channels = *channels,
                                .extent = size,
                                .flags = flags};
    array->row_bytes = size.width * texel;
    array->slice_bytes = array->row_bytes * array->rows;
    sim_error error = {0};
    if (sim_memory_alloc(runtime.engine, array->slice_bytes * array->slices, &array->address,
                         &error) != SIM_OK) {
        free(array);
        return runtime_fail(&error);
    }
    if (!runtime_map_put(&runtime.arrays, array, array)) {
        sim_memory_free(runtime.engine, array->address, NULL);
        free(array);
        return cudaErrorMemoryAllocation;
    }
    *out_array = array;
    return cudaSuccess;
}

cudaError_t cudaMallocArray(cudaArray_t *array, const struct cudaChannelFormatDesc *desc,
                            size_t width, size_t height, unsigned int flags) {
    cudaError_t status = runtime_enter(RUNTIME_DEVICE | RUNTIME_UNSAFE,
                                       "cudaMallocArray(%zu, %zu, %u)", width, height, flags);
    if (!status && (flags & cudaArrayLayered)) status = cudaErrorInvalidValue;
    if (!status) status = create(array, desc, (struct cudaExtent){width, height, 0}, flags);
    return runtime_leave(status);
}

cudaError_t cudaMalloc3DArray(cudaArray_t *array, const struct cudaChannelFormatDesc *desc,
                              struct cudaExtent extent, unsigned int flags) {
    cudaError_t status =
        runtime_enter(RUNTIME_DEVICE | RUNTIME_UNSAFE, "cudaMalloc3DArray(%zu, %zu, %zu, %u)",
                      extent.width, extent.height, extent.depth, flags);
    if (!status) status = create(array, desc, extent, flags);
    return runtime_leave(status);
}

cudaError_t cudaFreeArray(cudaArray_t array) {
    cudaError_t status =
        runtime_enter(RUNTIME_SYNC | RUNTIME_UNSAFE, "cudaFreeArray(%p)", (void *)array);
    struct cudaArray *live = status ? NULL : runtime_array_find(array);
    if (!status && array && !live) status = cudaErrorContextIsDestroyed;
    if (live) {
        sim_error error = {0};
        if (sim_memory_free(runtime.engine, live->address, &error) != SIM_OK)
            status = runtime_fail(&error);
        runtime_map_remove(&runtime.arrays, live);
        free(live);
    }
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

// Planes, sparse properties and requirements belong to arrays that are refused above.
static cudaError_t refuse_kind(const char *call, cudaArray_t array) {
    cudaError_t status = runtime_enter(RUNTIME_DEVICE, "%s(%p)", call, (void *)array);
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
