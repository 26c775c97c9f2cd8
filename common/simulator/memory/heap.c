// The device heap: what malloc and free in a kernel use. One ordinary allocation, made at first
// use, with a sorted list of blocks inside; first fit. Several host threads may call at once, so a
// lock guards the list, and lookups of heap addresses never go through the executor's caches.
#include "memory/internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// As an H200 has blocks of up to 100 bytes: with 16 bytes of its own in multiples of 80, each of
// them at a multiple of 16.
enum { HEAP_OWN = 16, HEAP_UNIT = 80 };

bool sim_mem_set_heap_bytes(sim_memory *memory, uint64_t bytes) {
    if (memory->heap_base) return bytes == memory->heap_bytes;
    memory->heap_bytes = bytes;
    return true;
}

uint64_t sim_mem_heap_bytes(const sim_memory *memory) { return memory->heap_bytes; }

// Reserves the heap before a launch, because the allocation table must not change while kernels
// run.
static bool create_heap(sim_memory *memory) {
    if (memory->heap_base) return true;
    uint64_t base;
    if (sim_mem_take(memory, memory->heap_bytes, SIM_ALLOCATION_ALIGN, &base, NULL) != SIM_OK)
        return false;
    sim_mem_poison(memory, base, memory->heap_bytes);
    sim_mem_label(memory, base, "device heap");
    memory->heap_base = base;
    memory->heap_end = base + memory->heap_bytes;
    return true;
}

bool sim_mem_heap_create(sim_memory *memory) {
    pthread_mutex_lock(&memory->heap_lock);
    bool created = create_heap(memory);
    pthread_mutex_unlock(&memory->heap_lock);
    return created;
}

// Index of the first block whose base is above `address`.
static size_t heap_upper(const sim_memory *memory, uint64_t address) {
    size_t low = 0, high = memory->heap_count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (memory->heap_blocks[middle].base <= address) low = middle + 1;
        else high = middle;
    }
    return low;
}

static bool grow_blocks(sim_memory *memory) {
    if (memory->heap_count < memory->heap_capacity) return true;
    size_t capacity = memory->heap_capacity ? memory->heap_capacity * 2 : 64;
    heap_block *blocks = realloc(memory->heap_blocks, capacity * sizeof *blocks);
    if (!blocks) return false;
    memory->heap_blocks = blocks;
    memory->heap_capacity = capacity;
    return true;
}

// From the beginning of a block to the next one.
static uint64_t footprint(uint64_t bytes) {
    return (bytes + HEAP_OWN + HEAP_UNIT - 1) / HEAP_UNIT * HEAP_UNIT;
}

static uint64_t heap_place(sim_memory *memory, uint64_t bytes) {
    uint64_t start = memory->heap_base;
    for (size_t i = 0; i <= memory->heap_count; i++) {
        uint64_t end = i < memory->heap_count ? memory->heap_blocks[i].base : memory->heap_end;
        uint64_t needed = i < memory->heap_count ? footprint(bytes) : bytes;
        if (end >= start && end - start >= needed) {
            memmove(&memory->heap_blocks[i + 1], &memory->heap_blocks[i],
                    (memory->heap_count - i) * sizeof *memory->heap_blocks);
            memory->heap_blocks[i] = (heap_block){.base = start, .bytes = bytes};
            memory->heap_count++;
            sim_mem_poison(memory, start, bytes);
            return start;
        }
        if (i == memory->heap_count) break;
        start = end + footprint(memory->heap_blocks[i].bytes);
    }
    return 0;
}

uint64_t sim_mem_heap_alloc(sim_memory *memory, uint64_t bytes) {
    pthread_mutex_lock(&memory->heap_lock);
    uint64_t address = 0;
    if (bytes == 0) bytes = 1; // as a card: not null
    if (bytes <= memory->heap_bytes && memory->heap_base && grow_blocks(memory))
        address = heap_place(memory, bytes);
    pthread_mutex_unlock(&memory->heap_lock);
    return address;
}

bool sim_mem_heap_release(sim_memory *memory, uint64_t address) {
    pthread_mutex_lock(&memory->heap_lock);
    size_t index = heap_upper(memory, address);
    bool live = index > 0 && memory->heap_blocks[index - 1].base == address;
    if (live) {
        memory->heap_freed[memory->heap_freed_next++ % HEAP_FREED_KEPT] =
            memory->heap_blocks[index - 1];
        memory->heap_count--;
        memmove(&memory->heap_blocks[index - 1], &memory->heap_blocks[index],
                (memory->heap_count - (index - 1)) * sizeof *memory->heap_blocks);
    }
    pthread_mutex_unlock(&memory->heap_lock);
    return live;
}

// The latest freed block that held an address; NULL: none that is remembered.
static const heap_block *find_freed(const sim_memory *memory, uint64_t address) {
    for (uint32_t i = 0; i < HEAP_FREED_KEPT && i < memory->heap_freed_next; i++) {
        const heap_block *block =
            &memory->heap_freed[(memory->heap_freed_next - 1 - i) % HEAP_FREED_KEPT];
        if (address - block->base < block->bytes) return block;
    }
    return NULL;
}

bool sim_mem_heap_describe(const sim_memory *memory, uint64_t address, char *out_text,
                           size_t out_bytes) {
    pthread_mutex_t *lock = (pthread_mutex_t *)&memory->heap_lock;
    if (address < memory->heap_base || address >= memory->heap_end) return false;
    pthread_mutex_lock(lock);
    size_t index = heap_upper(memory, address);
    const heap_block *freed = find_freed(memory, address);
    const heap_block *below = index > 0 ? &memory->heap_blocks[index - 1] : NULL;
    if (below && address - below->base < below->bytes)
        snprintf(out_text, out_bytes,
                 "%" PRIu64 " bytes into %" PRIu64 " bytes of the device heap (malloc in a kernel)",
                 address - below->base, below->bytes);
    else if (freed)
        snprintf(out_text, out_bytes,
                 "%" PRIu64 " bytes into %" PRIu64 " bytes of the device heap (malloc in a kernel) "
                 "that was freed",
                 address - freed->base, freed->bytes);
    else if (below)
        snprintf(out_text, out_bytes,
                 "%" PRIu64 " bytes past the end of %" PRIu64
                 " bytes of the device heap (malloc in a kernel)",
                 address - (below->base + below->bytes), below->bytes);
    else snprintf(out_text, out_bytes, "in the device heap, where malloc has given nothing out");
    pthread_mutex_unlock(lock);
    return true;
}

void sim_mem_heap_range(const sim_memory *memory, uint64_t *out_base, uint64_t *out_end) {
    *out_base = memory->heap_base;
    *out_end = memory->heap_end;
}

bool sim_mem_heap_holds(const sim_memory *memory, uint64_t address, uint64_t bytes) {
    pthread_mutex_t *lock = (pthread_mutex_t *)&memory->heap_lock;
    pthread_mutex_lock(lock);
    size_t index = heap_upper(memory, address);
    bool held = false;
    if (index > 0) {
        const heap_block *block = &memory->heap_blocks[index - 1];
        held = address - block->base <= block->bytes &&
               bytes <= block->bytes - (address - block->base);
    }
    pthread_mutex_unlock(lock);
    return held;
}
