// Memory that host and kernels use by the same addresses (CUDA C++ Programming Guide, "Unified
// Memory Programming", "Page-Locked Host Memory"). Managed and page-locked memory are pages of the
// engine's shared file, mapped here at the device's own addresses, so that nothing is copied for a
// launch. Registered memory stays where it is: an engine in this process uses it in place, for one
// in another process its bytes are copied around each launch.
#include "runtime/memory/memory.h"
#include <sys/mman.h>
#include <unistd.h>

// Inside the addresses that guard.c keeps free for the device, with the page behind.
static cudaError_t map_pages(uint64_t base, uint64_t bytes) {
    kl_error err = {0};
    uint64_t offset, whole = sim_host_pages_up(bytes) + sim_host_page();
    int file;
    if (sim_memory_shared_file(runtime.engine, base, &file, &offset, &err) != SIM_OK)
        return runtime_fail(&err);
    void *want = (void *)(uintptr_t)base;
    bool sane = runtime_is_device_address(base) && runtime_is_device_address(base + whole - 1);
    bool mapped = sane && mmap(want, whole, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file,
                               (off_t)offset) == want;
    close(file);
    return mapped ? cudaSuccess : cudaErrorMemoryAllocation;
}

static void unmap_pages(uint64_t base, uint64_t bytes) {
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED;
    uint64_t whole = sim_host_pages_up(bytes) + sim_host_page();
    mmap((void *)(uintptr_t)base, whole, PROT_NONE, flags, -1, 0);
}

static runtime_range range_of(runtime_memory_kind kind, uint64_t base, uint64_t bytes,
                              unsigned flags) {
    return (runtime_range){.kind = kind,
                           .device = runtime.device,
                           .base = base,
                           .bytes = bytes,
                           .flags = flags,
                           .preferred = cudaInvalidDeviceId,
                           .last_prefetch = cudaInvalidDeviceId};
}

cudaError_t runtime_shared_alloc(runtime_memory_kind kind, uint64_t bytes, unsigned flags,
                                 runtime_pool *pool, void **out_pointer) {
    kl_error err = {0};
    uint64_t base;
    *out_pointer = NULL;
    if (bytes == 0) return cudaSuccess;
    if (sim_memory_alloc_shared(runtime.engine, bytes, &base, &err) != SIM_OK)
        return runtime_fail(&err);
    runtime_range range = range_of(kind, base, bytes, flags);
    range.pool = pool;
    cudaError_t status = map_pages(base, bytes);
    if (!status) status = runtime_range_add(&range);
    if (status) {
        unmap_pages(base, bytes);
        sim_memory_free(runtime.engine, base, NULL);
        return status;
    }
    *out_pointer = (void *)(uintptr_t)base;
    return cudaSuccess;
}

cudaError_t runtime_managed_adopt(sim_module_handle module, uint64_t address, uint64_t bytes) {
    if (runtime_range_find(address)) return cudaSuccess;
    cudaError_t status = map_pages(address, bytes);
    if (status) return status;
    runtime_range range = range_of(RUNTIME_MEMORY_MANAGED, address, bytes, cudaMemAttachGlobal);
    range.is_variable = true;
    range.module = module;
    return runtime_range_add(&range);
}

cudaError_t runtime_host_attach(uint64_t address, uint64_t bytes, unsigned flags) {
    kl_error err = {0};
    bool direct;
    if (sim_memory_attach(runtime.engine, address, bytes, &direct, &err) != SIM_OK)
        return runtime_fail(&err);
    // the driver maps all memory that it locks
    runtime_range range =
        range_of(RUNTIME_MEMORY_REGISTERED, address, bytes, flags | cudaHostRegisterMapped);
    range.is_copied = !direct;
    cudaError_t status = runtime_range_add(&range);
    if (status) sim_memory_detach(runtime.engine, address, NULL);
    return status;
}

cudaError_t runtime_range_release(runtime_range *range) {
    runtime_range old = *range;
    runtime_range_remove(range);
    free(old.sent);
    if (old.pool) runtime_pool_returned(old.pool, &old);
    if (old.kind == RUNTIME_MEMORY_MANAGED || old.kind == RUNTIME_MEMORY_PINNED)
        unmap_pages(old.base, old.bytes);
    if (old.is_variable) return cudaSuccess;
    kl_error err = {0};
    sim_status status = old.kind == RUNTIME_MEMORY_REGISTERED
                            ? sim_memory_detach(runtime.engine, old.base, &err)
                            : sim_memory_free(runtime.engine, old.base, &err);
    return status == SIM_OK ? cudaSuccess : runtime_fail(&err);
}

// Other threads of the program may write the memory while a kernel runs, as long as it is not what
// the kernel writes: so what was sent is kept, and only what the kernel changed comes back.
cudaError_t runtime_copies_to_device(void) {
    if (runtime.copied_count == 0) return cudaSuccess;
    runtime_order_no_work();
    for (size_t i = 0; i < runtime.range_count; i++) {
        runtime_range *range = &runtime.ranges[i];
        kl_error err = {0};
        if (!range->is_copied) continue;
        free(range->sent); // of a launch that failed
        range->sent = malloc(range->bytes);
        if (!range->sent) return cudaErrorMemoryAllocation;
        memcpy(range->sent, (const void *)(uintptr_t)range->base, range->bytes);
        if (sim_memory_write(runtime.engine, range->base, range->sent, range->bytes, &err) !=
            SIM_OK)
            return runtime_fail(&err);
    }
    return cudaSuccess;
}

static cudaError_t take_changes(const runtime_range *range) {
    kl_error err = {0};
    uint8_t *host = (uint8_t *)(uintptr_t)range->base, *now = malloc(range->bytes);
    if (!now) return cudaErrorMemoryAllocation;
    sim_status status = sim_memory_read(runtime.engine, now, range->base, range->bytes, &err);
    for (uint64_t at = 0; status == SIM_OK && at < range->bytes; at++)
        if (now[at] != range->sent[at]) host[at] = now[at];
    free(now);
    return status == SIM_OK ? cudaSuccess : runtime_fail(&err);
}

cudaError_t runtime_copies_to_host(void) {
    cudaError_t status = cudaSuccess;
    for (size_t i = 0; runtime.copied_count && i < runtime.range_count; i++) {
        runtime_range *range = &runtime.ranges[i];
        if (!status && range->sent && !(range->flags & cudaHostRegisterReadOnly))
            status = take_changes(range);
        free(range->sent);
        range->sent = NULL;
    }
    return status;
}
