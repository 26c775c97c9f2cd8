// Advice about managed memory: accepted where the real runtime accepts it. Nothing moves, because
// host and kernels use the same pages (memory/host_pages.c); a prefetch takes its time on the
// stream.
#include "runtime/stream/stream.h"

static bool is_managed(const void *pointer, size_t bytes) {
    uint64_t address = (uint64_t)(uintptr_t)pointer;
    const runtime_range *range = runtime_range_find(address);
    return range && range->kind == RUNTIME_MEMORY_MANAGED &&
           bytes <= range->bytes - (address - range->base);
}

static bool is_location(struct cudaMemLocation location) {
    if (location.type == cudaMemLocationTypeDevice) return runtime_has_device(location.id);
    return location.type == cudaMemLocationTypeHost ||
           location.type == cudaMemLocationTypeHostNumaCurrent ||
           location.type == cudaMemLocationTypeHostNuma;
}

static bool needs_location(enum cudaMemoryAdvise advice) {
    return advice != cudaMemAdviseSetReadMostly && advice != cudaMemAdviseUnsetReadMostly &&
           advice != cudaMemAdviseUnsetPreferredLocation;
}

static int device_of(struct cudaMemLocation location) {
    return location.type == cudaMemLocationTypeDevice ? location.id : cudaCpuDeviceId;
}

// Kept for the whole allocation, whatever part of it was named.
static void take_advice(runtime_range *range, enum cudaMemoryAdvise advice,
                        struct cudaMemLocation location) {
    if (advice == cudaMemAdviseSetReadMostly) range->read_mostly = true;
    if (advice == cudaMemAdviseUnsetReadMostly) range->read_mostly = false;
    if (advice == cudaMemAdviseSetPreferredLocation) range->preferred = device_of(location);
    if (advice == cudaMemAdviseUnsetPreferredLocation) range->preferred = cudaInvalidDeviceId;
}

cudaError_t cudaMemAdvise_v2(const void *devPtr, size_t count, enum cudaMemoryAdvise advice,
                             struct cudaMemLocation location) {
    cudaError_t status =
        runtime_enter(RUNTIME_DEVICE, "cudaMemAdvise(%p, %zu, %d)", devPtr, count, (int)advice);
    if (!status && (!is_managed(devPtr, count) || advice < cudaMemAdviseSetReadMostly ||
                    advice > cudaMemAdviseUnsetAccessedBy))
        status = cudaErrorInvalidValue;
    if (!status && needs_location(advice) && !is_location(location)) status = cudaErrorInvalidValue;
    if (!status) take_advice(runtime_range_find((uint64_t)(uintptr_t)devPtr), advice, location);
    return runtime_leave(status);
}

// The copy that a prefetch saves later is charged now.
cudaError_t cudaMemPrefetchAsync_v2(const void *devPtr, size_t count,
                                    struct cudaMemLocation location, unsigned int flags,
                                    cudaStream_t stream) {
    cudaError_t status = runtime_enter(RUNTIME_DEVICE, "cudaMemPrefetchAsync(%p, %zu, %d, %p)",
                                       devPtr, count, location.id, (void *)stream);
    struct CUstream_st *found = status ? NULL : runtime_stream_find(stream);
    if (!status && !found) status = cudaErrorInvalidResourceHandle;
    if (!status && (flags != 0 || count == 0 || !is_managed(devPtr, count)))
        status = cudaErrorInvalidValue;
    if (!status && !is_location(location)) status = cudaErrorInvalidDevice;
    if (!status) {
        bool up = location.type == cudaMemLocationTypeDevice;
        runtime_transfer transfer = {.direction = up ? RUNTIME_COPY_HOST_TO_DEVICE
                                                     : RUNTIME_COPY_DEVICE_TO_HOST,
                                     .bytes = count,
                                     .pinned = true};
        runtime_clock_transfer(&runtime.clock, &found->queue, sim_engine_device(runtime.engine),
                               &transfer, false);
        runtime_range_find((uint64_t)(uintptr_t)devPtr)->last_prefetch = device_of(location);
    }
    return runtime_leave(status);
}

static int type_of(int device) {
    if (device == cudaInvalidDeviceId) return cudaMemLocationTypeInvalid;
    return device == cudaCpuDeviceId ? cudaMemLocationTypeHost : cudaMemLocationTypeDevice;
}

static cudaError_t range_attribute(const void *pointer, void *data, size_t data_bytes,
                                   enum cudaMemRangeAttribute attribute) {
    const runtime_range *range = runtime_range_find((uint64_t)(uintptr_t)pointer);
    if (!data || data_bytes == 0 || data_bytes % sizeof(int) != 0) return cudaErrorInvalidValue;
    int *values = data;
    switch (attribute) {
    case cudaMemRangeAttributeReadMostly: values[0] = range->read_mostly; return cudaSuccess;
    case cudaMemRangeAttributePreferredLocation: values[0] = range->preferred; return cudaSuccess;
    case cudaMemRangeAttributeLastPrefetchLocation:
        values[0] = range->last_prefetch;
        return cudaSuccess;
    case cudaMemRangeAttributeAccessedBy:
        for (size_t i = 0; i < data_bytes / sizeof(int); i++) values[i] = cudaInvalidDeviceId;
        return cudaSuccess;
    case cudaMemRangeAttributePreferredLocationType:
        values[0] = type_of(range->preferred);
        return cudaSuccess;
    case cudaMemRangeAttributeLastPrefetchLocationType:
        values[0] = type_of(range->last_prefetch);
        return cudaSuccess;
    case cudaMemRangeAttributePreferredLocationId:
    case cudaMemRangeAttributeLastPrefetchLocationId: values[0] = 0; return cudaSuccess;
    default: return cudaErrorInvalidValue;
    }
}

cudaError_t cudaMemRangeGetAttribute(void *data, size_t dataSize,
                                     enum cudaMemRangeAttribute attribute, const void *devPtr,
                                     size_t count) {
    cudaError_t status = runtime_enter(RUNTIME_DEVICE, "cudaMemRangeGetAttribute(%d, %p, %zu)",
                                       (int)attribute, devPtr, count);
    if (!status && !is_managed(devPtr, count)) status = cudaErrorInvalidValue;
    if (!status) status = range_attribute(devPtr, data, dataSize, attribute);
    return runtime_leave(status);
}

cudaError_t cudaMemRangeGetAttributes(void **data, size_t *dataSizes,
                                      enum cudaMemRangeAttribute *attributes, size_t numAttributes,
                                      const void *devPtr, size_t count) {
    cudaError_t status =
        runtime_enter(RUNTIME_DEVICE, "cudaMemRangeGetAttributes(%p, %zu)", devPtr, count);
    if (!status && (!is_managed(devPtr, count) || !data || !dataSizes || !attributes))
        status = cudaErrorInvalidValue;
    for (size_t i = 0; !status && i < numAttributes; i++)
        status = range_attribute(devPtr, data[i], dataSizes[i], attributes[i]);
    return runtime_leave(status);
}

cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void *devPtr, size_t length,
                                     unsigned int flags) {
    cudaError_t status = runtime_enter(RUNTIME_DEVICE, "cudaStreamAttachMemAsync(%p, %p, %zu, %u)",
                                       (void *)stream, devPtr, length, flags);
    if (!status && !runtime_stream_find(stream)) status = cudaErrorInvalidResourceHandle;
    if (!status && (!is_managed(devPtr, length) ||
                    (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost &&
                     flags != cudaMemAttachSingle) ||
                    (flags == cudaMemAttachSingle && runtime_stream_find(stream)->queue.legacy)))
        status = cudaErrorInvalidValue;
    return runtime_leave(status);
}
