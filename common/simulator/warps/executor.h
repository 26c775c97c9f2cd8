// SPDX-License-Identifier: MIT
// The executor object: its workers, their threads, and the launch in progress. Private to
// grids/executor.c (threads) and grids/grid.c (launches).
#ifndef SIM_WARPS_EXECUTOR_H
#define SIM_WARPS_EXECUTOR_H

#include <pthread.h>
#include <stdatomic.h>

#include "warps/block.h"

// A grid being run. Blocks are handed out in ascending order, in chunks of neighbours.
struct sim_job {
    const sim_grid *grid;
    uint64_t block_count, chunk;
    uint32_t trace_budget;        // memory/cache_trace.h, the same for every block
    _Atomic uint32_t trace_bound; // narrowest of finished blocks
    bool orders_blocks;    // blocks may have to wait for earlier ones: chunks are single blocks
    uint32_t workers;      // that may take part
    _Atomic uint64_t next; // first block not handed out yet
    _Atomic uint64_t stopped_block; // lowest whose fault ends the launch, UINT64_MAX: none
    uint64_t failed_block;          // lowest that faulted, UINT64_MAX: none; under the lock
    _Atomic uint64_t executed;      // warp instructions of finished blocks
    sim_fault fault;                // of failed_block
    pthread_mutex_t lock;      // guards fault, next when orders_blocks, and the workers' `current`
    pthread_cond_t progressed; // a block has finished
};

struct sim_executor {
    uint32_t thread_count; // workers[0] is the calling thread
    sim_worker *workers;
    pthread_t *threads; // of workers[1..started]
    uint32_t started;
    pthread_mutex_t lock; // guards what follows
    pthread_cond_t wake, idle;
    bool shutdown;
    uint64_t generation;     // counts jobs handed to the threads
    uint32_t wanted, active; // threads that may join the job; that have and are not done
    sim_job *offered;
    sim_job job;
    sim_footprint footprint;
    uint64_t stamp; // of the last program met: see sim_bound
    uint64_t launch_serial;
};

// Runs job->workers workers on executor->job; returns when all are done (grids/executor.c).
void sim_executor_run(sim_executor *executor);
// A worker's share of its job (grids/grid.c).
void sim_worker_run(sim_worker *worker);

#endif
