// A grid that several workers run: what its blocks share. grids/grid.c fills it.
#pragma once

#include "warps/block.h"
#include <pthread.h>
#include <stdatomic.h>

// A grid that runs. Workers take blocks in ascending order, in chunks of neighbours.
struct sim_job {
    const sim_grid *grid;        // the grid
    uint64_t block_count, chunk; // blocks of the grid; blocks that a worker takes at a time
    sim_launch_record record;    // SIM_MODE_COUNT
    bool resident;               // as many blocks as fit on the device alternate
    bool draws_in_order;         // blocks draw tickets in the order of their times: grids/grid.c
    bool orders_blocks;    // blocks may have to wait for earlier ones: chunks are single blocks
    sim_worker *workers;   // all workers that may take part
    uint32_t worker_count; // of `workers`
    _Atomic uint64_t next; // first block that no worker has taken
    uint64_t *unstarted;   // of a grid that cancels launches: its first block that has not started
    uint64_t cancelled;    // blocks that never run
    _Atomic uint64_t stopped_block; // lowest block whose fault ends the launch; UINT64_MAX: none
    uint64_t failed_block;          // lowest block that faulted; UINT64_MAX: none; under the lock
    _Atomic uint64_t executed;      // warp instructions of finished blocks
    sim_fault fault;                // of failed_block
    pthread_mutex_t lock;      // guards fault, next when orders_blocks, and the workers' `current`
    pthread_cond_t progressed; // a block has finished
};

// Whether a fault in an earlier block ends the launch.
static inline bool sim_job_stopped_before(const sim_job *job, uint64_t block) {
    return atomic_load_explicit(&job->stopped_block, memory_order_acquire) < block;
}

// The first block of the next cluster that has not started, which then never runs; UINT64_MAX: all
// have started.
static inline uint64_t sim_job_cancel(sim_job *job, uint32_t cluster_blocks) {
    if (!job->unstarted || *job->unstarted >= job->block_count) return UINT64_MAX;
    job->cancelled += cluster_blocks;
    *job->unstarted += cluster_blocks;
    return *job->unstarted - cluster_blocks;
}
