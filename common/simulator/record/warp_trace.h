// SPDX-License-Identifier: MIT
// Traces of the warps of some blocks: which straight-line runs each executed, in order, and which
// lines of memory it asked for. Block b runs on SM b mod SMs; the cycle-level model of one SM
// replays the traces.
#ifndef SIM_RECORD_WARP_TRACE_H
#define SIM_RECORD_WARP_TRACE_H

#include <stdbool.h>
#include <stdint.h>

#include "record/cache_trace.h"
#include "program/ir.h"

// Instructions that follow each other in the code, executed one after the other.
typedef struct sim_traced_run {
    const sim_function *function; // in which they stand
    uint32_t pc, count;           // instructions
} sim_traced_run;

// A line of global or local memory that one request touched.
typedef struct sim_traced_line {
    uint32_t line, time, site; // as in sim_trace_entry
    uint16_t wavefronts;       // of the whole request, at the banks of the L1; of textures the
                               // bytes of a texel
    uint8_t sectors, kind;     // as in sim_trace_entry
} sim_traced_line;

// What a warp trace has beside lines, in a sim_traced_line whose `time` is the number of the run.
// `wavefronts`: of what concerns an mbarrier, its offset in shared memory, by 8; those of other
// blocks of a cluster are taken for the block's own, as if all blocks of a cluster did the same.
typedef enum sim_traced_kind {
    SIM_TRACED_COPY = 0x20, // a lane's bulk copy; `line`: bytes that it tells its mbarrier of;
                            // `sectors`: blocks that get it. Its lines follow
    SIM_TRACED_INIT,        // of an mbarrier; `line`: arrivals of a phase
    SIM_TRACED_ARRIVE,      // `line`: bytes more that the phase expects, and arrivals << 21
    SIM_TRACED_COPIED,      // likewise, when the warp's cp.async have arrived
    SIM_TRACED_WAIT,        // `sectors`: the parity of the phase; `line`: 1 if it had ended
    SIM_TRACED_BARRIER      // of `line` threads, 0: all of the block; `wavefronts`: which of the
                            // block's barriers; `sectors`: threads that arrive
} sim_traced_kind;
enum { SIM_TRACED_ARRIVALS = 21, SIM_TRACED_OFFSET = 8 };

// What one warp did.
typedef struct sim_warp_trace {
    sim_traced_run *runs;                   // in the order of time, [count]
    uint32_t count, capacity;               // of `runs`: used, and allocated
    sim_traced_line *accesses;              // in the same order, [access_count]
    uint32_t access_count, access_capacity; // of `accesses`: used, and allocated
    bool cut;                               // more happened than is recorded
    const struct sim_warp_traces *of;       // that say how many of both there may be
} sim_warp_trace;

// What the warps of a block did.
typedef struct sim_traced_block {
    sim_warp_trace *warps; // [sim_warp_traces.warps_a_block]
    bool ran;              // the block was begun
} sim_traced_block;

// Which blocks the cycle-level model wants, in the order of the schedule: the first ones that an SM
// gets, and some more, one in the middle of each equal share of the rest. Number n of an SM is
// block n * stride of SM 0. Blocks of other SMs are taken in turn instead, so that the model does
// not see only what a problem has at multiples of the stride. Beside them the launch's last block,
// which may have the rest to do.
typedef struct sim_modelled_blocks {
    uint32_t first, spread; // how many
    uint64_t all;           // that an SM gets
    bool mixed;             // the first ones, too, are of all SMs
    uint64_t last;          // the launch's last block; 0: it has no other
} sim_modelled_blocks;

// Of a launch, the blocks that the cycle-level model wants.
typedef struct sim_warp_traces {
    uint64_t stride;                   // between blocks of one SM
    uint32_t warps_a_block;            // of each block
    uint32_t most_runs, most_accesses; // of one warp; what it did after these is not recorded
    sim_modelled_blocks modelled;      // which blocks
    sim_traced_block *blocks;          // [first + spread + 1]: the last one is the launch's
} sim_warp_traces;

// How many blocks are modelled.
static inline uint32_t sim_warp_traces_count(const sim_warp_traces *traces) {
    return traces->modelled.first + traces->modelled.spread;
}
// NULL without memory. most_runs: of each warp.
sim_warp_traces *sim_warp_traces_new(uint64_t stride, const sim_modelled_blocks *modelled,
                                     uint32_t warps_a_block, uint32_t most_runs);
void sim_warp_traces_free(sim_warp_traces *traces);
// Block `i` of those modelled: which one it is of those that an SM gets, and its traces.
uint64_t sim_warp_traces_modelled_number(const sim_warp_traces *traces, uint32_t i);
const sim_traced_block *sim_warp_traces_modelled(const sim_warp_traces *traces, uint32_t i);
// The launch's last block, if others are modelled; NULL: it has none.
const sim_traced_block *sim_warp_traces_last(const sim_warp_traces *traces);
// Records at least so many runs and lines of a warp; for each run some lines in any case.
void sim_warp_traces_lengthen(sim_warp_traces *traces, uint32_t most_runs, uint32_t most_accesses);

// Where to record block `index`, all of whose warps start now; NULL when it is not wanted. Blocks
// may be recorded by different threads.
sim_traced_block *sim_warp_traces_begin(sim_warp_traces *traces, uint64_t index);

// Adds a run of `count` instructions from `pc` on; cuts the trace when it has too many.
void sim_warp_trace_run(sim_warp_trace *trace, const sim_function *function, uint32_t pc,
                        uint32_t count);
// Adds a line that the present run asks for.
void sim_warp_trace_line(sim_warp_trace *trace, const sim_traced_line *line);
// Adds something else, of sim_traced_kind, to the present run.
void sim_warp_trace_event(sim_warp_trace *trace, const sim_traced_line *event);
// Instructions of its runs, of the first `most_runs` at most.
uint64_t sim_warp_trace_instructions(const sim_warp_trace *trace, uint32_t most_runs);
// The last run stopped `rest` instructions before its end.
void sim_warp_trace_take_back(sim_warp_trace *trace, uint32_t rest);

#endif
