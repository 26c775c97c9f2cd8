// Stream-ordered allocation, and the pools that it accounts to (CUDA Runtime API reference, "Stream
// Ordered Memory Allocator").
#include "runtime/submit/submit.h"

typedef runtime_pool pool;

cudaError_t cudaMallocAsync(void **devPtr, size_t size, cudaStream_t hStream) {
    cudaError_t status =
        runtime_enter(RUNTIME_DEVICE, "cudaMallocAsync(%zu, %p)", size, (void *)hStream);
    const struct CUstream_st *stream = status ? NULL : runtime_stream_find(hStream);
    if (stream) runtime_use(stream->queue.device);
    if (!status) status = runtime_submit_allocation(runtime_pool_current(), size, hStream, devPtr);
    return runtime_leave(status);
}

cudaError_t cudaMallocFromPoolAsync(void **ptr, size_t size, cudaMemPool_t memPool,
                                    cudaStream_t stream) {
    cudaError_t status = runtime_enter(RUNTIME_DEVICE, "cudaMallocFromPoolAsync(%zu, %p, %p)", size,
                                       (void *)memPool, (void *)stream);
    if (!status && !runtime_pool_is_live(memPool)) status = cudaErrorInvalidValue;
    if (!status) status = runtime_submit_allocation(memPool, size, stream, ptr);
    return runtime_leave(status);
}

cudaError_t cudaFreeAsync(void *devPtr, cudaStream_t hStream) {
    cudaError_t status =
        runtime_enter(RUNTIME_DEVICE, "cudaFreeAsync(%p, %p)", devPtr, (void *)hStream);
    if (!status) status = runtime_submit_release(devPtr, hStream);
    return runtime_leave(status);
}

// ---- which pool ---------------------------------------------------------------------------------

static cudaError_t answer_pool(const char *call, cudaMemPool_t *out_pool, int device,
                               bool current) {
    cudaError_t status = runtime_enter(RUNTIME_DEVICE, "%s(%d)", call, device);
    if (!status && !runtime_has_device(device)) status = cudaErrorInvalidDevice;
    if (!status && !out_pool) status = cudaErrorInvalidValue;
    if (!status) runtime_use(device);
    if (!status)
        *out_pool = current ? runtime_pool_current() : runtime_pool_default(RUNTIME_MEMORY_DEVICE);
    return runtime_leave(status);
}

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *memPool, int device) {
    return answer_pool("cudaDeviceGetDefaultMemPool", memPool, device, false);
}

cudaError_t cudaDeviceGetMemPool(cudaMemPool_t *memPool, int device) {
    return answer_pool("cudaDeviceGetMemPool", memPool, device, true);
}

cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t memPool) {
    cudaError_t status =
        runtime_enter(RUNTIME_DEVICE, "cudaDeviceSetMemPool(%d, %p)", device, (void *)memPool);
    if (!status && !runtime_has_device(device)) status = cudaErrorInvalidDevice;
    if (!status && (!runtime_pool_is_live(memPool) || memPool->device != device))
        status = cudaErrorInvalidValue;
    if (!status) runtime.devices[device].current_pool = memPool;
    return runtime_leave(status);
}

// The kind of memory that a location and a type of allocation name.
static cudaError_t kind_of(const struct cudaMemLocation *location, enum cudaMemAllocationType type,
                           runtime_memory_kind *out_kind) {
    if (!location) return cudaErrorInvalidValue;
    bool on_device = location->type == cudaMemLocationTypeDevice;
    if (on_device && !runtime_has_device(location->id)) return cudaErrorInvalidValue;
    if (on_device) runtime_use(location->id);
    if (type == cudaMemAllocationTypeManaged) {
        *out_kind = RUNTIME_MEMORY_MANAGED;
        return cudaSuccess;
    }
    if (type != cudaMemAllocationTypePinned) return cudaErrorInvalidValue;
    bool on_host = location->type == cudaMemLocationTypeHost ||
                   location->type == cudaMemLocationTypeHostNuma ||
                   location->type == cudaMemLocationTypeHostNumaCurrent;
    if (!on_device && !on_host) return cudaErrorInvalidValue;
    *out_kind = on_device ? RUNTIME_MEMORY_DEVICE : RUNTIME_MEMORY_PINNED;
    return cudaSuccess;
}

static cudaError_t pool_at(const char *call, cudaMemPool_t *out_pool,
                           const struct cudaMemLocation *location, enum cudaMemAllocationType type,
                           bool current) {
    runtime_memory_kind kind;
    cudaError_t status = runtime_enter(RUNTIME_DEVICE, "%s(%d)", call, (int)type);
    if (!status && !out_pool) status = cudaErrorInvalidValue;
    if (!status) status = kind_of(location, type, &kind);
    if (status) return runtime_leave(status);
    bool present = current && kind == RUNTIME_MEMORY_DEVICE;
    *out_pool = present ? runtime_pool_current() : runtime_pool_default(kind);
    return runtime_leave(cudaSuccess);
}

cudaError_t cudaMemGetDefaultMemPool(cudaMemPool_t *memPool, struct cudaMemLocation *location,
                                     enum cudaMemAllocationType type) {
    return pool_at("cudaMemGetDefaultMemPool", memPool, location, type, false);
}

cudaError_t cudaMemGetMemPool(cudaMemPool_t *memPool, struct cudaMemLocation *location,
                              enum cudaMemAllocationType type) {
    return pool_at("cudaMemGetMemPool", memPool, location, type, true);
}

cudaError_t cudaMemSetMemPool(struct cudaMemLocation *location, enum cudaMemAllocationType type,
                              cudaMemPool_t memPool) {
    runtime_memory_kind kind;
    cudaError_t status =
        runtime_enter(RUNTIME_DEVICE, "cudaMemSetMemPool(%d, %p)", (int)type, (void *)memPool);
    if (!status) status = kind_of(location, type, &kind);
    if (!status && (!runtime_pool_is_live(memPool) || memPool->kind != kind))
        status = cudaErrorInvalidValue;
    if (!status && kind != RUNTIME_MEMORY_DEVICE && !runtime_pool_is_default(memPool))
        status = cudaErrorNotSupported;
    if (!status && kind == RUNTIME_MEMORY_DEVICE) runtime.now->current_pool = memPool;
    return runtime_leave(status);
}

// ---- pools --------------------------------------------------------------------------------------

// No pool here was made to be shared.
cudaError_t cudaMemPoolExportToShareableHandle(void *shareableHandle, cudaMemPool_t memPool,
                                               enum cudaMemAllocationHandleType handleType,
                                               unsigned int flags) {
    (void)shareableHandle, (void)flags;
    cudaError_t status = runtime_enter(RUNTIME_DEVICE, "cudaMemPoolExportToShareableHandle(%p, %d)",
                                       (void *)memPool, (int)handleType);
    return runtime_leave(status ? status : cudaErrorInvalidValue);
}

static cudaError_t create(cudaMemPool_t *out_pool, const struct cudaMemPoolProps *properties) {
    runtime_memory_kind kind;
    if (!out_pool || !properties) return cudaErrorInvalidValue;
    cudaError_t status = kind_of(&properties->location, properties->allocType, &kind);
    if (status) return status;
    if (properties->handleTypes != cudaMemHandleTypeNone) return cudaErrorNotSupported;
    pool *made = runtime_pool_new(kind);
    if (!made) return cudaErrorMemoryAllocation;
    made->most = properties->maxSize;
    *out_pool = made;
    return cudaSuccess;
}

cudaError_t cudaMemPoolCreate(cudaMemPool_t *memPool, const struct cudaMemPoolProps *poolProps) {
    cudaError_t status = runtime_enter(RUNTIME_DEVICE, "cudaMemPoolCreate()");
    if (!status) status = create(memPool, poolProps);
    return runtime_leave(status);
}

cudaError_t cudaMemPoolDestroy(cudaMemPool_t memPool) {
    cudaError_t status = runtime_enter(RUNTIME_DEVICE, "cudaMemPoolDestroy(%p)", (void *)memPool);
    if (!status && (!runtime_pool_is_live(memPool) || runtime_pool_is_default(memPool)))
        status = cudaErrorInvalidValue;
    if (!status) runtime_pool_destroy(memPool);
    return runtime_leave(status);
}

cudaError_t cudaMemPoolTrimTo(cudaMemPool_t memPool, size_t minBytesToKeep) {
    cudaError_t status = runtime_enter(RUNTIME_DEVICE, "cudaMemPoolTrimTo(%p, %zu)",
                                       (void *)memPool, minBytesToKeep);
    if (!status && !runtime_pool_is_live(memPool)) status = cudaErrorInvalidValue;
    if (!status) runtime_pool_trim(memPool, minBytesToKeep);
    return runtime_leave(status);
}

cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t memPool, enum cudaMemPoolAttr attr, void *value) {
    cudaError_t status = runtime_enter(RUNTIME_DEVICE, "cudaMemPoolGetAttribute(%p, %d)",
                                       (void *)memPool, (int)attr);
    if (!status && (!runtime_pool_is_live(memPool) || !value)) status = cudaErrorInvalidValue;
    if (!status) status = runtime_pool_get(memPool, attr, value);
    return runtime_leave(status);
}

cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t memPool, enum cudaMemPoolAttr attr, void *value) {
    cudaError_t status = runtime_enter(RUNTIME_DEVICE, "cudaMemPoolSetAttribute(%p, %d)",
                                       (void *)memPool, (int)attr);
    if (!status && (!runtime_pool_is_live(memPool) || !value)) status = cudaErrorInvalidValue;
    if (!status) status = runtime_pool_set(memPool, attr, value);
    return runtime_leave(status);
}

cudaError_t cudaMemPoolGetAccess(enum cudaMemAccessFlags *flags, cudaMemPool_t memPool,
                                 struct cudaMemLocation *location) {
    cudaError_t status = runtime_enter(RUNTIME_DEVICE, "cudaMemPoolGetAccess(%p)", (void *)memPool);
    if (!status && (!runtime_pool_is_live(memPool) || !flags || !location))
        status = cudaErrorInvalidValue;
    bool is_host = location && location->type == cudaMemLocationTypeHost;
    if (!status && !is_host &&
        (location->type != cudaMemLocationTypeDevice || !runtime_has_device(location->id)))
        status = cudaErrorInvalidValue;
    if (!status && is_host) *flags = cudaMemAccessFlagsProtNone;
    else if (!status)
        *flags = location->id == memPool->device || memPool->reach >> location->id & 1
                     ? cudaMemAccessFlagsProtReadWrite
                     : cudaMemAccessFlagsProtNone;
    return runtime_leave(status);
}

cudaError_t cudaMemPoolSetAccess(cudaMemPool_t memPool, const struct cudaMemAccessDesc *descList,
                                 size_t count) {
    cudaError_t status =
        runtime_enter(RUNTIME_DEVICE, "cudaMemPoolSetAccess(%p, %zu)", (void *)memPool, count);
    if (!status && (!runtime_pool_is_live(memPool) || (count && !descList)))
        status = cudaErrorInvalidValue;
    for (size_t i = 0; !status && i < count; i++) {
        int device = descList[i].location.id;
        bool may = descList[i].flags == cudaMemAccessFlagsProtReadWrite;
        if (descList[i].location.type != cudaMemLocationTypeDevice || !runtime_has_device(device))
            status = cudaErrorInvalidValue;
        else if (!may && descList[i].flags) status = cudaErrorNotSupported;
        else if (!may && device == memPool->device) status = cudaErrorInvalidDevice;
        else if (device != memPool->device) runtime_pool_reach(memPool, device, may);
    }
    return runtime_leave(status);
}

// ---- the memory of graphs -----------------------------------------------------------------------

static cudaError_t enter_graph_memory(const char *call, int device) {
    cudaError_t status = runtime_enter(RUNTIME_DEVICE, "%s(%d)", call, device);
    if (status || !runtime_has_device(device)) return status ? status : cudaErrorInvalidDevice;
    runtime_use(device);
    return cudaSuccess;
}

cudaError_t cudaDeviceGetGraphMemAttribute(int device, enum cudaGraphMemAttributeType attr,
                                           void *value) {
    cudaError_t status = enter_graph_memory("cudaDeviceGetGraphMemAttribute", device);
    if (!status && (!value || (unsigned)attr > cudaGraphMemAttrReservedMemHigh))
        status = cudaErrorInvalidValue;
    bool high = attr == cudaGraphMemAttrUsedMemHigh || attr == cudaGraphMemAttrReservedMemHigh;
    const pool *graphs = runtime_pool_of_graphs();
    if (!status) *(uint64_t *)value = high ? graphs->reserved_high : graphs->reserved;
    return runtime_leave(status);
}

// A high-water mark can be reset; nothing else can be set.
cudaError_t cudaDeviceSetGraphMemAttribute(int device, enum cudaGraphMemAttributeType attr,
                                           void *value) {
    cudaError_t status = enter_graph_memory("cudaDeviceSetGraphMemAttribute", device);
    bool high = attr == cudaGraphMemAttrUsedMemHigh || attr == cudaGraphMemAttrReservedMemHigh;
    if (!status && (!value || !high || *(const uint64_t *)value != 0))
        status = cudaErrorInvalidValue;
    pool *graphs = runtime_pool_of_graphs();
    if (!status) graphs->reserved_high = graphs->reserved;
    return runtime_leave(status);
}

cudaError_t cudaDeviceGraphMemTrim(int device) {
    cudaError_t status = enter_graph_memory("cudaDeviceGraphMemTrim", device);
    if (!status) runtime_pool_trim(runtime_pool_of_graphs(), 0);
    return runtime_leave(status);
}
