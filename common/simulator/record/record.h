// SPDX-License-Identifier: MIT
// What is recorded of a launch in SIM_MODE_COUNT: the state of all recorders, by what it is of, and
// the one form that they have. A recorder begins with a launch, a worker's part of it and a block;
// notes events; and ends with a time slice, a block and the launch, when the parts of all workers
// are folded into the result. To add one: a file NAME.c that defines `sim_recorder_NAME`, its state
// below, a row in recorders.def. What is recorded follows from the virtual schedule of blocks and
// warps alone, never from host threads. Frequent events (a run, an access) are noted by functions
// of their recorder that the executor calls itself, inline where it matters.
#ifndef SIM_RECORD_RECORD_H
#define SIM_RECORD_RECORD_H

#include "program/program.h"
#include "record/block_chain.h"
#include "record/cache_trace.h"
#include "record/contended_atomics.h"
#include "record/footprint.h"
#include "record/late_warp.h"
#include "record/longest_warp.h"
#include "record/residence.h"
#include "record/warp_trace.h"

// A time slice is what a warp executes without waiting for others of its block, or at most some
// number of instructions.
typedef struct sim_warp_record {
    struct sim_block_record *block; // that the warp belongs to
    const sim_function *function;   // that it runs
    sim_raw_counts *counts; // of the function by pc, NULL when not counting; see sim_count_run
    uint64_t *ran;          // of the function: sim_function_counts
    const sim_footprint *footprint; // of the launch
    sim_warp_trace *trace;          // NULL: not recorded
    uint64_t executed;              // instructions, of finished time slices
    uint64_t waited;                // for memory and at barriers, in instructions: residence.h
    uint32_t asked;                 // value of `requests` at the last barrier
    uint32_t requests;              // to global and local memory so far, made equal at barriers
    uint32_t watched;               // lines whose hash is not above this may be recorded
    uint32_t index;                 // in the block
    uint32_t fences;                // for the device or the host so far
} sim_warp_record;

// Of a block that runs.
typedef struct sim_block_record {
    struct sim_worker_record *worker;      // that runs it
    uint64_t index;                        // linear
    sim_warp_record *warps[SIM_MAX_WARPS]; // [warp_count]
    uint32_t warp_count;                   // of `warps`
    sim_block_trace lines;                 // for the cache model
    sim_sample sample;                     // of its longest time slice
    sim_chain_end chain;                   // that ends with it
} sim_block_record;

// Counts of one function, kept from launch to launch: what a launch did not touch is 0 anyway.
typedef struct sim_function_counts {
    sim_raw_counts *by_pc; // [capacity]; NULL: no memory yet
    uint64_t *ran;         // [capacity / 64] bit pc: a run started there; folded: it may have run
    uint32_t capacity;     // a multiple of 64
    bool used;             // in this launch
} sim_function_counts;

// Of the blocks of one host thread.
typedef struct sim_worker_record {
    struct sim_launch_record *launch; // that the blocks belong to
    bool marked;                      // the present time slice has come to a mark
    sim_function_counts *counts;      // by function
    uint32_t counts_capacity;         // of `counts`
    sim_trace trace;                  // lines of memory: cache_trace.h
    sim_longest longest;              // its longest warp
    sim_late_warps late_warps;        // warps that go on late: late_warp.h
    sim_contended_atomics atomics;    // of global memory
    uint64_t resident;                // sum of its warps' stays
} sim_worker_record;

// Of a launch.
typedef struct sim_launch_record {
    // Set these before sim_record_launch_begin; `workers` are those that take part.
    const sim_program *program;
    const sim_function *function;       // the kernel
    uint64_t block_count;               // of the grid
    uint64_t warp_count;                // of all its blocks
    uint64_t blocks_together;           // that the card holds at once, if their warps set the limit
    uint64_t high_water;                // device address behind the memory in use
    sim_writers *writers;               // stores are noted there; NULL: they are not
    bool no_lines;                      // which it touches are noted for a model of caches
    sim_warp_traces *traces;            // NULL: none
    sim_l2_before *l2_before;           // gets what the launch touched; NULL: nobody asks
    struct sim_worker_record **workers; // [worker_count]
    uint32_t worker_count;              // of `workers`

    sim_footprint footprint;                         // sectors that it touches
    sim_block_chain chain;                           // of blocks that wait for each other
    uint32_t trace_most;                             // that a block may keep: cache_trace.h
    _Atomic uint32_t trace_bound;                    // that the launch will not exceed
    _Atomic uint64_t trace_levels[SIM_TRACE_LEVELS]; // entries that finished blocks kept, by level
    uint32_t *stays; // of each block: sim_residence.blocks; NULL: no memory
} sim_launch_record;

// What was recorded. Free with sim_recorded_free.
typedef struct sim_recorded {
    uint64_t warp_instructions; // of all blocks, also when one of them faulted; in any mode
    uint64_t
        general; // of them, by handlers that go lane by lane through every form, though most forms
                 // have a quick one: accesses of memory, conversions, halves
    // [f] of program->functions[f], empty for those that did not run; what they point to is the
    // executor's, valid until its next grid.
    sim_function_counts *counts;
    uint32_t function_count;                              // of `counts`
    uint64_t footprint_read_bytes, footprint_write_bytes; // 32 x distinct sectors
    sim_trace *trace;          // the executor's, valid until its next grid
    sim_longest_warp longest;  // of all warps
    sim_late_warp late_warp;   // a warp that went on long after the others
    sim_contention contention; // of the global atomics
    uint32_t chain_links;      // of the longest chain of blocks that wait for each other
    uint32_t chain_fences;     // in these links
    sim_residence residence;   // how long warps stayed
} sim_recorded;

// What is called when. Any may be NULL.
typedef struct sim_recorder {
    bool (*launch_begin)(sim_launch_record *launch); // false: no host memory
    bool (*worker_begin)(sim_worker_record *worker); // likewise
    void (*block_begin)(sim_block_record *block);    // before its first warp runs
    // The warp has executed `done` instructions of its time slice: does what is due. Returns the
    // number at which to ask again; UINT64_MAX: never in this slice.
    uint64_t (*mark)(sim_warp_record *warp, uint64_t done);
    // A time slice that came to a mark has ended after `done` instructions.
    void (*slice_end)(sim_warp_record *warp, uint64_t done);
    // All warps for which `arrived` is not 0 have met at a barrier. `running`: the warp that
    // runs, after `done` instructions of its slice; NULL: none.
    void (*barrier)(sim_block_record *block, const uint32_t *arrived,
                    const sim_warp_record *running, uint64_t done);
    void (*block_end)(sim_block_record *block);
    void (*fold)(sim_launch_record *launch, sim_recorded *out_recorded);
} sim_recorder;
#define SIM_RECORDER(name) extern const sim_recorder sim_recorder_##name;
#include "record/recorders.def"
#undef SIM_RECORDER

// Tell all recorders; as above. launch_begin: of the workers' parts, too.
bool sim_record_launch_begin(sim_launch_record *launch);
void sim_record_block_begin(sim_block_record *block, uint64_t index);
uint64_t sim_record_mark(sim_warp_record *warp, uint64_t done);
void sim_record_slice_end(sim_warp_record *warp, uint64_t done);
void sim_record_barrier(sim_block_record *block, const uint32_t *arrived,
                        const sim_warp_record *running, uint64_t done);
void sim_record_block_end(sim_block_record *block);
void sim_record_fold(sim_launch_record *launch, sim_recorded *out_recorded);
void sim_record_block_free(sim_block_record *block);
void sim_record_worker_free(sim_worker_record *worker);
void sim_record_launch_free(sim_launch_record *launch);
void sim_recorded_free(sim_recorded *recorded);

#endif
