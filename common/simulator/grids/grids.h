// Running grids of a bound program (ops/ops.h). Results, counts and faults follow from a fixed
// virtual schedule of blocks; host threads change speed only. Knows nothing of modules, handles,
// images or the runtime API.
#pragma once

#include "record/record.h"
#include "warps/job.h"

// A pool of host threads with their reusable block state. One grid at a time: callers serialise.
typedef struct sim_executor sim_executor;

// threads 0: one a core. Threads start at the first grid that can use them.
sim_status sim_executor_new(uint32_t threads, sim_executor **out_executor, kl_error *err);
void sim_executor_free(sim_executor *executor);
uint32_t sim_executor_workers(const sim_executor *executor); // numbered from 0

// What running a grid gave. Free with sim_grid_result_free.
typedef struct sim_grid_result {
    sim_status status;     // equals fault.kind
    sim_fault fault;       // of the first block, in block order, that faulted
    sim_recorded recorded; // SIM_MODE_COUNT; in others warp_instructions alone
} sim_grid_result;

// Runs a grid to its end or its first fault, or not at all where grid->launch->refusal says why.
// Returns out_result->status. Fills out_result always; free it with sim_grid_result_free.
sim_status sim_grid_run(sim_executor *executor, const sim_grid *grid, sim_grid_result *out_result);
void sim_grid_result_free(sim_grid_result *result);

// ---- A grid that may wait for what other grids, or the host, write (sim_grid.waits) ----
// It is begun, goes on until it has ended, and is set aside in between with all of its state: the
// executor is its own until sim_grid_end.

// What a grid that waits came to.
typedef enum sim_grid_state {
    SIM_GRID_ENDED, // or faulted
    SIM_GRID_IDLES, // all its threads wait or poll, and nothing has changed what they look at
    SIM_GRID_STUCK  // and they do so for ever, unless something else changes it
} sim_grid_state;

// One that cannot begin has ended, as the result says.
sim_status sim_grid_begin(sim_executor *executor, const sim_grid *grid,
                          sim_grid_result *out_result);
// others_ran: memory may have changed since. *out_wrote: it has changed memory.
sim_grid_state sim_grid_go_on(sim_executor *executor, bool others_ran, bool *out_wrote);
// Blocks, or clusters, of one that has run.
typedef struct sim_grid_blocks {
    uint64_t begun;  // how many have begun
    uint64_t fit;    // on the device at the same time
    uint64_t beside; // each other have run here
} sim_grid_blocks;
// Those of the grid that the executor has run last, or runs.
sim_grid_blocks sim_grid_blocks_of(const sim_executor *executor);
// Starts all blocks that fit on the device beside those that wait. False: there are none. Of a grid
// with an observer at most so many may be there.
enum { SIM_WIDEN_CHECKED = 4096 };
bool sim_grid_widen(sim_executor *executor);
// It is stuck, and nothing else will go on: its fault, with which it ends when it goes on.
void sim_grid_give_up(sim_executor *executor);
// After both have given up: what the other one waits for becomes a part of its fault.
void sim_grid_give_up_beside(sim_executor *executor, const sim_executor *other);
// It has ended: as sim_grid_run.
sim_status sim_grid_end(sim_executor *executor, sim_grid_result *out_result);

// ---- Inside the executor ------------------------------------------------------------------------
// For executor.c (workers, their threads, the launch in progress, its beginning, its end) and
// grid.c; others have no use for its members.

struct sim_executor {
    uint32_t thread_count;             // workers[0] is the calling thread
    sim_worker *workers;               // [thread_count]
    pthread_t *threads;                // of workers[1..started]
    uint32_t started;                  // threads that could be started
    pthread_mutex_t lock;              // guards what follows
    pthread_cond_t wake;               // there is a job
    pthread_cond_t idle;               // all threads are done with it
    bool shutdown;                     // the threads end
    uint64_t generation;               // counts jobs handed to the threads
    uint32_t wanted, active;           // threads that may join the job; that have and are not done
    sim_job *offered;                  // to the threads
    void (*share)(sim_worker *worker); // a worker's share of it
    sim_job job;                       // the launch in progress
    struct sim_together *together;     // of a grid that waits for others; NULL: there was none
    sim_block *resident;               // blocks of cooperative launches, kept for the next one
    uint64_t resident_count;           // of `resident`
    uint64_t resident_stamp;           // of the program that their frames belong to
    uint64_t stamp;                    // of the last program met: see sim_bound
    uint64_t launch_serial;            // of the launch in progress
};

// Of the blocks of clusters.
void sim_worker_free_mates(sim_worker *worker);
// Destroys the resident blocks from the `kept`th on.
void sim_executor_trim(sim_executor *executor, uint64_t kept);
// Lets job->worker_count workers each take their share of executor->job; returns when all are done.
void sim_executor_run(sim_executor *executor, void (*share)(sim_worker *worker));

// ---- executor.c ----

// As before a launch: nothing counted, printed or failed.
void sim_grid_result_clear(sim_grid_result *result);
// The result of a launch that did not run.
void sim_grid_refuse(const sim_launch *launch, sim_grid_result *result, const kl_error *why);
// Adds up counts, footprint, output and faults of all workers, and clears them there.
void sim_grid_collect(sim_executor *executor, sim_grid_result *result);
