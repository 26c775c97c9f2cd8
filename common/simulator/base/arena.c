// Bump allocator over a list of blocks. Blocks come from calloc, so large ones cost no page before
// use. Must not be used by two threads at once.
#include "base/base.h"
#include <unistd.h>

enum {
    ARENA_ALIGN = 16,
    ARENA_BLOCK_BYTES = 256 * 1024, // one block serves some thousand syntax nodes
    ARENA_BLOCKS = 1024,            // a small arena is to have so many, and so smaller ones
    ARENA_LEAST_BLOCK = 16 * 1024,
};

// Under AddressSanitizer every allocation is a block of its own, so that it sees each overrun.
#if defined(__SANITIZE_ADDRESS__)
#define ARENA_EXACT true
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ARENA_EXACT true
#endif
#endif
#ifndef ARENA_EXACT
#define ARENA_EXACT false
#endif

typedef struct arena_block {
    struct arena_block *next;
    size_t used_bytes, size_bytes;
    _Alignas(ARENA_ALIGN) unsigned char data[];
} arena_block;

struct sim_arena {
    arena_block *head;
    size_t total_bytes, cap_bytes, block_bytes;
};

sim_arena *sim_arena_new(size_t cap_bytes) {
    sim_arena *arena = calloc(1, sizeof *arena);
    if (!arena) return NULL;
    arena->cap_bytes = cap_bytes;
    arena->block_bytes = cap_bytes / ARENA_BLOCKS;
    if (arena->block_bytes > ARENA_BLOCK_BYTES) arena->block_bytes = ARENA_BLOCK_BYTES;
    if (arena->block_bytes < ARENA_LEAST_BLOCK) arena->block_bytes = ARENA_LEAST_BLOCK;
    return arena;
}

void sim_arena_free(sim_arena *arena) {
    if (!arena) return;
    for (arena_block *block = arena->head; block;) {
        arena_block *next = block->next;
        free(block);
        block = next;
    }
    free(arena);
}

// A block of its own for a large request goes behind the head, so that the head stays in use.
static arena_block *add_block(sim_arena *arena, size_t bytes) {
    bool large = ARENA_EXACT || bytes > arena->block_bytes / 4;
    size_t size = large ? bytes : arena->block_bytes;
    if (size > SIZE_MAX - sizeof(arena_block)) return NULL;
    arena_block *block = calloc(1, sizeof *block + size);
    if (!block) return NULL;
    block->size_bytes = size;
    if (large && arena->head) {
        block->next = arena->head->next;
        arena->head->next = block;
    } else {
        block->next = arena->head;
        arena->head = block;
    }
    return block;
}

void *sim_arena_alloc(sim_arena *arena, size_t bytes) {
    if (bytes > SIZE_MAX - ARENA_ALIGN) return NULL;
    if (!ARENA_EXACT) bytes = (bytes + ARENA_ALIGN - 1) / ARENA_ALIGN * ARENA_ALIGN;
    if (bytes == 0) bytes = ARENA_ALIGN;
    if (bytes > arena->cap_bytes - arena->total_bytes) return NULL;
    arena_block *block = arena->head;
    if (!block || bytes > block->size_bytes - block->used_bytes) {
        block = add_block(arena, bytes);
        if (!block) return NULL;
    }
    void *result = block->data + block->used_bytes;
    block->used_bytes += bytes;
    arena->total_bytes += bytes;
    return result;
}

void *sim_arena_array(sim_arena *arena, size_t count, size_t element_bytes) {
    size_t bytes;
    if (__builtin_mul_overflow(count, element_bytes, &bytes)) return NULL;
    return sim_arena_alloc(arena, bytes);
}

char *sim_arena_text(sim_arena *arena, const char *text, size_t bytes) {
    if (bytes == SIZE_MAX) return NULL;
    char *copy = sim_arena_alloc(arena, bytes + 1);
    if (copy && bytes) memcpy(copy, text, bytes);
    return copy;
}

void *sim_arena_copy(sim_arena *arena, const void *source, size_t bytes) {
    void *copy = sim_arena_alloc(arena, bytes);
    if (copy && bytes) memcpy(copy, source, bytes);
    return copy;
}

uint64_t sim_host_page(void) { return (uint64_t)sysconf(_SC_PAGESIZE); }

bool sim_reserve(void *list, uint32_t *capacity, uint64_t count, size_t bytes) {
    enum { FIRST = 32 };
    void *old, *grown;
    if (count < *capacity) return true;
    if (count > UINT32_MAX / 2) return false;
    uint32_t more = *capacity ? 2 * *capacity : FIRST;
    memcpy(&old, list, sizeof old);
    grown = realloc(old, more * bytes);
    if (!grown) return false;
    memcpy(list, &grown, sizeof grown);
    *capacity = more;
    return true;
}
