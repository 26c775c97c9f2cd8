// SPDX-License-Identifier: MIT
// Memory pools: which there are, and how much of each is in use (CUDA Runtime API reference,
// "Stream Ordered Memory Allocator").
#include "runtime/memory/memory.h"

#include <stdlib.h>

#include "runtime/state/state.h"

typedef runtime_pool pool;

static pool default_pool = {.kind = RUNTIME_MEMORY_DEVICE, .reuse = {0, 1, 1, 1}};
// Those of the other kinds of memory. Their current pool is always the default one.
static pool host_pool = {.kind = RUNTIME_MEMORY_PINNED, .reuse = {0, 1, 1, 1}};
static pool managed_pool = {.kind = RUNTIME_MEMORY_MANAGED, .reuse = {0, 1, 1, 1}};

// Counted in bytes that are live; a device counts the blocks of 32 MiB that its graphs have taken
// so far.
static pool graph_pool = {.kind = RUNTIME_MEMORY_DEVICE};

pool *runtime_pool_default(runtime_memory_kind kind) {
    if (kind == RUNTIME_MEMORY_DEVICE) return &default_pool;
    return kind == RUNTIME_MEMORY_PINNED ? &host_pool : &managed_pool;
}

pool *runtime_pool_of_graphs(void) {
    return &graph_pool;
}

bool runtime_pool_is_default(const pool *p) {
    return p == &default_pool || p == &host_pool || p == &managed_pool;
}

bool runtime_pool_is_live(cudaMemPool_t candidate) {
    if (runtime_pool_is_default(candidate)) return true;
    for (const pool *p = runtime.pools; p; p = p->next)
        if (p == candidate) return !p->dead;
    return false;
}

pool *runtime_pool_current(void) {
    return runtime.current_pool ? runtime.current_pool : &default_pool;
}

static void forget(pool *p) {
    pool **link = &runtime.pools;
    while (*link && *link != p) link = &(*link)->next;
    if (*link) *link = p->next;
    free(p);
}

void runtime_pools_reset(void) {
    while (runtime.pools) forget(runtime.pools);
    runtime.current_pool = NULL;
    pool *const defaults[] = {&default_pool, &host_pool, &managed_pool, &graph_pool};
    for (size_t i = 0; i < sizeof defaults / sizeof *defaults; i++)
        *defaults[i] = (pool){.kind = defaults[i]->kind, .reuse = {0, 1, 1, 1}};
}

void runtime_pool_returned(runtime_pool *from, uint64_t bytes) {
    from->used -= bytes;
    if (from->dead && from->used == 0) forget(from);
}

void runtime_pool_taken(pool *p, uint64_t bytes) {
    p->used += bytes;
    if (p->used > p->used_high) p->used_high = p->used;
}

pool *runtime_pool_new(runtime_memory_kind kind) {
    pool *made = calloc(1, sizeof *made);
    if (!made) return NULL;
    *made = (pool){.kind = kind, .reuse = {0, 1, 1, 1}, .next = runtime.pools};
    runtime.pools = made;
    return made;
}

void runtime_pool_destroy(pool *p) {
    if (runtime.current_pool == p) runtime.current_pool = NULL;
    p->dead = true;
    if (p->used == 0) forget(p);
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
    case cudaMemPoolAttrReservedMemCurrent: // nothing is kept beyond its use
    case cudaMemPoolAttrUsedMemCurrent: *(uint64_t *)out_value = p->used; return cudaSuccess;
    case cudaMemPoolAttrReservedMemHigh:
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
        p->used_high = p->used;
        return cudaSuccess;
    default: return cudaErrorInvalidValue;
    }
}
