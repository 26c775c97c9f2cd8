// SPDX-License-Identifier: MIT
// Memory pools. They only account: how memory is taken and given back does not depend on them.
#ifndef SIM_RUNTIME_MEMORY_POOL_H
#define SIM_RUNTIME_MEMORY_POOL_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/abi/functions.h"
#include "runtime/state/ranges.h"

typedef struct CUmemPoolHandle_st {
    runtime_memory_kind kind;
    uint64_t release_threshold;
    uint64_t used, used_high; // bytes
    int reuse[4];             // by attribute 1..3
    bool dead;                // destroyed, but memory of it is live
    struct CUmemPoolHandle_st *next;
} runtime_pool;

runtime_pool *runtime_pool_default(runtime_memory_kind kind);
// The device's present pool; those of the other kinds are always the default ones.
runtime_pool *runtime_pool_current(void);
// What memory of graphs is counted in; no program gets its handle.
runtime_pool *runtime_pool_of_graphs(void);
bool runtime_pool_is_default(const runtime_pool *pool);
bool runtime_pool_is_live(cudaMemPool_t candidate);

runtime_pool *runtime_pool_new(runtime_memory_kind kind); // NULL: out of memory
// Memory of a destroyed pool stays valid until it is freed.
void runtime_pool_destroy(runtime_pool *pool);
cudaError_t runtime_pool_get(const runtime_pool *pool, enum cudaMemPoolAttr attribute,
                             void *out_value);
cudaError_t runtime_pool_set(runtime_pool *pool, enum cudaMemPoolAttr attribute, const void *value);
// `bytes` of its memory were allocated, or freed.
void runtime_pool_taken(runtime_pool *pool, uint64_t bytes);
void runtime_pool_returned(runtime_pool *pool, uint64_t bytes);
void runtime_pools_reset(void);

#endif
