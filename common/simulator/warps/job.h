// SPDX-License-Identifier: MIT
// A grid being run by several workers: what a block shares with the others. grids/grid.c fills it.
#ifndef SIM_WARPS_JOB_H
#define SIM_WARPS_JOB_H

#include <pthread.h>
#include <stdatomic.h>

#include "warps/block.h"

// A grid being run. Blocks are handed out in ascending order, in chunks of neighbours.
struct sim_job {
    const sim_grid *grid;        // that is run
    uint64_t block_count, chunk; // blocks of the grid; blocks that a worker takes at a time
    sim_launch_record record;    // SIM_MODE_COUNT
    bool resident;               // as many blocks as fit on the device alternate
    bool draws_in_order;         // blocks draw tickets in the order of their times: grids/grid.c
    bool orders_blocks;    // blocks may have to wait for earlier ones: chunks are single blocks
    sim_worker *workers;   // those that may take part
    uint32_t worker_count; // of `workers`
    _Atomic uint64_t next; // first block not handed out yet
    _Atomic uint64_t stopped_block; // lowest whose fault ends the launch, UINT64_MAX: none
    uint64_t failed_block;          // lowest that faulted, UINT64_MAX: none; under the lock
    _Atomic uint64_t executed;      // warp instructions of finished blocks
    sim_fault fault;                // of failed_block
    pthread_mutex_t lock;      // guards fault, next when orders_blocks, and the workers' `current`
    pthread_cond_t progressed; // a block has finished
};

// Whether the launch ends with a block before this one.
static inline bool sim_job_stopped_before(const sim_job *job, uint64_t block) {
    return atomic_load_explicit(&job->stopped_block, memory_order_acquire) < block;
}

#endif
