// Device memory: the mapping, and allocating and releasing of private memory. One anonymous mapping
// without reserved pages mirrors the device's address range, so host = origin + address; what a
// kernel may touch of it is decided by the table of allocations (table.c) alone.
#include "memory/internal.h"
#include "this_machine.h"
#include <sys/mman.h>

enum {
    LARGE_BYTES = 1 << 20 // from here on released pages are handed back to the system
};

// The largest power of two of address space that the system grants, from SIM_GLOBAL_SPAN down. A
// limit on address space (ulimit -v) or strict overcommit makes it smaller; then as much again and
// a quarter is left for notes about the memory (record/sectors.h).
static uint8_t *map_span(uint64_t budget_bytes, uint64_t *out_span) {
    for (uint64_t span = SIM_GLOBAL_SPAN; span >= budget_bytes && span >= LARGE_BYTES; span /= 2) {
        uint64_t notes = span + span / 4;
        uint8_t *host = mmap(NULL, span + notes, PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (host != MAP_FAILED) {
            munmap(host + span, notes);
            *out_span = span;
            return host;
        }
    }
    return NULL;
}

sim_status sim_mem_new(uint64_t budget_bytes, sim_memory **out_memory, kl_error *err) {
    *out_memory = NULL;
    sim_memory *memory = calloc(1, sizeof *memory);
    if (!memory) return sim_fail(err, SIM_OUT_OF_MEMORY, "no host memory for the device's tables");
    if (budget_bytes > SIM_GLOBAL_SPAN / 2) budget_bytes = SIM_GLOBAL_SPAN / 2;
    memory->host = map_span(budget_bytes, &memory->span_bytes);
    if (!memory->host) {
        free(memory);
        return sim_fail(err, SIM_OUT_OF_MEMORY,
                        "cannot map %" PRIu64 " bytes of address space for device memory: %s",
                        budget_bytes, strerror(errno));
    }
    memory->budget_bytes = budget_bytes;
    memory->shared_file = -1;
    memory->shared_bytes = budget_bytes & ~(sim_host_page() - 1);
    memory->high_water = SIM_GLOBAL_BASE;
    for (uint32_t i = 0; i < SIM_MOST_DEVICES; i++) {
        memory->cursor[i] = SIM_GLOBAL_BASE;
        memory->reach[i] = (uint8_t)(1u << i);
        memory->heaps[i].bytes = UINT64_C(8) << 20; // cudaLimitMallocHeapSize's default
    }
    memory->next_id = 1;
    memory->version = kl_now_ns(); // two memories at one address have no version in common
    pthread_mutex_init(&memory->heap_lock, NULL);
    *out_memory = memory;
    return SIM_OK;
}

void sim_mem_delete(sim_memory *memory) {
    if (!memory) return;
    munmap(memory->host, memory->span_bytes);
    if (memory->shared_file >= 0) close(memory->shared_file);
    sim_writers_free(memory->writers);
    free(memory->attached);
    free(memory->shared);
    pthread_mutex_destroy(&memory->heap_lock);
    for (uint32_t i = 0; i < SIM_MOST_DEVICES; i++) free(memory->heaps[i].blocks);
    free(memory->table);
    free(memory);
}

// Large memory is touched whole, by the poison first: in pages of the largest kind that the system
// has, where it has several.
static void prefer_large_pages(const sim_memory *memory, uint64_t address, uint64_t bytes) {
    if (bytes < LARGE_BYTES) return;
    uint64_t first = (address - SIM_GLOBAL_BASE) & ~(sim_host_page() - 1);
    madvise(memory->host + first, bytes, MADV_HUGEPAGE);
}

static sim_status alloc(sim_memory *memory, uint64_t bytes, uint64_t align, uint64_t *out_address,
                        kl_error *err) {
    TRY(sim_mem_take(memory, bytes, align, out_address, err));
    prefer_large_pages(memory, *out_address, bytes);
    sim_mem_poison(memory, *out_address, bytes);
    if (memory->writers) sim_writers_forget(memory->writers, *out_address, bytes);
    return SIM_OK;
}

sim_status sim_mem_alloc(sim_memory *memory, uint64_t bytes, uint64_t *out_address, kl_error *err) {
    return alloc(memory, bytes, SIM_ALLOCATION_ALIGN, out_address, err);
}

sim_status sim_mem_alloc_variable(sim_memory *memory, uint64_t bytes, uint64_t align,
                                  uint64_t *out_address, kl_error *err) {
    if (memory->guard || align > SIM_ALLOCATION_ALIGN) align = SIM_ALLOCATION_ALIGN;
    TRY(alloc(memory, bytes, align, out_address, err));
    sim_mem_reach(memory, *out_address, 0); // no peer's (H200)
    return SIM_OK;
}

sim_status sim_mem_alloc_at(sim_memory *memory, uint64_t address, uint64_t bytes, kl_error *err) {
    TRY(sim_mem_take_at(memory, address, bytes, err));
    sim_mem_poison(memory, address, bytes);
    if (memory->writers) sim_writers_forget(memory->writers, address, bytes);
    return SIM_OK;
}

// Hands whole pages inside a released range back to the system; they read as zero if mapped in
// again.
static void drop_pages(sim_memory *memory, const sim_allocation *range) {
    const uint64_t page = sim_host_page();
    uint64_t first = (range->base - SIM_GLOBAL_BASE + page - 1) & ~(page - 1);
    uint64_t last = (range->base - SIM_GLOBAL_BASE + range->bytes) & ~(page - 1);
    if (last > first) madvise(memory->host + first, last - first, MADV_DONTNEED);
}

sim_status sim_mem_release(sim_memory *memory, uint64_t address, kl_error *err) {
    const sim_allocation *found = sim_mem_find(memory, address);
    if ((!found || found->kind) && sim_mem_release_virtual(memory, address)) return SIM_OK;
    if (!found || found->base != address || found->kind) {
        char place[256];
        sim_mem_describe(memory, address, 1, place, sizeof place);
        return sim_fail(err, SIM_INVALID_VALUE, "freeing 0x%" PRIx64 ": %s", address, place);
    }
    if (!sim_mem_drop_shared(memory, address)) {
        memory->used_bytes[found->device] -= sim_mem_round_up(found->bytes, SIM_ALLOCATION_ALIGN);
        if (found->bytes >= LARGE_BYTES) drop_pages(memory, found);
    }
    sim_mem_leave(memory, found);
    return SIM_OK;
}

sim_status sim_mem_keep_writers(sim_memory *memory, kl_error *err) {
    return sim_writers_new(memory->span_bytes, &memory->writers, err);
}

sim_writers *sim_mem_writers(const sim_memory *memory) { return memory->writers; }

void sim_mem_give(sim_memory *memory, uint64_t address) {
    sim_allocation *found = (sim_allocation *)sim_mem_find(memory, address);
    if (found && found->base == address) found->given = true;
}

void sim_mem_note_scatter(sim_memory *memory, uint64_t address) {
    sim_allocation *found = (sim_allocation *)sim_mem_find(memory, address);
    if (found) found->scattered = true;
}

void sim_mem_info(const sim_memory *memory, uint64_t *out_free_bytes, uint64_t *out_total_bytes) {
    *out_free_bytes = memory->budget_bytes - memory->used_bytes[memory->device];
    *out_total_bytes = memory->budget_bytes;
}

uint8_t *sim_mem_origin(const sim_memory *memory) {
    return (uint8_t *)((uintptr_t)memory->host - SIM_GLOBAL_BASE);
}

uint64_t sim_mem_version(const sim_memory *memory) { return memory->version; }

uint64_t sim_mem_high_water(const sim_memory *memory) { return memory->high_water; }
