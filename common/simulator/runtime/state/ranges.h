// SPDX-License-Identifier: MIT
// The table of live memory that the program got from the runtime, sorted by address.
#ifndef SIM_RUNTIME_STATE_RANGES_H
#define SIM_RUNTIME_STATE_RANGES_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/abi/functions.h"
#include "engine/engine.h"

typedef enum runtime_memory_kind {
    RUNTIME_MEMORY_DEVICE,    // cudaMalloc: engine memory only
    RUNTIME_MEMORY_MANAGED,   // pages of the engine's shared file
    RUNTIME_MEMORY_PINNED,    // cudaHostAlloc, cudaMallocHost: likewise
    RUNTIME_MEMORY_REGISTERED // cudaHostRegister: pages of the user, attached to the engine
} runtime_memory_kind;

typedef struct runtime_range {
    uint64_t base, bytes;     // the same for the program, for kernels and in the engine
    uint64_t pitch;           // bytes from one row to the next; 0: there are no rows
    bool is_variable;         // a __managed__ one: its module holds the memory
    sim_module_handle module; // of a variable
    bool is_copied;           // registered with an engine elsewhere: copied around launches
    uint8_t *sent;            // then: what the present launch was given; NULL: none runs
    runtime_memory_kind kind;
    unsigned flags;                  // of the call that made it
    bool read_mostly;                // advice about managed memory
    int preferred, last_prefetch;    // devices, or cudaCpuDeviceId, or cudaInvalidDeviceId
    struct CUmemPoolHandle_st *pool; // cudaMallocAsync
} runtime_range;

// The live range that holds `address`, NULL when none does. Ranges are sorted and do not overlap.
runtime_range *runtime_range_find(uint64_t address);
// cudaErrorMemoryAllocation when the table cannot grow.
cudaError_t runtime_range_add(const runtime_range *range);
void runtime_range_remove(runtime_range *range);

#endif
