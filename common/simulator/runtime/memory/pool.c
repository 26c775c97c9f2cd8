// Memory pools: which there are, and how much of each is in use (CUDA Runtime API reference,
// "Stream Ordered Memory Allocator").
#include "runtime/memory/memory.h"

typedef runtime_pool pool;

// Of each device: the default one, and what its graphs take. Counted in blocks: as a device does,
// also of what is in use.
static pool default_pools[SIM_MOST_DEVICES], graph_pools[SIM_MOST_DEVICES];
// Those of the other kinds of memory. Their current pool is always the default one.
static pool host_pool = {.kind = RUNTIME_MEMORY_PINNED, .reuse = {0, 1, 1, 1}};
static pool managed_pool = {.kind = RUNTIME_MEMORY_MANAGED, .reuse = {0, 1, 1, 1}};

static void renew(pool *p, runtime_memory_kind kind, int device) {
    free(p->blocks);
    *p = (pool){.kind = kind, .device = device, .reuse = {0, 1, 1, 1}};
}

// One of the device in use, made when it is first asked for.
static pool *of_device(pool *pools) {
    pool *own = &pools[runtime.device];
    if (!own->reuse[1]) renew(own, RUNTIME_MEMORY_DEVICE, runtime.device);
    return own;
}

pool *runtime_pool_default(runtime_memory_kind kind) {
    if (kind == RUNTIME_MEMORY_DEVICE) return of_device(default_pools);
    return kind == RUNTIME_MEMORY_PINNED ? &host_pool : &managed_pool;
}

pool *runtime_pool_of_graphs(void) { return of_device(graph_pools); }

bool runtime_pool_is_default(const pool *p) {
    return (p >= default_pools && p < default_pools + SIM_MOST_DEVICES) || p == &host_pool ||
           p == &managed_pool;
}

bool runtime_pool_is_live(cudaMemPool_t candidate) {
    if (runtime_pool_is_default(candidate)) return true;
    for (const pool *p = runtime.pools; p; p = p->next)
        if (p == candidate) return !p->dead;
    return false;
}

pool *runtime_pool_current(void) {
    return runtime.now->current_pool ? runtime.now->current_pool : of_device(default_pools);
}

static void forget(pool *p) {
    pool **link = &runtime.pools;
    while (*link && *link != p) link = &(*link)->next;
    if (*link) *link = p->next;
    free(p->blocks);
    free(p);
}

void runtime_pools_reset(void) {
    for (pool *p = runtime.pools, *next; p; p = next) {
        next = p->next;
        if (p->device == runtime.device) forget(p);
    }
    runtime.now->current_pool = NULL;
    renew(of_device(default_pools), RUNTIME_MEMORY_DEVICE, runtime.device);
    renew(of_device(graph_pools), RUNTIME_MEMORY_DEVICE, runtime.device);
    if (runtime.device) return;
    renew(&host_pool, RUNTIME_MEMORY_PINNED, 0);
    renew(&managed_pool, RUNTIME_MEMORY_MANAGED, 0);
}

static uint64_t whole(uint64_t bytes, uint64_t unit) { return (bytes + unit - 1) / unit * unit; }

bool runtime_pool_can_hold(const pool *p, uint64_t bytes) {
    uint64_t most = whole(p->most, RUNTIME_POOL_BYTES);
    return !p->most || (bytes <= most && whole(p->used + bytes, RUNTIME_POOL_BYTES) <= most);
}

// Counts one range more or one less in each of the blocks that it lies in.
static void count_range(pool *p, const runtime_range *range, int by) {
    uint64_t first = range->offset / RUNTIME_POOL_BYTES;
    uint64_t end = whole(range->offset + range->bytes, RUNTIME_POOL_BYTES) / RUNTIME_POOL_BYTES;
    if (end > p->block_count) {
        void *grown = realloc(p->blocks, end * sizeof *p->blocks);
        if (!grown) return;
        p->blocks = grown;
        memset(p->blocks + p->block_count, 0, (end - p->block_count) * sizeof *p->blocks);
        p->block_count = end;
    }
    for (uint64_t i = first; i < end; i++) {
        p->blocks[i].ranges += (uint32_t)by;
        if (p->blocks[i].reserved) continue;
        p->blocks[i].reserved = true;
        p->reserved += RUNTIME_POOL_BYTES;
    }
    if (p->reserved > p->reserved_high) p->reserved_high = p->reserved;
}

uint64_t runtime_pool_place(pool *p, uint64_t bytes, uint64_t *out_offset) {
    bytes = whole(bytes, SIM_ALLOCATION_ALIGN);
    for (uint32_t i = 0; i < RUNTIME_POOL_FREED && i < p->freed_count; i++) {
        uint32_t slot = (p->freed_count - 1 - i) % RUNTIME_POOL_FREED;
        uint64_t base = p->freed[slot].base;
        if (p->freed[slot].bytes < bytes) continue;
        *out_offset = p->freed[slot].offset;
        p->freed[slot].base += bytes;
        p->freed[slot].offset += bytes;
        p->freed[slot].bytes -= bytes;
        return base;
    }
    *out_offset = p->end;
    return 0;
}

void runtime_pool_taken(pool *p, runtime_range *range) {
    uint64_t end = range->offset + whole(range->bytes, SIM_ALLOCATION_ALIGN);
    count_range(p, range, 1);
    if (end > p->end) p->end = end;
    p->used += range->bytes;
    if (p->used > p->used_high) p->used_high = p->used;
}

void runtime_pool_returned(runtime_pool *from, const runtime_range *range) {
    count_range(from, range, -1);
    from->used -= range->bytes;
    uint32_t slot = from->freed_count++ % RUNTIME_POOL_FREED;
    from->freed[slot].base = range->base;
    from->freed[slot].offset = range->offset;
    from->freed[slot].bytes = whole(range->bytes, SIM_ALLOCATION_ALIGN);
    if (from->used == 0) from->end = 0;
    if (from->dead && from->used == 0) forget(from);
}

// From the end on. `least`: what must stay; `most`: what may.
static void trim(pool *p, uint64_t least, uint64_t most) {
    for (uint64_t i = p->block_count; i > 0 && p->reserved > most; i--) {
        if (!p->blocks[i - 1].reserved || p->blocks[i - 1].ranges) continue;
        if (p->reserved < least + RUNTIME_POOL_BYTES) return;
        p->blocks[i - 1].reserved = false;
        p->reserved -= RUNTIME_POOL_BYTES;
    }
}

void runtime_pool_trim(pool *p, uint64_t keep) { trim(p, keep, keep); }

static void trim_to_threshold(pool *p, const runtime_queue *queue) {
    if (!queue || !p->freed_in || p->freed_in == queue) trim(p, 0, p->release_threshold);
}

void runtime_pools_trim(const runtime_queue *queue) {
    pool *const defaults[] = {of_device(default_pools), &host_pool, &managed_pool};
    for (size_t i = 0; i < sizeof defaults / sizeof *defaults; i++)
        trim_to_threshold(defaults[i], queue);
    for (pool *p = runtime.pools; p; p = p->next) trim_to_threshold(p, queue);
}

uint64_t runtime_pools_reserved(void) {
    uint64_t bytes = of_device(default_pools)->reserved + of_device(graph_pools)->reserved;
    for (const pool *p = runtime.pools; p; p = p->next)
        if (p->kind == RUNTIME_MEMORY_DEVICE && p->device == runtime.device) bytes += p->reserved;
    return bytes;
}

pool *runtime_pool_new(runtime_memory_kind kind) {
    pool *made = calloc(1, sizeof *made);
    if (!made) return NULL;
    *made = (pool){
        .kind = kind, .device = runtime.device, .reuse = {0, 1, 1, 1}, .next = runtime.pools};
    runtime.pools = made;
    return made;
}

void runtime_pool_destroy(pool *p) {
    for (int i = 0; i < SIM_MOST_DEVICES; i++)
        if (runtime.devices[i].current_pool == p) runtime.devices[i].current_pool = NULL;
    p->dead = true;
    if (p->used == 0) forget(p);
}

void runtime_pool_reach(pool *p, int device, bool may) {
    uint8_t bit = (uint8_t)(1u << device);
    p->reach = may ? p->reach | bit : p->reach & ~bit;
    for (size_t i = 0; i < runtime.range_count; i++)
        if (runtime.ranges[i].pool == p)
            sim_memory_reach(runtime.engine, runtime.ranges[i].base, p->reach, NULL);
}

cudaError_t runtime_pool_get(const pool *p, enum cudaMemPoolAttr attribute, void *out_value) {
    switch (attribute) {
    case cudaMemPoolReuseFollowEventDependencies:
    case cudaMemPoolReuseAllowOpportunistic:
    case cudaMemPoolReuseAllowInternalDependencies:
        *(int *)out_value = p->reuse[attribute];
        return cudaSuccess;
    case cudaMemPoolAttrReleaseThreshold:
        *(uint64_t *)out_value = p->release_threshold;
        return cudaSuccess;
    case cudaMemPoolAttrReservedMemCurrent:
        *(uint64_t *)out_value = p->reserved;
        return cudaSuccess;
    case cudaMemPoolAttrUsedMemCurrent: *(uint64_t *)out_value = p->used; return cudaSuccess;
    case cudaMemPoolAttrReservedMemHigh:
        *(uint64_t *)out_value = p->reserved_high;
        return cudaSuccess;
    case cudaMemPoolAttrUsedMemHigh: *(uint64_t *)out_value = p->used_high; return cudaSuccess;
    default: return cudaErrorInvalidValue;
    }
}

cudaError_t runtime_pool_set(pool *p, enum cudaMemPoolAttr attribute, const void *value) {
    switch (attribute) {
    case cudaMemPoolReuseFollowEventDependencies:
    case cudaMemPoolReuseAllowOpportunistic:
    case cudaMemPoolReuseAllowInternalDependencies:
        p->reuse[attribute] = *(const int *)value != 0;
        return cudaSuccess;
    case cudaMemPoolAttrReleaseThreshold:
        p->release_threshold = *(const uint64_t *)value;
        return cudaSuccess;
    case cudaMemPoolAttrReservedMemHigh:
    case cudaMemPoolAttrUsedMemHigh: // a high-water mark can only be reset
        if (*(const uint64_t *)value != 0) return cudaErrorInvalidValue;
        if (attribute == cudaMemPoolAttrUsedMemHigh) p->used_high = p->used;
        else p->reserved_high = p->reserved;
        return cudaSuccess;
    default: return cudaErrorInvalidValue;
    }
}
