// SPDX-License-Identifier: MIT
// Arrays: what cudaMallocArray and its relatives make (CUDA Runtime API, "Memory Management"). A
// cube map has its faces as layers. Mipmaps, sparse and planar arrays are refused.
#include "runtime/memory/memory.h"

#include <stdlib.h>

#include "runtime/state/state.h"

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

cudaError_t runtime_array_create(cudaArray_t *out_array,
                                 const struct cudaChannelFormatDesc *channels,
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
    kl_error err = {0};
    if (sim_memory_alloc(runtime.engine, array->slice_bytes * array->slices, &array->address,
                         &err) != SIM_OK) {
        free(array);
        return runtime_fail(&err);
    }
    if (!runtime_map_put(&runtime.arrays, array, array)) {
        sim_memory_free(runtime.engine, array->address, NULL);
        free(array);
        return cudaErrorMemoryAllocation;
    }
    *out_array = array;
    return cudaSuccess;
}

cudaError_t runtime_array_free(struct cudaArray *array) {
    kl_error err = {0};
    sim_status status = sim_memory_free(runtime.engine, array->address, &err);
    runtime_map_remove(&runtime.arrays, array);
    free(array);
    return status == SIM_OK ? cudaSuccess : runtime_fail(&err);
}

void *runtime_array_corner(const struct cudaArray *array, size_t x, size_t y, size_t z) {
    return (void *)(uintptr_t)(array->address + z * array->slice_bytes + y * array->row_bytes + x);
}

bool runtime_is_inside(size_t at, size_t count, size_t size) {
    return at <= size && count <= size - at;
}

bool runtime_array_holds(const struct cudaArray *array, size_t x, size_t y, size_t width,
                         size_t height) {
    return runtime_is_inside(x, width, array->row_bytes) &&
           runtime_is_inside(y, height, array->rows);
}
