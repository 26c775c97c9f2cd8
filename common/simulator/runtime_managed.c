// SPDX-License-Identifier: MIT
// Memory that host and kernels share. Managed memory: host pages mapped at the engine's own
// addresses, so that one pointer serves both. Page-locked memory: a copy in the engine once a
// kernel may reach it. Bytes travel to the engine before every launch and back after it, which
// costs time in proportion to all shared memory; a GPU moves pages on demand (CUDA C++ Programming
// Guide, "Unified Memory Programming"). A kernel and the host therefore never see each other's
// writes while the kernel runs.
#include "runtime.h"

#include <sys/mman.h>
#include <unistd.h>

#include "address_map.h"

enum { PAGE = 4096 };

static uint64_t page_floor(uint64_t address) {
    return address & ~(uint64_t)(PAGE - 1);
}

static uint64_t page_ceiling(uint64_t address) {
    return page_floor(address + PAGE - 1);
}

// Page-fixed mapping inside the ranges that runtime_guard.c keeps free for the device.
static bool map_pages(uint64_t base, uint64_t bytes, int protection) {
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED;
    void *want = (void *)(uintptr_t)base;
    return mmap(want, bytes, protection, flags, -1, 0) == want;
}

static cudaError_t engine_alloc(uint64_t bytes, uint64_t *out_address) {
    sim_error error = {0};
    if (sim_memory_alloc(runtime.engine, bytes, out_address, &error) == SIM_OK) return cudaSuccess;
    return runtime_fail(&error);
}

// Whole pages are taken from the engine, so that no device memory shares a host page: its bounds
// are therefore those of pages for kernels, and exact for copies.
cudaError_t runtime_managed_alloc(uint64_t bytes, unsigned flags, void **out_pointer) {
    if (bytes > SIM_GLOBAL_SPAN / 2) return cudaErrorMemoryAllocation;
    uint64_t pages = page_ceiling(bytes);
    runtime_range range = {.kind = RUNTIME_MEMORY_MANAGED,
                           .bytes = bytes,
                           .flags = flags,
                           .preferred = cudaInvalidDeviceId,
                           .last_prefetch = cudaInvalidDeviceId};
    *out_pointer = NULL;
    if (bytes == 0) return cudaSuccess;
    cudaError_t status = engine_alloc(pages + PAGE - SIM_ALLOCATION_ALIGN, &range.engine_base);
    if (status) return status;
    range.base = range.mirror = range.map_base = page_ceiling(range.engine_base);
    range.map_bytes = pages;
    if (!map_pages(range.map_base, range.map_bytes, PROT_READ | PROT_WRITE)) {
        sim_memory_free(runtime.engine, range.engine_base, NULL);
        return cudaErrorMemoryAllocation;
    }
    status = runtime_range_add(&range);
    if (status) {
        map_pages(range.map_base, range.map_bytes, PROT_NONE);
        sim_memory_free(runtime.engine, range.engine_base, NULL);
        return status;
    }
    *out_pointer = (void *)(uintptr_t)range.base;
    return cudaSuccess;
}

static bool page_is_mapped(uint64_t page) {
    for (size_t i = 0; i < runtime.range_count; i++) {
        const runtime_range *range = &runtime.ranges[i];
        if (range->kind == RUNTIME_MEMORY_MANAGED && page_floor(range->base) <= page &&
            page < page_ceiling(range->base + range->bytes))
            return true;
    }
    return false;
}

cudaError_t runtime_managed_adopt(uint64_t address, uint64_t bytes) {
    if (runtime_range_find(address)) return cudaSuccess;
    uint64_t end = page_ceiling(address + bytes);
    for (uint64_t page = page_floor(address); page < end; page += PAGE)
        if (!page_is_mapped(page) && !map_pages(page, PAGE, PROT_READ | PROT_WRITE))
            return cudaErrorMemoryAllocation;
    runtime_range range = {.kind = RUNTIME_MEMORY_MANAGED,
                           .base = address,
                           .bytes = bytes,
                           .mirror = address,
                           .preferred = cudaInvalidDeviceId,
                           .last_prefetch = cudaInvalidDeviceId};
    cudaError_t status = runtime_range_add(&range);
    if (status) return status;
    sim_error error = {0};
    void *host = (void *)(uintptr_t)address;
    if (sim_memory_read(runtime.engine, host, address, bytes, &error) == SIM_OK) return cudaSuccess;
    return runtime_fail(&error);
}

cudaError_t runtime_mirror_create(runtime_range *range) {
    if (range->mirror) return cudaSuccess;
    cudaError_t status = engine_alloc(range->bytes, &range->engine_base);
    if (!status) range->mirror = range->engine_base;
    return status;
}

cudaError_t runtime_range_release(runtime_range *range) {
    runtime_range old = *range;
    runtime_range_remove(range);
    if (old.pool) runtime_pool_returned(old.pool, old.bytes);
    if (old.kind == RUNTIME_MEMORY_MANAGED) {
        // Pages of a __managed__ variable may be shared with its neighbours: they stay.
        if (old.map_bytes) map_pages(old.map_base, old.map_bytes, PROT_NONE);
    } else if (old.map_bytes) {
        munmap((void *)(uintptr_t)old.map_base, old.map_bytes);
    }
    sim_error error = {0};
    if (!old.engine_base || sim_memory_free(runtime.engine, old.engine_base, &error) == SIM_OK)
        return cudaSuccess;
    return runtime_fail(&error);
}

cudaError_t runtime_mirrors_to_device(void) {
    for (size_t i = 0; i < runtime.range_count; i++) {
        const runtime_range *range = &runtime.ranges[i];
        sim_error error = {0};
        const void *host = (const void *)(uintptr_t)range->base;
        if (range->mirror &&
            sim_memory_write(runtime.engine, range->mirror, host, range->bytes, &error) != SIM_OK)
            return runtime_fail(&error);
    }
    return cudaSuccess;
}

cudaError_t runtime_mirrors_to_host(void) {
    for (size_t i = 0; i < runtime.range_count; i++) {
        const runtime_range *range = &runtime.ranges[i];
        sim_error error = {0};
        void *host = (void *)(uintptr_t)range->base;
        if (range->mirror &&
            sim_memory_read(runtime.engine, host, range->mirror, range->bytes, &error) != SIM_OK)
            return runtime_fail(&error);
    }
    return cudaSuccess;
}
