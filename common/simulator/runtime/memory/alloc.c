// Memory of the device: taken from the engine at once and given back at once, in the order of the
// calls, which is an order that every correct program allows. Memory that the host shares is in
// host_pages.c.
#include "runtime/memory/memory.h"

enum { PITCH_ALIGN = 512 };

cudaError_t runtime_alloc(uint64_t bytes, runtime_pool *pool, void **out_pointer) {
    *out_pointer = NULL;
    if (bytes == 0) return cudaSuccess; // as the real runtime: success and a null pointer
    kl_error err = {0};
    runtime_range range = {
        .kind = RUNTIME_MEMORY_DEVICE, .device = runtime.device, .bytes = bytes, .pool = pool};
    if (sim_memory_alloc(runtime.engine, bytes, &range.base, &err) != SIM_OK)
        return runtime_fail(&err);
    cudaError_t status = runtime_range_add(&range);
    if (status) {
        sim_memory_free(runtime.engine, range.base, NULL);
        return status;
    }
    *out_pointer = (void *)(uintptr_t)range.base;
    return cudaSuccess;
}

cudaError_t runtime_alloc_rows(size_t width, size_t rows, void **out_pointer, size_t *out_pitch) {
    if (width > SIZE_MAX - PITCH_ALIGN) return cudaErrorMemoryAllocation;
    size_t pitch = (width + PITCH_ALIGN - 1) / PITCH_ALIGN * PITCH_ALIGN;
    if (rows && pitch > SIZE_MAX / rows) return cudaErrorMemoryAllocation;
    cudaError_t status = runtime_alloc(pitch * rows, NULL, out_pointer);
    if (status) return status;
    *out_pitch = pitch;
    runtime_range *range = runtime_range_find((uint64_t)(uintptr_t)*out_pointer);
    if (range) range->pitch = pitch;
    return status;
}

// Where nothing checks, what was freed comes again, as on a GPU; the checks would miss its late
// use.
static bool take_again(runtime_pool *from, uint64_t address, uint64_t bytes, void **out_pointer) {
    if (from->kind != RUNTIME_MEMORY_DEVICE || runtime.faults_are_findings) return false;
    runtime_range range = {.kind = RUNTIME_MEMORY_DEVICE,
                           .device = runtime.device,
                           .base = address,
                           .bytes = bytes,
                           .pool = from};
    if (!address || sim_memory_alloc_at(runtime.engine, address, bytes, NULL) != SIM_OK)
        return false;
    if (runtime_range_add(&range)) {
        sim_memory_free(runtime.engine, address, NULL);
        return false;
    }
    *out_pointer = (void *)(uintptr_t)address;
    return true;
}

cudaError_t runtime_pool_alloc(runtime_pool *from, uint64_t bytes, void **out_pointer) {
    unsigned flags =
        from->kind == RUNTIME_MEMORY_PINNED ? cudaHostAllocMapped : cudaMemAttachGlobal;
    uint64_t offset = 0, address = bytes ? runtime_pool_place(from, bytes, &offset) : 0;
    cudaError_t status;
    if (!runtime_pool_can_hold(from, bytes)) return cudaErrorMemoryAllocation;
    int current = runtime.device;
    runtime_use(from->device);
    if (take_again(from, address, bytes, out_pointer)) status = cudaSuccess;
    else if (from->kind == RUNTIME_MEMORY_DEVICE) status = runtime_alloc(bytes, from, out_pointer);
    else status = runtime_shared_alloc(from->kind, bytes, flags, from, out_pointer);
    runtime_use(current);
    runtime_range *range = status ? NULL : runtime_range_find((uint64_t)(uintptr_t)*out_pointer);
    if (!range) return status;
    if (runtime.device_count > 1 && from->kind == RUNTIME_MEMORY_DEVICE)
        sim_memory_reach(runtime.engine, range->base, from->reach, NULL);
    range->offset = offset;
    runtime_pool_taken(from, range);
    return status;
}

static void take_for_graphs(runtime_range *range) {
    runtime_pool_place(runtime_pool_of_graphs(), range->bytes, &range->offset);
    runtime_pool_taken(runtime_pool_of_graphs(), range);
}

cudaError_t runtime_graph_alloc(uint64_t address, uint64_t bytes) {
    kl_error err = {0};
    runtime_range range = {.kind = RUNTIME_MEMORY_DEVICE,
                           .device = runtime.device,
                           .base = address,
                           .bytes = bytes,
                           .pool = runtime_pool_of_graphs()};
    if (sim_memory_alloc_at(runtime.engine, address, bytes, &err) != SIM_OK)
        return runtime_fail(&err);
    cudaError_t status = runtime_range_add(&range);
    if (status) sim_memory_free(runtime.engine, address, NULL);
    else take_for_graphs(runtime_range_find(address));
    return status;
}

bool runtime_is_reached(uint64_t address) {
    const runtime_range *range = runtime_range_find(address);
    uint32_t owner = 0;
    if (runtime.device_count == 1 || (range && range->kind != RUNTIME_MEMORY_DEVICE)) return true;
    if (!range)
        return sim_memory_owner(runtime.engine, address, &owner, NULL) != SIM_OK ||
               (int)owner == runtime.device;
    if (range->device == runtime.device) return true;
    return range->pool ? range->pool->reach >> runtime.device & 1
                       : runtime.now->peers >> range->device & 1;
}

// An address that no live range starts at: the engine may know that it was freed before, and says
// so.
static cudaError_t refuse_free(uint64_t address) {
    uint64_t base, bytes;
    kl_error err = {0};
    if (runtime_is_device_address(address) && !runtime_range_find(address) &&
        sim_memory_find(runtime.engine, address, &base, &bytes, NULL) != SIM_OK &&
        sim_memory_free(runtime.engine, address, &err) != SIM_OK)
        runtime_fail(&err);
    return cudaErrorInvalidValue;
}

cudaError_t runtime_free(void *pointer) {
    if (!pointer) return cudaSuccess;
    uint64_t address = (uint64_t)(uintptr_t)pointer;
    runtime_range *range = runtime_range_find(address);
    bool is_device = range && !range->is_mapped &&
                     (range->kind == RUNTIME_MEMORY_DEVICE || range->pool ||
                      (range->kind == RUNTIME_MEMORY_MANAGED && !range->is_variable));
    if (!is_device || range->base != address) return refuse_free(address);
    return runtime_range_release(range);
}

void runtime_memory_reset(void) {
    if (!runtime.device) runtime_virtual_reset();
    for (size_t i = runtime.range_count; i-- > 0;)
        if (runtime.ranges[i].device == runtime.device) runtime_range_release(&runtime.ranges[i]);
    runtime_pools_reset();
}
