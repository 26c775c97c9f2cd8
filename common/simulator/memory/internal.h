// The struct behind sim_memory, and what the files of it offer each other. From the ground up:
// table.c (allocations), heap.c (malloc in kernels), describe.c (messages), host_pages.c (shared
// allocations), virtual.c, memory.c (private ones), attached.c, copy.c. Nobody else includes this.
#pragma once

#include "memory/memory.h"
#include <pthread.h>

enum { FREED_KEPT = 1024 }; // released ranges remembered for "was freed" messages

// A shared allocation's place in the file; the page after its last is its own as well. Memory that
// is mapped at other addresses has an entry for each, behind its own, without that page.
typedef struct shared_pages {
    uint64_t base, offset, bytes;
} shared_pages;

enum { HEAP_FREED_KEPT = 256 };
typedef struct heap_block {
    uint64_t base, bytes;
} heap_block;

// What malloc in kernels of a device gives out.
typedef struct memory_heap {
    uint64_t bytes, base, end; // base 0: not created yet
    heap_block *blocks;        // ascending by base
    size_t count;
    uint32_t capacity;
    heap_block freed[HEAP_FREED_KEPT]; // a ring of the latest
    uint32_t freed_next;
} memory_heap;

struct sim_memory {
    uint8_t *host;         // host address of SIM_GLOBAL_BASE
    uint64_t span_bytes;   // of the mapping
    int shared_file;       // -1: not made yet
    uint64_t shared_bytes; // of the file
    shared_pages *shared;  // ascending by offset
    size_t shared_count;
    uint32_t shared_capacity;
    uint64_t budget_bytes, used_bytes[SIM_MOST_DEVICES];
    // By device; next fit: the search for a gap starts here, so that freed addresses rest.
    uint64_t cursor[SIM_MOST_DEVICES];
    uint8_t device;                  // in use
    uint8_t reach[SIM_MOST_DEVICES]; // who may use what this device allocates
    uint64_t high_water;
    sim_guard guard;
    uint64_t next_id;
    uint64_t version;      // changes with the table
    sim_allocation *table; // ascending by base
    size_t count;
    uint32_t capacity;
    sim_allocation freed[FREED_KEPT]; // a ring, newest at freed_next - 1
    size_t freed_count, freed_next;
    sim_attachment *attached; // unordered: programs register few ranges
    size_t attached_count;
    uint32_t attached_capacity;

    sim_writers *writers; // NULL: no notes are kept

    pthread_mutex_t heap_lock;           // guards what is below
    memory_heap heaps[SIM_MOST_DEVICES]; // each the device's own
};

// Index of the first table entry whose base is above `address`.
size_t sim_mem_upper(const sim_memory *memory, uint64_t address);
// Allocates without touching pages or budget: `align` is a power of two, the extent a multiple of
// it with `guard` bytes behind. False: no gap is large enough.
bool sim_mem_enter(sim_memory *memory, uint64_t bytes, uint64_t align, uint64_t guard,
                   uint64_t *out_address);
// The same at an address, with so many bytes to the end of its guard. False: something is there.
bool sim_mem_enter_at(sim_memory *memory, uint64_t address, uint64_t bytes, uint64_t extent);
// Puts an entry before that with this index; false: no host memory.
bool sim_mem_insert(sim_memory *memory, size_t index, uint64_t base, uint64_t bytes,
                    uint64_t extent);
// Bytes to keep free behind an allocation: a multiple of `align`.
uint64_t sim_mem_gap(const sim_memory *memory, uint64_t bytes, uint64_t align);
// The same against the budget, for private memory; _at: at this address.
sim_status sim_mem_take(sim_memory *memory, uint64_t bytes, uint64_t align, uint64_t *out_address,
                        kl_error *err);
sim_status sim_mem_take_at(sim_memory *memory, uint64_t address, uint64_t bytes, kl_error *err);
// The allocation that starts at `address` is the host's: every device reaches it, and it is no
// peer's.
void sim_mem_of_host(sim_memory *memory, uint64_t address);
// Takes an allocation out of the table, and remembers it for messages.
void sim_mem_leave(sim_memory *memory, const sim_allocation *found);
// Hands the pages of a shared allocation back; false: it is not a shared one.
bool sim_mem_drop_shared(sim_memory *memory, uint64_t base);
// Maps the pages of a shared allocation at another address, too; false: the system does not.
bool sim_mem_map_again(sim_memory *memory, uint64_t pages, uint64_t address, uint64_t bytes);
static inline uint8_t *sim_mem_host(const sim_memory *memory, uint64_t address) {
    return memory->host + (address - SIM_GLOBAL_BASE);
}
// Writes the first `width` bytes (1, 2 or 4) of a pattern repeatedly; the last may be cut.
void sim_mem_repeat(uint8_t *to, uint32_t pattern, uint32_t width, uint64_t bytes);
// Fills host memory at a device address with the poison pattern.
static inline void sim_mem_poison(const sim_memory *memory, uint64_t address, uint64_t bytes) {
    sim_mem_repeat(sim_mem_host(memory, address), SIM_POISON, sizeof(uint32_t), bytes);
}

// Of virtual memory; false: nothing begins there that can be released.
bool sim_mem_release_virtual(sim_memory *memory, uint64_t address);

// The heap that an address is in; NULL: none.
const memory_heap *sim_mem_heap_at(const sim_memory *memory, uint64_t address);
// Where an address of a device's heap lies; false: it is in none.
bool sim_mem_heap_describe(const sim_memory *memory, uint64_t address, char *out_text,
                           size_t out_bytes);
// To a multiple of `align`, a power of two.
static inline uint64_t sim_mem_round_up(uint64_t bytes, uint64_t align) {
    return (bytes + align - 1) & ~(align - 1);
}
