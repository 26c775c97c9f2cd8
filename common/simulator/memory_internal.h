// SPDX-License-Identifier: MIT
// The struct behind sim_memory, shared by memory.c (allocation table), memory_copy.c (host side
// copies and messages) and memory_heap.c (the device heap). Nobody else includes this.
#ifndef SIM_MEMORY_INTERNAL_H
#define SIM_MEMORY_INTERNAL_H

#include <pthread.h>

#include "memory.h"

enum { FREED_KEPT = 1024 }; // released ranges remembered for "was freed" messages

typedef struct heap_block {
    uint64_t base, bytes;
} heap_block;

struct sim_memory {
    uint8_t *host;       // host address of SIM_GLOBAL_BASE
    uint64_t span_bytes; // of the mapping
    uint64_t budget_bytes, used_bytes;
    uint64_t
        cursor; // next-fit: the search for a gap starts here, so that freed addresses rest a while
    uint64_t high_water;
    uint64_t next_id;
    sim_allocation *table; // ascending by base
    size_t count, capacity;
    sim_allocation freed[FREED_KEPT]; // a ring, newest at freed_next - 1
    size_t freed_count, freed_next;

    pthread_mutex_t heap_lock;                // guards everything below
    uint64_t heap_bytes, heap_base, heap_end; // base 0: not created yet
    heap_block *heap_blocks;                  // ascending by base
    size_t heap_count, heap_capacity;
};

// Index of the first table entry whose base is above `address`.
size_t sim_mem_upper(const sim_memory *memory, uint64_t address);
// Fills host memory at a device address with the poison pattern.
void sim_mem_poison(const sim_memory *memory, uint64_t address, uint64_t bytes);
static inline uint8_t *sim_mem_host(const sim_memory *memory, uint64_t address) {
    return memory->host + (address - SIM_GLOBAL_BASE);
}

#endif
