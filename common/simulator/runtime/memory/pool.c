// SPDX-License-Identifier: MIT
// Stream-ordered allocation. Pools only account: every allocation is taken from the device at once
// and given back at once, in the order of the calls, which is an order that every correct program
// allows (CUDA Runtime API reference, "Stream Ordered Memory Allocator").
#include "runtime/runtime.h"

#include <stdlib.h>

struct CUmemPoolHandle_st {
    runtime_memory_kind kind;
    uint64_t release_threshold;
    uint64_t used, used_high; // bytes
    int reuse[4];             // by attribute 1..3
    bool dead;                // destroyed, but memory of it is live
    struct CUmemPoolHandle_st *next;
};

typedef struct CUmemPoolHandle_st pool;

static pool default_pool = {.kind = RUNTIME_MEMORY_DEVICE, .reuse = {0, 1, 1, 1}};
// Those of the other kinds of memory. Their current pool is always the default one.
static pool host_pool = {.kind = RUNTIME_MEMORY_PINNED, .reuse = {0, 1, 1, 1}};
static pool managed_pool = {.kind = RUNTIME_MEMORY_MANAGED, .reuse = {0, 1, 1, 1}};

static pool graph_pool = {.kind = RUNTIME_MEMORY_DEVICE}; // no program gets its handle

static bool is_default(const pool *p) {
    return p == &default_pool || p == &host_pool || p == &managed_pool;
}

static bool is_pool(cudaMemPool_t candidate) {
    if (is_default(candidate)) return true;
    for (const pool *p = runtime.pools; p; p = p->next)
        if (p == candidate) return !p->dead;
    return false;
}

static pool *current_pool(void) {
    return runtime.current_pool ? runtime.current_pool : &default_pool;
}

static void forget(pool *p) {
    pool **link = &runtime.pools;
    while (*link && *link != p) link = &(*link)->next;
    if (*link) *link = p->next;
    free(p);
}

void runtime_pools_reset(void) {
    while (runtime.pools) forget(runtime.pools);
    runtime.current_pool = NULL;
    pool *const defaults[] = {&default_pool, &host_pool, &managed_pool, &graph_pool};
    for (size_t i = 0; i < sizeof defaults / sizeof *defaults; i++)
        *defaults[i] = (pool){.kind = defaults[i]->kind, .reuse = {0, 1, 1, 1}};
}

void runtime_pool_returned(struct CUmemPoolHandle_st *from, uint64_t bytes) {
    from->used -= bytes;
    if (from->dead && from->used == 0) forget(from);
}

// *out_captured: the stream whose graph gets a node instead; NULL: none, it is done now.
static cudaError_t check_stream(cudaStream_t handle, struct CUstream_st **out_captured) {
    struct CUstream_st *stream = runtime_stream_find(handle);
    bool captured;
    *out_captured = NULL;
    if (!stream) return cudaErrorInvalidResourceHandle;
    cudaError_t status = runtime_capturing(stream, &captured);
    if (!status && captured) *out_captured = stream;
    return status || captured ? status : runtime_capture_no_unsafe();
}

static void account(pool *p, uint64_t bytes) {
    p->used += bytes;
    if (p->used > p->used_high) p->used_high = p->used;
}

static cudaError_t alloc_from(pool *from, size_t bytes, cudaStream_t stream, void **out_pointer) {
    struct CUstream_st *captured;
    if (!out_pointer) return cudaErrorInvalidValue;
    cudaError_t status = check_stream(stream, &captured);
    if (status) return status;
    if (captured && from->kind != RUNTIME_MEMORY_DEVICE) return cudaErrorNotSupported;
    if (captured && bytes > 0) return runtime_capture_allocation(captured, bytes, out_pointer);
    status = from->kind == RUNTIME_MEMORY_DEVICE
                 ? runtime_alloc(bytes, from, out_pointer)
                 : runtime_shared_alloc(from->kind, bytes,
                                        from->kind == RUNTIME_MEMORY_PINNED ? cudaHostAllocMapped
                                                                            : cudaMemAttachGlobal,
                                        from, out_pointer);
    if (!status) account(from, bytes);
    return status;
}

cudaError_t cudaMallocAsync(void **devPtr, size_t size, cudaStream_t hStream) {
    cudaError_t status =
        runtime_enter(RUNTIME_DEVICE, "cudaMallocAsync(%zu, %p)", size, (void *)hStream);
    if (!status) status = alloc_from(current_pool(), size, hStream, devPtr);
    return runtime_leave(status);
}

cudaError_t cudaMallocFromPoolAsync(void **ptr, size_t size, cudaMemPool_t memPool,
                                    cudaStream_t stream) {
    cudaError_t status = runtime_enter(RUNTIME_DEVICE, "cudaMallocFromPoolAsync(%zu, %p, %p)", size,
                                       (void *)memPool, (void *)stream);
    if (!status && !is_pool(memPool)) status = cudaErrorInvalidValue;
    if (!status) status = alloc_from(memPool, size, stream, ptr);
    return runtime_leave(status);
}

cudaError_t cudaFreeAsync(void *devPtr, cudaStream_t hStream) {
    cudaError_t status =
        runtime_enter(RUNTIME_DEVICE, "cudaFreeAsync(%p, %p)", devPtr, (void *)hStream);
    struct CUstream_st *captured = NULL;
    if (!status) status = check_stream(hStream, &captured);
    if (!status)
        status = captured ? runtime_capture_release(captured, devPtr) : runtime_free(devPtr);
    return runtime_leave(status);
}

static cudaError_t answer_pool(const char *call, cudaMemPool_t *out_pool, int device, pool *p) {
    cudaError_t status = runtime_enter(RUNTIME_DEVICE, "%s(%d)", call, device);
    if (!status && device != 0) status = cudaErrorInvalidDevice;
    if (!status && !out_pool) status = cudaErrorInvalidValue;
    if (!status) *out_pool = p ? p : current_pool();
    return runtime_leave(status);
}

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *memPool, int device) {
    return answer_pool("cudaDeviceGetDefaultMemPool", memPool, device, &default_pool);
}

cudaError_t cudaDeviceGetMemPool(cudaMemPool_t *memPool, int device) {
    return answer_pool("cudaDeviceGetMemPool", memPool, device, NULL);
}

cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t memPool) {
    cudaError_t status =
        runtime_enter(RUNTIME_DEVICE, "cudaDeviceSetMemPool(%d, %p)", device, (void *)memPool);
    if (!status && device != 0) status = cudaErrorInvalidDevice;
    if (!status && !is_pool(memPool)) status = cudaErrorInvalidValue;
    if (!status) runtime.current_pool = memPool;
    return runtime_leave(status);
}

// The kind of memory that a location and a type of allocation name.
static cudaError_t kind_of(const struct cudaMemLocation *location, enum cudaMemAllocationType type,
                           runtime_memory_kind *out_kind) {
    if (!location) return cudaErrorInvalidValue;
    bool on_device = location->type == cudaMemLocationTypeDevice;
    if (on_device && location->id != 0) return cudaErrorInvalidValue;
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
    if (kind == RUNTIME_MEMORY_DEVICE)
        *out_pool = current ? current_pool() : &default_pool;
    else
        *out_pool = kind == RUNTIME_MEMORY_PINNED ? &host_pool : &managed_pool;
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
    if (!status && (!is_pool(memPool) || memPool->kind != kind)) status = cudaErrorInvalidValue;
    if (!status && kind != RUNTIME_MEMORY_DEVICE && !is_default(memPool))
        status = cudaErrorNotSupported;
    if (!status && kind == RUNTIME_MEMORY_DEVICE) runtime.current_pool = memPool;
    return runtime_leave(status);
}

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
    pool *made = calloc(1, sizeof *made);
    if (!made) return cudaErrorMemoryAllocation;
    *made = (pool){.kind = kind, .reuse = {0, 1, 1, 1}, .next = runtime.pools};
    runtime.pools = made;
    *out_pool = made;
    return cudaSuccess;
}

cudaError_t cudaMemPoolCreate(cudaMemPool_t *memPool, const struct cudaMemPoolProps *poolProps) {
    cudaError_t status = runtime_enter(RUNTIME_DEVICE, "cudaMemPoolCreate()");
    if (!status) status = create(memPool, poolProps);
    return runtime_leave(status);
}

// Memory of a destroyed pool stays valid until it is freed.
cudaError_t cudaMemPoolDestroy(cudaMemPool_t memPool) {
    cudaError_t status = runtime_enter(RUNTIME_DEVICE, "cudaMemPoolDestroy(%p)", (void *)memPool);
    if (!status && (!is_pool(memPool) || is_default(memPool))) status = cudaErrorInvalidValue;
    if (!status) {
        if (runtime.current_pool == memPool) runtime.current_pool = NULL;
        memPool->dead = true;
        if (memPool->used == 0) forget(memPool);
    }
    return runtime_leave(status);
}

cudaError_t cudaMemPoolTrimTo(cudaMemPool_t memPool, size_t minBytesToKeep) {
    cudaError_t status = runtime_enter(RUNTIME_DEVICE, "cudaMemPoolTrimTo(%p, %zu)",
                                       (void *)memPool, minBytesToKeep);
    if (!status && !is_pool(memPool)) status = cudaErrorInvalidValue;
    return runtime_leave(status);
}

static cudaError_t get_attribute(const pool *p, enum cudaMemPoolAttr attribute, void *out_value) {
    switch (attribute) {
    case cudaMemPoolReuseFollowEventDependencies:
    case cudaMemPoolReuseAllowOpportunistic:
    case cudaMemPoolReuseAllowInternalDependencies:
        *(int *)out_value = p->reuse[attribute];
        return cudaSuccess;
    case cudaMemPoolAttrReleaseThreshold:
        *(uint64_t *)out_value = p->release_threshold;
        return cudaSuccess;
    case cudaMemPoolAttrReservedMemCurrent: // nothing is kept beyond its use
    case cudaMemPoolAttrUsedMemCurrent: *(uint64_t *)out_value = p->used; return cudaSuccess;
    case cudaMemPoolAttrReservedMemHigh:
    case cudaMemPoolAttrUsedMemHigh: *(uint64_t *)out_value = p->used_high; return cudaSuccess;
    default: return cudaErrorInvalidValue;
    }
}

static cudaError_t set_attribute(pool *p, enum cudaMemPoolAttr attribute, const void *value) {
    switch (attribute) {
    case cudaMemPoolReuseFollowEventDependencies:
    case cudaMemPoolReuseAllowOpportunistic:
    case cudaMemPoolReuseAllowInternalDependencies:
        p->reuse[attribute] = *(const int *)value != 0;
        return cudaSuccess;
    case cudaMemPoolAttrReleaseThreshold:
        p->release_threshold = *(const uint64_t *)value;
        return cudaSuccess;
    case cudaMemPoolAttrReservedMemHigh:
    case cudaMemPoolAttrUsedMemHigh: // a high-water mark can only be reset
        if (*(const uint64_t *)value != 0) return cudaErrorInvalidValue;
        p->used_high = p->used;
        return cudaSuccess;
    default: return cudaErrorInvalidValue;
    }
}

cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t memPool, enum cudaMemPoolAttr attr, void *value) {
    cudaError_t status = runtime_enter(RUNTIME_DEVICE, "cudaMemPoolGetAttribute(%p, %d)",
                                       (void *)memPool, (int)attr);
    if (!status && (!is_pool(memPool) || !value)) status = cudaErrorInvalidValue;
    if (!status) status = get_attribute(memPool, attr, value);
    return runtime_leave(status);
}

cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t memPool, enum cudaMemPoolAttr attr, void *value) {
    cudaError_t status = runtime_enter(RUNTIME_DEVICE, "cudaMemPoolSetAttribute(%p, %d)",
                                       (void *)memPool, (int)attr);
    if (!status && (!is_pool(memPool) || !value)) status = cudaErrorInvalidValue;
    if (!status) status = set_attribute(memPool, attr, value);
    return runtime_leave(status);
}

cudaError_t cudaMemPoolGetAccess(enum cudaMemAccessFlags *flags, cudaMemPool_t memPool,
                                 struct cudaMemLocation *location) {
    cudaError_t status = runtime_enter(RUNTIME_DEVICE, "cudaMemPoolGetAccess(%p)", (void *)memPool);
    if (!status && (!is_pool(memPool) || !flags || !location)) status = cudaErrorInvalidValue;
    if (!status && (location->type != cudaMemLocationTypeDevice || location->id != 0))
        status = cudaErrorInvalidDevice;
    if (!status) *flags = cudaMemAccessFlagsProtReadWrite;
    return runtime_leave(status);
}

cudaError_t cudaMemPoolSetAccess(cudaMemPool_t memPool, const struct cudaMemAccessDesc *descList,
                                 size_t count) {
    cudaError_t status =
        runtime_enter(RUNTIME_DEVICE, "cudaMemPoolSetAccess(%p, %zu)", (void *)memPool, count);
    if (!status && (!is_pool(memPool) || (count && !descList))) status = cudaErrorInvalidValue;
    for (size_t i = 0; !status && i < count; i++)
        if (descList[i].location.type != cudaMemLocationTypeDevice ||
            descList[i].location.id != 0 || descList[i].flags != cudaMemAccessFlagsProtReadWrite)
            status = cudaErrorInvalidValue;
    return runtime_leave(status);
}

// ---- the memory of graphs -----------------------------------------------------------------------
// Counted in bytes that are live; a device counts the blocks of 32 MiB that its graphs have taken so far.

cudaError_t runtime_graph_alloc(uint64_t address, uint64_t bytes) {
    sim_error error = {0};
    runtime_range range = {
        .kind = RUNTIME_MEMORY_DEVICE, .base = address, .bytes = bytes, .pool = &graph_pool};
    if (sim_memory_alloc_at(runtime.engine, address, bytes, &error) != SIM_OK)
        return runtime_fail(&error);
    cudaError_t status = runtime_range_add(&range);
    if (status)
        sim_memory_free(runtime.engine, address, NULL);
    else
        account(&graph_pool, bytes);
    return status;
}

static cudaError_t enter_graph_memory(const char *call, int device) {
    cudaError_t status = runtime_enter(RUNTIME_DEVICE, "%s(%d)", call, device);
    return !status && device != 0 ? cudaErrorInvalidDevice : status;
}

cudaError_t cudaDeviceGetGraphMemAttribute(int device, enum cudaGraphMemAttributeType attr,
                                           void *value) {
    cudaError_t status = enter_graph_memory("cudaDeviceGetGraphMemAttribute", device);
    if (!status && (!value || (unsigned)attr > cudaGraphMemAttrReservedMemHigh))
        status = cudaErrorInvalidValue;
    bool high = attr == cudaGraphMemAttrUsedMemHigh || attr == cudaGraphMemAttrReservedMemHigh;
    if (!status) *(uint64_t *)value = high ? graph_pool.used_high : graph_pool.used;
    return runtime_leave(status);
}

// A high-water mark can be reset; nothing else can be set.
cudaError_t cudaDeviceSetGraphMemAttribute(int device, enum cudaGraphMemAttributeType attr,
                                           void *value) {
    cudaError_t status = enter_graph_memory("cudaDeviceSetGraphMemAttribute", device);
    bool high = attr == cudaGraphMemAttrUsedMemHigh || attr == cudaGraphMemAttrReservedMemHigh;
    if (!status && (!value || !high || *(const uint64_t *)value != 0))
        status = cudaErrorInvalidValue;
    if (!status) graph_pool.used_high = graph_pool.used;
    return runtime_leave(status);
}

// Nothing is kept beyond its use.
cudaError_t cudaDeviceGraphMemTrim(int device) {
    return runtime_leave(enter_graph_memory("cudaDeviceGraphMemTrim", device));
}
