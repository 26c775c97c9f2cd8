// Memory management of the runtime API: allocation and release on the device and of page-locked
// host memory, and questions about pointers (CUDA Runtime API reference, "Memory Management",
// "Unified Addressing"). Copies are in copy.c.
#include "runtime/abi/interface.h"
#include "runtime/memory/memory.h"
#include "runtime/stream/stream.h"

cudaError_t cudaMalloc(void **devPtr, size_t size) {
    cudaError_t status = runtime_enter(RUNTIME_DEVICE | RUNTIME_UNSAFE, "cudaMalloc(%zu)", size);
    if (!status) status = devPtr ? runtime_alloc(size, NULL, devPtr) : cudaErrorInvalidValue;
    return runtime_leave(status);
}

// Waits for the device first, as cudaFree does.
cudaError_t cudaFree(void *devPtr) {
    cudaError_t status = runtime_enter(RUNTIME_SYNC | RUNTIME_UNSAFE, "cudaFree(%p)", devPtr);
    if (!status) {
        const runtime_range *range = runtime_range_find((uint64_t)(uintptr_t)devPtr);
        if (range) runtime_use(range->device);
        runtime_device_host_waits();
        status = runtime_free(devPtr);
    }
    return runtime_leave(status);
}

cudaError_t cudaMallocManaged(void **devPtr, size_t size, unsigned int flags) {
    cudaError_t status =
        runtime_enter(RUNTIME_DEVICE | RUNTIME_UNSAFE, "cudaMallocManaged(%zu, %u)", size, flags);
    if (!status && (!devPtr || (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost)))
        status = cudaErrorInvalidValue;
    if (!status) status = runtime_shared_alloc(RUNTIME_MEMORY_MANAGED, size, flags, NULL, devPtr);
    return runtime_leave(status);
}

cudaError_t cudaMallocPitch(void **devPtr, size_t *pitch, size_t width, size_t height) {
    cudaError_t status =
        runtime_enter(RUNTIME_DEVICE | RUNTIME_UNSAFE, "cudaMallocPitch(%zu, %zu)", width, height);
    if (!status && (!devPtr || !pitch)) status = cudaErrorInvalidValue;
    if (!status) status = runtime_alloc_rows(width, height, devPtr, pitch);
    return runtime_leave(status);
}

cudaError_t cudaMalloc3D(struct cudaPitchedPtr *pitchedDevPtr, struct cudaExtent extent) {
    cudaError_t status =
        runtime_enter(RUNTIME_DEVICE | RUNTIME_UNSAFE, "cudaMalloc3D(%zu, %zu, %zu)", extent.width,
                      extent.height, extent.depth);
    if (!status && !pitchedDevPtr) status = cudaErrorInvalidValue;
    if (!status && extent.depth && extent.height > SIZE_MAX / extent.depth)
        status = cudaErrorMemoryAllocation;
    if (!status) {
        struct cudaPitchedPtr made = {.xsize = extent.width, .ysize = extent.height};
        status =
            runtime_alloc_rows(extent.width, extent.height * extent.depth, &made.ptr, &made.pitch);
        if (!status) *pitchedDevPtr = made;
    }
    return runtime_leave(status);
}

// ---- memory of the host -------------------------------------------------------------------------

static cudaError_t host_alloc(void **out_pointer, size_t bytes, unsigned flags) {
    const unsigned known = cudaHostAllocPortable | cudaHostAllocMapped | cudaHostAllocWriteCombined;
    if (!out_pointer || (flags & ~known)) return cudaErrorInvalidValue;
    return runtime_shared_alloc(RUNTIME_MEMORY_PINNED, bytes,
                                flags | cudaHostAllocMapped, // unified addressing maps all
                                NULL, out_pointer);
}

cudaError_t cudaHostAlloc(void **pHost, size_t size, unsigned int flags) {
    cudaError_t status =
        runtime_enter(RUNTIME_DEVICE | RUNTIME_UNSAFE, "cudaHostAlloc(%zu, %u)", size, flags);
    if (!status) status = host_alloc(pHost, size, flags);
    return runtime_leave(status);
}

cudaError_t cudaMallocHost(void **ptr, size_t size) {
    cudaError_t status =
        runtime_enter(RUNTIME_DEVICE | RUNTIME_UNSAFE, "cudaMallocHost(%zu)", size);
    if (!status) status = host_alloc(ptr, size, cudaHostAllocDefault);
    return runtime_leave(status);
}

// Page-locked memory of `kind` that starts exactly at `pointer`.
static runtime_range *find_host(const void *pointer, runtime_memory_kind kind) {
    uint64_t address = (uint64_t)(uintptr_t)pointer;
    runtime_range *range = runtime_range_find(address);
    return range && range->kind == kind && range->base == address ? range : NULL;
}

cudaError_t cudaFreeHost(void *ptr) {
    cudaError_t status = runtime_enter(RUNTIME_SYNC | RUNTIME_UNSAFE, "cudaFreeHost(%p)", ptr);
    if (!status && ptr) {
        runtime_order_host_waits_all();
        runtime_range *range = find_host(ptr, RUNTIME_MEMORY_PINNED);
        status = range ? runtime_range_release(range) : cudaErrorInvalidValue;
    }
    return runtime_leave(status);
}

static cudaError_t host_register(void *pointer, size_t bytes, unsigned flags) {
    const unsigned known = cudaHostRegisterPortable | cudaHostRegisterMapped |
                           cudaHostRegisterIoMemory | cudaHostRegisterReadOnly;
    uint64_t base = (uint64_t)(uintptr_t)pointer;
    if (!pointer || bytes == 0 || bytes > UINT64_MAX - base || (flags & ~known))
        return cudaErrorInvalidValue;
    if (runtime_is_device_address(base)) return cudaErrorInvalidValue;
    for (size_t i = 0; i < runtime.range_count; i++)
        if (runtime.ranges[i].base < base + bytes &&
            base < runtime.ranges[i].base + runtime.ranges[i].bytes)
            return cudaErrorHostMemoryAlreadyRegistered;
    return runtime_host_attach(base, bytes, flags);
}

cudaError_t cudaHostRegister(void *ptr, size_t size, unsigned int flags) {
    cudaError_t status = runtime_enter(RUNTIME_DEVICE | RUNTIME_UNSAFE,
                                       "cudaHostRegister(%p, %zu, %u)", ptr, size, flags);
    if (!status) status = host_register(ptr, size, flags);
    return runtime_leave(status);
}

cudaError_t cudaHostUnregister(void *ptr) {
    cudaError_t status =
        runtime_enter(RUNTIME_SYNC | RUNTIME_UNSAFE, "cudaHostUnregister(%p)", ptr);
    if (!status) {
        runtime_range *range = find_host(ptr, RUNTIME_MEMORY_REGISTERED);
        if (range) status = runtime_range_release(range);
        else if (!ptr || runtime_is_device_address((uint64_t)(uintptr_t)ptr) ||
                 runtime_range_find((uint64_t)(uintptr_t)ptr))
            status = cudaErrorInvalidValue;
        else status = cudaErrorHostMemoryNotRegistered;
    }
    return runtime_leave(status);
}

// Host memory that the runtime locked, by any address inside it.
static runtime_range *find_locked(const void *pointer) {
    runtime_range *range = runtime_range_find((uint64_t)(uintptr_t)pointer);
    bool locked =
        range && (range->kind == RUNTIME_MEMORY_PINNED || range->kind == RUNTIME_MEMORY_REGISTERED);
    return locked ? range : NULL;
}

cudaError_t cudaHostGetDevicePointer(void **pDevice, void *pHost, unsigned int flags) {
    cudaError_t status = runtime_enter(RUNTIME_DEVICE, "cudaHostGetDevicePointer(%p)", pHost);
    if (!status && (!pDevice || flags != 0)) status = cudaErrorInvalidValue;
    if (!status) {
        runtime_range *range = find_locked(pHost);
        if (range) *pDevice = pHost;
        else status = cudaErrorInvalidValue;
    }
    return runtime_leave(status);
}

cudaError_t cudaHostGetFlags(unsigned int *pFlags, void *pHost) {
    cudaError_t status = runtime_enter(RUNTIME_DEVICE, "cudaHostGetFlags(%p)", pHost);
    if (!status) {
        runtime_range *range = find_locked(pHost);
        if (range && pFlags) *pFlags = range->flags & ~(unsigned)cudaHostRegisterReadOnly;
        else status = cudaErrorInvalidValue;
    }
    return runtime_leave(status);
}

// ---- questions ----------------------------------------------------------------------------------

static uint64_t whole(uint64_t bytes, uint64_t unit) { return (bytes + unit - 1) / unit * unit; }

// The driver takes memory in steps of 2 MiB: several small allocations share one, a pool has taken
// what it reserves.
static uint64_t free_in_steps(uint64_t free_bytes, uint64_t total_bytes) {
    enum { STEP = 2 << 20 };
    uint64_t other = total_bytes - free_bytes, small = 0, taken = runtime_pools_reserved();
    for (size_t i = 0; i < runtime.range_count; i++) {
        const runtime_range *range = &runtime.ranges[i];
        if (range->kind != RUNTIME_MEMORY_DEVICE || range->device != runtime.device) continue;
        uint64_t bytes = whole(range->bytes, SIM_ALLOCATION_ALIGN);
        other -= bytes < other ? bytes : other;
        if (range->pool) continue;
        if (bytes < STEP) small += bytes;
        else taken += whole(bytes, STEP);
    }
    taken += whole(small, STEP) + whole(other, STEP);
    return taken < total_bytes ? total_bytes - taken : 0;
}

cudaError_t cudaMemGetInfo(size_t *free, size_t *total) {
    cudaError_t status = runtime_enter(RUNTIME_DEVICE, "cudaMemGetInfo()");
    if (!status) {
        uint64_t free_bytes, total_bytes;
        kl_error err = {0};
        if (sim_memory_info(runtime.engine, &free_bytes, &total_bytes, &err) != SIM_OK)
            status = runtime_fail(&err);
        runtime_say_difference(RUNTIME_DIFFERENCE_MEMORY);
        if (!status && free) *free = free_in_steps(free_bytes, total_bytes);
        if (!status && total) *total = total_bytes;
    }
    return runtime_leave(status);
}

static void describe_pointer(struct cudaPointerAttributes *out, const void *pointer) {
    uint64_t address = (uint64_t)(uintptr_t)pointer;
    uint32_t device = 0; // of a variable
    const runtime_range *range = runtime_range_find(address);
    unsigned access;
    memset(out, 0, sizeof *out);
    out->type = cudaMemoryTypeUnregistered;
    out->device = cudaInvalidDeviceId;
    if (range && range->kind == RUNTIME_MEMORY_MANAGED) {
        out->type = cudaMemoryTypeManaged;
        out->hostPointer = out->devicePointer = (void *)pointer;
    } else if (range && range->kind != RUNTIME_MEMORY_DEVICE) {
        out->type = cudaMemoryTypeHost;
        out->hostPointer = out->devicePointer = (void *)pointer;
    } else if (range || runtime_virtual_access_of(address, &access) == cudaSuccess ||
               (runtime_is_device_address(address) &&
                sim_memory_owner(runtime.engine, address, &device, NULL) == SIM_OK)) {
        out->type = cudaMemoryTypeDevice;
        if (runtime_is_reached(address)) out->devicePointer = (void *)pointer;
    }
    if (out->type != cudaMemoryTypeUnregistered) out->device = range ? range->device : (int)device;
    else out->hostPointer = (void *)pointer;
}

cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *attributes, const void *ptr) {
    cudaError_t status = runtime_enter(RUNTIME_OPEN, "cudaPointerGetAttributes(%p)", ptr);
    if (!status && !attributes) status = cudaErrorInvalidValue;
    if (!status) {
        struct cudaPointerAttributes found;
        describe_pointer(&found, ptr);
        RUNTIME_STRUCT_COPY(cudaPointerAttributes, attributes, &found);
    }
    return runtime_leave(status);
}
