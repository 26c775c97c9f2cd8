// The executor object: its workers, their threads, and the launch in progress (executor.c);
// beginning and end of a launch (result.c). Nobody but these and grid.c includes this.
#pragma once

#include "grids/grids.h"
#include "warps/job.h"

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
    void (*share)(sim_worker *worker); // a worker's share of it
    sim_job job;
    struct sim_together *together; // of a grid that waits for others; NULL: there was none
    sim_block *resident;           // blocks of cooperative launches, kept for the next one
    uint64_t resident_count;
    uint64_t resident_stamp; // of the program that their frames belong to
    uint64_t stamp;          // of the last program met: see sim_bound
    uint64_t launch_serial;
};

// Of the blocks of clusters.
void sim_worker_free_mates(sim_worker *worker);
// Destroys the resident blocks from the `kept`th on.
void sim_executor_trim(sim_executor *executor, uint64_t kept);
// Lets job->worker_count workers each take their share of executor->job; returns when all are done.
void sim_executor_run(sim_executor *executor, void (*share)(sim_worker *worker));

// ---- result.c ----

void sim_grid_result_clear(sim_grid_result *result);
// The result of a launch that did not run.
void sim_grid_refuse(const sim_launch *launch, sim_grid_result *result, const kl_error *why);
// Adds up counts, footprint, output and faults of all workers, and clears them there.
void sim_grid_collect(sim_executor *executor, sim_grid_result *result);
