// SPDX-License-Identifier: MIT
// Memory of the device, and of pools of any kind.
#ifndef SIM_RUNTIME_MEMORY_ALLOC_H
#define SIM_RUNTIME_MEMORY_ALLOC_H

#include "runtime/memory/pool.h"

// `pool`: NULL for memory of no pool.
cudaError_t runtime_alloc(uint64_t bytes, runtime_pool *pool, void **out_pointer);
// Rows, each at the alignment that textures ask for.
cudaError_t runtime_alloc_rows(size_t width, size_t rows, void **out_pointer, size_t *out_pitch);
// Of the pool's kind of memory.
cudaError_t runtime_pool_alloc(runtime_pool *pool, uint64_t bytes, void **out_pointer);
// Memory of graphs at an address that was kept for it.
cudaError_t runtime_graph_alloc(uint64_t address, uint64_t bytes);
cudaError_t runtime_free(void *pointer);
// Releases all ranges and destroys all pools.
void runtime_memory_reset(void);

#endif
