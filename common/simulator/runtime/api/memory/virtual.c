// Virtual memory management of the driver API (CUDA Driver API, "Virtual Memory Management"), for
// the rows of driver_calls.def: arguments are checked, runtime/memory/virtual.c does the work.
#include "runtime/memory/memory.h"

enum { GRANULARITIES = 2 }; // minimum and recommended

// An H200 has host memory of this kind, too.
static cudaError_t check_backing(const runtime_backing *backing) {
    if (!backing || backing->type != cudaMemAllocationTypePinned ||
        backing->location.type == cudaMemLocationTypeInvalid)
        return runtime_invalid("memory is pinned, and of a device");
    if (backing->location.type != cudaMemLocationTypeDevice)
        return runtime_refuse(cudaErrorNotSupported, "memory of the host is not simulated here");
    return backing->location.id == 0 ? cudaSuccess : cudaErrorInvalidDevice;
}

cudaError_t sim_runtime_virtual_reserve(uint64_t *out_address, size_t bytes, size_t align,
                                        uint64_t wanted, unsigned long long flags) {
    cudaError_t status =
        runtime_enter(RUNTIME_DEVICE, "cuMemAddressReserve(%zu, %zu)", bytes, align);
    if (!status && (!out_address || flags))
        status = runtime_invalid("no place for the address, or flags");
    if (!status) status = runtime_virtual_reserve(bytes, align, wanted, out_address);
    return runtime_leave_driver(status);
}

cudaError_t sim_runtime_virtual_free(uint64_t address, size_t bytes) {
    cudaError_t status = runtime_enter(RUNTIME_DEVICE, "cuMemAddressFree(0x%llx, %zu)",
                                       (unsigned long long)address, bytes);
    if (!status) status = runtime_virtual_unreserve(address, bytes);
    return runtime_leave_driver(status);
}

cudaError_t sim_runtime_virtual_create(uint64_t *out_handle, size_t bytes, const void *backing,
                                       unsigned long long flags) {
    cudaError_t status = runtime_enter(RUNTIME_DEVICE, "cuMemCreate(%zu)", bytes);
    if (!status && (!out_handle || flags))
        status = runtime_invalid("no place for the handle, or flags");
    if (!status) status = check_backing(backing);
    if (!status) status = runtime_virtual_create(bytes, backing, out_handle);
    return runtime_leave_driver(status);
}

cudaError_t sim_runtime_virtual_release(uint64_t handle) {
    cudaError_t status =
        runtime_enter(RUNTIME_DEVICE, "cuMemRelease(0x%llx)", (unsigned long long)handle);
    if (!status) status = runtime_virtual_release(handle);
    return runtime_leave_driver(status);
}

cudaError_t sim_runtime_virtual_granularity(size_t *out_bytes, const void *backing, int option) {
    cudaError_t status = runtime_enter(RUNTIME_DEVICE, "cuMemGetAllocationGranularity()");
    if (!status && (!out_bytes || !backing || (unsigned)option >= GRANULARITIES))
        status = runtime_invalid(
            "no place for the answer, no properties, or an option that there is not");
    if (!status) *out_bytes = RUNTIME_GRANULE;
    return runtime_leave_driver(status);
}

cudaError_t sim_runtime_virtual_backing(void *out, uint64_t handle) {
    cudaError_t status =
        runtime_enter(RUNTIME_DEVICE, "cuMemGetAllocationPropertiesFromHandle(0x%llx)",
                      (unsigned long long)handle);
    if (!status && !out) status = runtime_invalid("no place for the answer");
    if (!status) status = runtime_virtual_backing(handle, out);
    return runtime_leave_driver(status);
}

cudaError_t sim_runtime_virtual_retain(uint64_t *out_handle, const void *address) {
    cudaError_t status = runtime_enter(RUNTIME_DEVICE, "cuMemRetainAllocationHandle(%p)", address);
    if (!status && !out_handle) status = runtime_invalid("no place for the handle");
    if (!status) status = runtime_virtual_retain((uintptr_t)address, out_handle);
    return runtime_leave_driver(status);
}

cudaError_t sim_runtime_virtual_map(uint64_t address, size_t bytes, size_t offset, uint64_t handle,
                                    unsigned long long flags) {
    cudaError_t status =
        runtime_enter(RUNTIME_DEVICE, "cuMemMap(0x%llx, %zu, %zu, 0x%llx)",
                      (unsigned long long)address, bytes, offset, (unsigned long long)handle);
    if (!status && (flags || bytes == 0)) status = runtime_invalid("no bytes, or flags");
    if (!status) status = runtime_virtual_map(address, bytes, offset, handle);
    return runtime_leave_driver(status);
}

cudaError_t sim_runtime_virtual_unmap(uint64_t address, size_t bytes) {
    cudaError_t status = runtime_enter(RUNTIME_DEVICE, "cuMemUnmap(0x%llx, %zu)",
                                       (unsigned long long)address, bytes);
    if (!status) status = runtime_virtual_unmap(address, bytes);
    return runtime_leave_driver(status);
}

static bool is_device(const struct cudaMemLocation *location) {
    return location->type == cudaMemLocationTypeDevice && location->id == 0;
}

static cudaError_t check_access(const struct cudaMemAccessDesc *access) {
    if (access->location.type == cudaMemLocationTypeHost) return cudaErrorNotSupported;
    bool known = access->flags == cudaMemAccessFlagsProtNone ||
                 access->flags == cudaMemAccessFlagsProtRead ||
                 access->flags == cudaMemAccessFlagsProtReadWrite;
    return known && is_device(&access->location)
               ? cudaSuccess
               : runtime_invalid("access is the device's: none, to read, or to read and write");
}

cudaError_t sim_runtime_virtual_access(uint64_t address, size_t bytes,
                                       const struct cudaMemAccessDesc *access, size_t count) {
    cudaError_t status = runtime_enter(RUNTIME_DEVICE, "cuMemSetAccess(0x%llx, %zu, %zu)",
                                       (unsigned long long)address, bytes, count);
    if (!status && (!access || count == 0)) status = runtime_invalid("no access is described");
    for (size_t i = 0; !status && i < count; i++) status = check_access(&access[i]);
    for (size_t i = 0; !status && i < count; i++)
        status = runtime_virtual_access(address, bytes, access[i].flags);
    return runtime_leave_driver(status);
}

cudaError_t sim_runtime_virtual_access_of(unsigned long long *out_flags,
                                          const struct cudaMemLocation *location,
                                          uint64_t address) {
    unsigned access = 0;
    cudaError_t status =
        runtime_enter(RUNTIME_DEVICE, "cuMemGetAccess(0x%llx)", (unsigned long long)address);
    if (!status && (!out_flags || !location))
        status = runtime_invalid("no place for the answer, or nobody");
    bool of_host = !status && location->type == cudaMemLocationTypeHost;
    if (!status && !of_host && !is_device(location)) status = cudaErrorInvalidDevice;
    if (!status) status = runtime_virtual_access_of(address, &access);
    if (of_host) access = cudaMemAccessFlagsProtNone;
    if (!status) *out_flags = access;
    return runtime_leave_driver(status);
}

cudaError_t sim_runtime_address_range(uint64_t *out_base, size_t *out_bytes, uint64_t address) {
    cudaError_t status =
        runtime_enter(RUNTIME_DEVICE, "cuMemGetAddressRange(0x%llx)", (unsigned long long)address);
    const runtime_range *range = status ? NULL : runtime_range_find(address);
    if (!status && !range) status = cudaErrorSymbolNotFound; // CUDA_ERROR_NOT_FOUND
    if (range && out_base) *out_base = range->base;
    if (range && out_bytes) *out_bytes = range->bytes;
    return runtime_leave_driver(status);
}
