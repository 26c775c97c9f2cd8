// The device heap: what malloc and free in a kernel use. One ordinary allocation a device, made at
// first use, with a sorted list of blocks inside; first fit. Several host threads may call at once,
// so a lock guards the list; lookups of heap addresses never go through the executor's caches.
#include "memory/internal.h"

// As an H200 has blocks of up to 100 bytes: with 16 bytes of its own in multiples of 80, each of
// them at a multiple of 16.
enum { HEAP_OWN = 16, HEAP_UNIT = 80 };

// Of the device in use.
static memory_heap *own_heap(const sim_memory *memory) {
    return (memory_heap *)&memory->heaps[memory->device];
}

const memory_heap *sim_mem_heap_at(const sim_memory *memory, uint64_t address) {
    for (uint32_t i = 0; i < SIM_MOST_DEVICES; i++)
        if (address - memory->heaps[i].base < memory->heaps[i].end - memory->heaps[i].base)
            return &memory->heaps[i];
    return NULL;
}

bool sim_mem_set_heap_bytes(sim_memory *memory, uint64_t bytes) {
    memory_heap *heap = own_heap(memory);
    if (heap->base) return bytes == heap->bytes;
    heap->bytes = bytes;
    return true;
}

uint64_t sim_mem_heap_bytes(const sim_memory *memory) { return own_heap(memory)->bytes; }

// Reserves the heap before a launch, because the allocation table must not change while kernels
// run.
static bool create_heap(sim_memory *memory) {
    memory_heap *heap = own_heap(memory);
    if (heap->base) return true;
    uint64_t base;
    if (sim_mem_take(memory, heap->bytes, SIM_ALLOCATION_ALIGN, &base, NULL) != SIM_OK)
        return false;
    sim_mem_poison(memory, base, heap->bytes);
    sim_mem_label(memory, base, "device heap");
    sim_mem_reach(memory, base, 0); // no peer's (H200)
    heap->base = base;
    heap->end = base + heap->bytes;
    return true;
}

bool sim_mem_heap_create(sim_memory *memory) {
    pthread_mutex_lock(&memory->heap_lock);
    bool created = create_heap(memory);
    pthread_mutex_unlock(&memory->heap_lock);
    return created;
}

// Index of the first block whose base is above `address`.
static size_t heap_upper(const memory_heap *heap, uint64_t address) {
    size_t low = 0, high = heap->count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (heap->blocks[middle].base <= address) low = middle + 1;
        else high = middle;
    }
    return low;
}

// From the beginning of a block to the next one.
static uint64_t footprint(uint64_t bytes) {
    return (bytes + HEAP_OWN + HEAP_UNIT - 1) / HEAP_UNIT * HEAP_UNIT;
}

static uint64_t heap_place(sim_memory *memory, uint64_t bytes) {
    memory_heap *heap = own_heap(memory);
    uint64_t start = heap->base;
    for (size_t i = 0; i <= heap->count; i++) {
        uint64_t end = i < heap->count ? heap->blocks[i].base : heap->end;
        uint64_t needed = i < heap->count ? footprint(bytes) : bytes;
        if (end >= start && end - start >= needed) {
            memmove(&heap->blocks[i + 1], &heap->blocks[i],
                    (heap->count - i) * sizeof *heap->blocks);
            heap->blocks[i] = (heap_block){.base = start, .bytes = bytes};
            heap->count++;
            sim_mem_poison(memory, start, bytes);
            return start;
        }
        if (i == heap->count) break;
        start = end + footprint(heap->blocks[i].bytes);
    }
    return 0;
}

uint64_t sim_mem_heap_alloc(sim_memory *memory, uint64_t bytes) {
    memory_heap *heap = own_heap(memory);
    pthread_mutex_lock(&memory->heap_lock);
    uint64_t address = 0;
    if (bytes == 0) bytes = 1; // as a card: not null
    if (bytes <= heap->bytes && heap->base &&
        sim_reserve(&heap->blocks, &heap->capacity, heap->count, sizeof *heap->blocks))
        address = heap_place(memory, bytes);
    pthread_mutex_unlock(&memory->heap_lock);
    return address;
}

bool sim_mem_heap_release(sim_memory *memory, uint64_t address) {
    memory_heap *heap = own_heap(memory);
    pthread_mutex_lock(&memory->heap_lock);
    size_t index = heap_upper(heap, address);
    bool live = index > 0 && heap->blocks[index - 1].base == address;
    if (live) {
        heap->freed[heap->freed_next++ % HEAP_FREED_KEPT] = heap->blocks[index - 1];
        heap->count--;
        memmove(&heap->blocks[index - 1], &heap->blocks[index],
                (heap->count - (index - 1)) * sizeof *heap->blocks);
    }
    pthread_mutex_unlock(&memory->heap_lock);
    return live;
}

// The latest freed block that held an address; NULL: none that is remembered.
static const heap_block *find_freed(const memory_heap *heap, uint64_t address) {
    for (uint32_t i = 0; i < HEAP_FREED_KEPT && i < heap->freed_next; i++) {
        const heap_block *block = &heap->freed[(heap->freed_next - 1 - i) % HEAP_FREED_KEPT];
        if (address - block->base < block->bytes) return block;
    }
    return NULL;
}

bool sim_mem_heap_describe(const sim_memory *memory, uint64_t address, char *out_text,
                           size_t out_bytes) {
    const memory_heap *heap = sim_mem_heap_at(memory, address);
    pthread_mutex_t *lock = (pthread_mutex_t *)&memory->heap_lock;
    if (!heap) return false;
    pthread_mutex_lock(lock);
    size_t index = heap_upper(heap, address);
    const heap_block *freed = find_freed(heap, address);
    const heap_block *below = index > 0 ? &heap->blocks[index - 1] : NULL;
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
    memory_heap *heap = own_heap(memory);
    *out_base = heap->base;
    *out_end = heap->end;
}

bool sim_mem_heap_holds(const sim_memory *memory, uint64_t address, uint64_t bytes) {
    memory_heap *heap = own_heap(memory);
    pthread_mutex_t *lock = (pthread_mutex_t *)&memory->heap_lock;
    pthread_mutex_lock(lock);
    size_t index = heap_upper(heap, address);
    bool held = false;
    if (index > 0) {
        const heap_block *block = &heap->blocks[index - 1];
        held = address - block->base <= block->bytes &&
               bytes <= block->bytes - (address - block->base);
    }
    pthread_mutex_unlock(lock);
    return held;
}
