// SPDX-License-Identifier: MIT
// Memory that host and kernels use by the same addresses: managed, page-locked, registered.
#ifndef SIM_RUNTIME_MEMORY_HOST_PAGES_H
#define SIM_RUNTIME_MEMORY_HOST_PAGES_H

#include "runtime/memory/pool.h"
#include "runtime/state/ranges.h"

// Managed or page-locked memory: `flags` of the call that asks.
cudaError_t runtime_shared_alloc(runtime_memory_kind kind, uint64_t bytes, unsigned flags,
                                 runtime_pool *pool, void **out_pointer);
// Makes a __managed__ variable, whose engine address is `address`, readable by the host.
cudaError_t runtime_managed_adopt(sim_module_handle module, uint64_t address, uint64_t bytes);
// Lets kernels use memory that the program has.
cudaError_t runtime_host_attach(uint64_t address, uint64_t bytes, unsigned flags);
// Unmaps, frees and forgets a range of any kind.
cudaError_t runtime_range_release(runtime_range *range);
// Around a launch: registered memory that the engine cannot reach in place.
cudaError_t runtime_copies_to_device(void);
cudaError_t runtime_copies_to_host(void);

#endif
