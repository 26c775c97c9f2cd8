// A running block and the host thread (worker) that runs it: warps, barriers, shared memory,
// records of the launch. Private to the executor.
#pragma once

#include "memory/access.h"
#include "warps/warp.h"

// ---- block.c ------------------------------------------------------------------------------------

typedef struct sim_worker sim_worker;
typedef struct sim_job sim_job; // a grid that runs: job.h

enum { SIM_BARRIERS = 16, SIM_CLUSTER_BARRIER = SIM_BARRIERS };
// Bytes after a block's shared memory that inactive lanes may touch (ops/memory/fast.h).
enum { SIM_SHARED_SLACK = 128 };

// The state of one block barrier, or of the cluster's.
typedef struct sim_barrier {
    uint32_t arrived[SIM_MAX_WARPS]; // lanes by warp, in this phase
    uint32_t arrived_threads;        // their number
    uint32_t again_threads;          // of them, lanes that had arrived before (bar.arrive)
    uint32_t expected_threads;       // operand b of bar.sync; 0: every thread of the block
    uint32_t waiting_splits;         // splits that wait here
    uint32_t true_threads;           // bar.red: lanes whose predicate was true
    bool reduces;                    // some lanes arrived by bar.red
} sim_barrier;

// Tensor memory of a block (PTX ISA 9.1, section 9.7.16.1): cells of 32 bits, which tcgen05 uses.
// Each block has all of it to itself here: on a card the blocks of an SM share it.
enum { SIM_TMEM_LANES = 128, SIM_TMEM_COLUMNS = 512, SIM_TMEM_UNIT = 32 };
typedef struct sim_tmem {
    uint32_t cells[SIM_TMEM_COLUMNS][SIM_TMEM_LANES]; // as they are, poison where never written
    // By units of columns: the first unit of the allocation that it belongs to, and 1; 0: free.
    uint8_t owner[SIM_TMEM_COLUMNS / SIM_TMEM_UNIT];
    uint32_t latest;              // columns of the last allocation; 0: none yet
    bool relinquished;            // the block may not allocate any more
    const sim_instr *allocated;   // the last allocation ..
    const sim_function *function; // .. and where it stands
} sim_tmem;

// A running block. A worker reuses the struct for one block after the other.
struct sim_block {
    sim_worker *worker;                  // runs it
    const sim_grid *grid;                // of the launch
    uint64_t index;                      // linear
    sim_dim3 id;                         // as blockIdx says
    sim_block *cluster;                  // the blocks of its cluster, by rank
    uint32_t cluster_rank;               // index in `cluster`
    uint32_t cluster_count;              // their number; 1: a block without a cluster
    uint64_t serial;                     // counts blocks of this worker; frames of others are stale
    sim_warp *warps;                     // [warp_capacity]
    uint8_t warp_order[32];              // the warps in the order in which they run
    uint32_t warp_capacity, warp_count;  // warps: allocated, and of this block
    uint32_t thread_count, live_threads; // threads: of this block, and not yet exited
    uint32_t waiting_splits;             // at all barriers
    uint32_t barriers_awaited;           // bits: barriers with arrivals in the present phase
    sim_barrier barriers[SIM_BARRIERS + 1]; // the last one is that of the cluster
    sim_delivery *deliveries;               // to mbarriers, in the order of issue
    uint8_t *shared;                        // [shared_capacity + SIM_SHARED_SLACK]
    uint32_t shared_bytes, shared_capacity; // of this block; allocated
    uint64_t executed;                      // warp instructions of finished runs
    uint64_t general;                       // of them, by general handlers: sim_recorded.general
    const sim_warp *running;                // the warp that runs; NULL: none
    uint64_t slice_begun;                   // value of `executed` at the begin of its slice
    uint64_t slice_end;                     // cycle at which its slice ends; 0: no clock is read
    uint64_t slept;                         // nanosleep, in cycles: clocks advance by both
    uint64_t burden;           // cost of accesses for an observer, in warp instructions
    uint64_t limit;            // of executed; of executed + burden where the grid limits each block
    uint64_t launch_limit;     // of executed, all blocks together
    uint64_t reported;         // part of executed that is in grid->progress
    sim_warp_run_fn run_warp;  // of the program's host variant
    bool ordered;              // all earlier blocks have finished
    bool draws_in_order;       // sim_block_draw: the block draws tickets in the order of times,
    bool wants_draw, may_draw; // waits for permission, has permission
    sim_fault fault;           // kind SIM_OK: none
    sim_output output;         // printf of this block
    sim_block_record record;   // SIM_MODE_COUNT
    // Last error of each thread in device code's runtime; NULL: none has failed in this block.
    uint16_t *errors;
    sim_tmem *tmem; // NULL: the block has not allocated any
    bool all_begun; // a thread has read that no launch is left to cancel
    void *clock;    // of timing/kernel_clock, one allocation; NULL: no kernel has read a clock yet
};

typedef struct sim_segment { // printf output of one block inside a worker's output
    uint64_t block;          // linear index
    size_t offset, bytes;    // in the worker's output
    bool truncated;          // the output had reached its cap
} sim_segment;

enum { SIM_BANK_PATTERNS = 32 }; // the power of two that count_banks_again needs

// The last result of count_banks_again (ops/memory/count.h) for the patterns of one table entry.
typedef struct sim_bank_pattern {
    uint32_t lanes, bytes;          // active lanes, bytes per lane; 0: none yet
    uint32_t apart[SIM_WARP_LANES]; // distance from the first lane's address, modulo 2^32
    sim_bank_use use;               // of every access of this pattern
} sim_bank_pattern;

enum { SIM_FAR_SETS = 4, SIM_FAR_WORDS = 16 };

// Lines of the host's cache that a warp's lanes loaded from, and possibly a copy of them
// (ops/memory/fast.h).
typedef struct sim_far_lines {
    uint64_t line;    // of lane 0: its address in lines
    uint64_t apart;   // bytes from lane 0 to lane 16
    int64_t stride;   // bytes between neighbouring lanes of a half
    uint32_t sectors; // number that a load touches
    uint8_t counted;  // bits: sectors whose loads are counted by adding `sectors`,
    uint32_t watched; // if sim_warp_record.watched is at most this
    bool is_copied;   // `words` is valid
    uint32_t words[SIM_FAR_WORDS][SIM_WARP_LANES]; // [word of the line][lane], of the lane's line
} sim_far_lines;

// Search for a state of all blocks that run together, memory included, that repeats.
typedef struct sim_cycle {
    uint64_t memory;               // digest of the changes of memory since the search began
    uint64_t instructions, looked; // of all warps since then; at the last look
    uint64_t state;                // digest that later states are compared with
    uint64_t count, limit;         // looks since `state` was stored; after `limit` it is replaced
    uint32_t matches;              // number of later states that were equal
    bool untracked;                // `memory` does not cover a change: the search restarts
} sim_cycle;

// How long the memory that other threads see has not changed: endless.c.
typedef struct sim_watch {
    uint64_t changes;             // number of steps of blocks in which it changed
    uint64_t steps, instructions; // of blocks, and of their warps, since the last change
    uint64_t moved;               // last of `steps` in which a warp ran that does not repeat
    uint64_t period;              // longest period found, in steps
    bool changed;                 // memory changed in the present step
} sim_watch;

// A host thread's part of a launch, and the state that it reuses for further blocks and launches.
struct sim_worker {
    sim_executor *executor; // owner of the thread
    uint32_t index;         // of the thread in the executor, from 0
    sim_block block;        // the block that it runs
    sim_block *mates;       // blocks of a cluster, which alternate; NULL: never needed
    uint32_t mate_count;    // of `mates`
    sim_output output;      // of all its blocks, in the order in which they ran
    sim_segment *segments;  // [segment_count]
    uint32_t segment_count, segment_capacity; // of `segments`: used, and allocated
    sim_worker_record record;                 // of all its blocks; SIM_MODE_COUNT
    sim_job *job;                             // the present launch
    uint64_t program_stamp;                   // of the program of its frames
    uint64_t launch_serial;                   // counts launches of the executor, from 1
    uint64_t executed, general;               // warp instructions in this launch, as in its blocks
    sim_bank_pattern patterns[SIM_BANK_PATTERNS]; // of irregular shared accesses
    sim_far_lines far[SIM_FAR_SETS];              // of the running warp: sim_warp.far
    sim_watch watch;                              // of all its blocks
    sim_cycle cycle;                              // likewise
    struct sim_exits_table *exits;                // endless.c's; NULL: never needed
    void *tiles;      // operands that wgmma has read (ops/warpgroup.c); NULL: none yet
    uint64_t current; // its first unfinished block; UINT64_MAX: none (under the job's lock)
};

// Makes `frame` the running one.
static inline void sim_warp_set_frame(sim_warp *warp, sim_frame *frame) {
    warp->frame = frame;
    warp->registers = frame->registers;
    warp->runs = frame->function->bound->runs;
    warp->code = frame->function->code;
    warp->local_bytes =
        frame->allocates ? frame->highest : frame->local_base + frame->function->local_bytes;
    if (warp->counting) sim_count_function(&warp->record, frame->function);
}

// block.c
bool sim_block_prepare(sim_block *block,
                       const sim_grid *grid); // for each launch; false: no host memory
// After preparing: `count` blocks in a row are one cluster.
void sim_block_join(sim_block *blocks, uint32_t count);
// Burden of an access to memory; of an atomic or volatile one.
enum { SIM_ACCESS_BURDEN = 1, SIM_STRONG_BURDEN = 16 };
static inline bool sim_block_is_endless(const sim_block *block) {
    bool of_block = block->grid->max_block_instructions > 0;
    return block->executed + (of_block ? block->burden : 0) > block->limit;
}
// Whether its warps run in the order of their times. Where a kernel reads clocks, a warp must see
// what others did before its time, and nothing later. A check looks at orders and not at clocks.
static inline bool sim_block_keeps_time(const sim_block *block) {
    return block->grid->clocks && !block->grid->observer && block->warp_count > 1;
}
// Whether a warp then waits for others. A warp that polls may run ahead from one read to the next,
// so that a loop of reads alone is recognised.
static inline bool sim_warp_is_ahead(const sim_warp *warp) {
    enum { CYCLES_TO_LOOK = 256 };
    uint64_t end = warp->block->slice_end;
    return end && warp->cycle > end + (warp->spun ? CYCLES_TO_LOOK : 0);
}
// Adds the instructions that the block has executed since the last call to grid->progress.
void sim_block_report_progress(sim_block *block);
// Runs block `index` to its end or a fault.
void sim_block_run(sim_block *block, uint64_t index, bool ordered);
// The same step by step, for cooperative launches and for clusters.
typedef enum sim_block_state {
    SIM_BLOCK_DONE, // ended, or block->fault is set
    SIM_BLOCK_GOES_ON,
    SIM_BLOCK_WAITS, // for the barrier of its cluster
    SIM_BLOCK_SPINS  // all its warps poll memory without effect and depend on another block
} sim_block_state;
// Prepares a block for sim_block_step.
void sim_block_begin(sim_block *block, uint64_t index, bool ordered);
// Runs every ready warp for one time slice.
sim_block_state sim_block_step(sim_block *block);
// Reports the end of the block to the observer.
void sim_block_end(sim_block *block);
// The block goes on after the host, or other launches, have changed memory.
void sim_block_take_up(sim_block *block);
// Frees what the block has allocated.
void sim_block_destroy(sim_block *block);

// Whether another warp runs after each synchronisation.
static inline bool sim_block_alternates(const sim_block *block) {
    return block->grid->schedule.kind == SIM_SCHEDULE_ALTERNATING;
}
// schedule.c: fills block->warp_order.
void sim_schedule_warps(sim_block *block);

// barrier.c
// The running split's `lanes` arrive at a barrier of all threads of the block and wait.
void sim_barrier_sync(sim_warp *warp, const sim_instr *instr, uint32_t lanes, uint32_t barrier);
// The running split's `lanes` arrive; waits unless `arrive_only`. `threads` 0: all of the block.
void sim_barrier_arrive(sim_warp *warp, const sim_instr *instr, uint32_t lanes, uint32_t barrier,
                        uint32_t threads, bool arrive_only, uint32_t true_lanes);
// `lanes` that have arrived at a barrier wait until it opens.
void sim_barrier_wait(sim_warp *warp, uint32_t lanes, uint32_t barrier);
// After threads have ended: opens barriers that waited only for them.
void sim_barrier_check_all(sim_block *block);

// schedule.c: returns once every block before this one has finished; false when the launch has
// failed there.
bool sim_block_wait_for_earlier(sim_block *block);
static inline bool sim_block_order(sim_block *block) {
    return block->ordered || sim_block_wait_for_earlier(block);
}

// sync.c: called before an addition to device memory that returns the old value, in a block that
// draws_in_order. False: the run stops before `instr` until the grid sets may_draw.
bool sim_block_draw(sim_warp *warp, const sim_instr *instr, uint32_t lanes);
// Whether the warp may execute the instruction: the block's other warps come first, once, because
// on a card what a compare-and-swap compares was loaded a while before, and what a warp has
// announced to an mbarrier arrives a while later. Else its time slice ends before it.
bool sim_warp_give_way(sim_warp *warp, const sim_instr *instr, uint32_t lanes);

// fault.c, fault_stuck.c: fill block->fault and stop the running split. Only the first fault of a
// block is stored.
void sim_fault_address(sim_warp *warp, const sim_instr *instr, uint32_t lane, uint64_t address,
                       uint32_t bytes, uint8_t space);
// The same for a bulk copy of `bytes`, whose address must be a multiple of `alignment`, a power of
// two.
void sim_fault_bulk(sim_warp *warp, const sim_instr *instr, uint32_t lane, uint64_t address,
                    uint32_t bytes, uint32_t alignment, uint8_t space);
void sim_fault_text(sim_warp *warp, const sim_instr *instr, uint32_t lane, sim_status kind,
                    const char *format, ...) __attribute__((format(printf, 5, 6)));
// No thread can continue: of one warp (`stuck`), or of the block (NULL).
void sim_fault_deadlock(sim_block *block, sim_warp *stuck);
// The other blocks of the grid, or of the cluster, that a block could wait for.
typedef struct sim_other_blocks {
    uint64_t all, ended, waiting; // number of blocks, this one included; ended; not started
    sim_dim3 first_ended;         // the first block that ended, if `ended` is not 0
} sim_other_blocks;
// The same for blocks that sim_block_is_stuck found.
void sim_fault_stuck(sim_block *block, const sim_other_blocks *others);
// Behind that: what a block of another launch waits for, of which the same was found.
void sim_fault_beside(sim_block *block, const sim_block *other);
void sim_fault_runaway(sim_block *block);
void sim_fault_tmem_leak(sim_block *block); // if the block has tensor memory at its end
void sim_fault_memory(sim_warp *warp);      // host memory ran out
// The number of the only argument that points into an allocation, and the pointer; 0: there is no
// such argument, or several.
uint32_t sim_grid_argument_into(const sim_grid *grid, const sim_allocation *array,
                                uint64_t *out_pointer);
// "lane 3", "lanes 0 to 7, 12": the lanes of a mask, in words.
const char *sim_lanes_text(uint32_t lanes, char *text, size_t bytes);

// sync.c: member masks. True when `lanes` contain every live lane of each mask in `masks` (by
// lane): the instruction may run. False: the lanes that must wait are parked and the run stops. A
// lane that its own mask omits is a fault where it is one on the hardware.
bool sim_sync_ready(sim_warp *warp, const sim_instr *instr, uint32_t lanes, const uint32_t *masks);
// The lanes among `lanes` that their own masks omit.
uint32_t sim_sync_unnamed(uint32_t lanes, const uint32_t *masks);
// At an activemask in divergent code, in a grid with lanes_apart: every second lane of the running
// split leaves it, once, and the run stops before `instr`. False: they stay together.
bool sim_sync_part(sim_warp *warp, const sim_instr *instr, uint32_t lanes);
// Completes parked groups whose missing lanes have arrived or exited.
void sim_sync_check(sim_warp *warp);

// printf.c
void sim_output_append(sim_output *output, const char *text, size_t bytes);

// builtin.c: functions without PTX (program/builtins.def).
bool sim_builtin_known(const char *name);
void sim_builtin_call(sim_warp *warp, const sim_instr *instr, uint32_t lanes);

// Their handlers, for one lane each (builtin.c, printf.c, device_runtime.c), and shared functions.
#define SIM_BUILTIN(name, handler, uses)                                                           \
    void sim_builtin_##handler(sim_warp *warp, const sim_instr *instr, uint32_t lane);
#include "program/builtins.def"
#undef SIM_BUILTIN

// An argument, or the result, as a number of up to 8 bytes.
static inline uint64_t sim_builtin_argument(const sim_warp *warp, const sim_call *call,
                                            uint32_t index, uint32_t lane) {
    uint64_t value = 0;
    if (index >= call->argument_count) return 0;
    const sim_frame_param *param = &call->arguments[index];
    uint32_t bytes = param->size_bytes < 8 ? param->size_bytes : 8;
    memcpy(&value, warp->registers + param->slot + (size_t)lane * param->size_bytes, bytes);
    return value;
}

static inline void sim_builtin_return(sim_warp *warp, const sim_call *call, uint32_t lane,
                                      uint64_t value) {
    if (call->return_count == 0) return;
    const sim_frame_param *param = &call->returns[0];
    uint32_t bytes = param->size_bytes < 8 ? param->size_bytes : 8;
    memcpy(warp->registers + param->slot + (size_t)lane * param->size_bytes, &value, bytes);
}

// printf.c: copies a NUL-terminated string of the device. False: it leaves memory or is too long.
bool sim_builtin_string(const sim_warp *warp, uint32_t lane, uint64_t address, char *text,
                        size_t text_bytes);

// Waits for earlier blocks; false: the launch has failed in one of them.
static inline bool sim_builtin_in_order(sim_warp *warp, const sim_instr *instr, uint32_t lane) {
    if (sim_block_order(warp->block)) return true;
    sim_fault_text(warp, instr, lane, SIM_INTERNAL, "cancelled");
    return false;
}

// frame.c
// Host address of `bytes` at a generic address of `lane`; NULL: it is not valid. Local memory is
// interleaved: there `bytes` are at most 4, within one word.
const uint8_t *sim_warp_peek(const sim_warp *warp, uint32_t lane, uint64_t address, uint32_t bytes);

// ---- fault.c ------------------------------------------------------------------------------------
// Parts of the texts of faults, for fault.c and fault_stuck.c.

// An instruction that a fault names. Code of the toolkit (such as __trap) has no lines of its own:
// then it is the call in the program.
typedef struct sim_code_site {
    const sim_function *function; // contains it
    const sim_instr *instr;       // that is named
} sim_code_site;
// Of the instruction at which a frame stands.
sim_code_site sim_fault_site(const sim_frame *frame, const sim_instr *instr);
// "file.cu:12" or, without line information, "PTX line 40 of kernel".
const char *sim_fault_line_text(const sim_block *block, const sim_function *function,
                                const sim_instr *instr, char *text, size_t bytes);
// The name of the source file; "": not known.
const char *sim_fault_file(const sim_block *block, const sim_location *location);
sim_dim3 sim_fault_thread(const sim_warp *warp, uint32_t lane);

// Fills the block's fault except its text. False: the block has a fault already.
bool sim_fault_begin(sim_block *block, sim_status kind, const sim_function *function,
                     const sim_instr *instr);
// Appends to the text. A text that is too long ends after its last whole line, or, if it is one
// line, after its last whole word; later parts are dropped.
void sim_fault_append(sim_fault *fault, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

// ---- observe.c ----------------------------------------------------------------------------------
// Events for the observer of the launch (grid.h). These functions may be called only when
// warp->observing is set or the grid has an observer. They do not change what a kernel computes.

struct lane_addresses;

// An access with a list of addresses, and one with a known pattern (lanes.h).
void sim_observe_access(const sim_warp *warp, const sim_instr *instr, uint32_t lanes, uint8_t space,
                        uint32_t bytes, sim_access_kind kind, const uint64_t *addresses);
void sim_observe_quick(const sim_warp *warp, const sim_instr *instr,
                       const struct lane_addresses *addresses, uint8_t space, uint32_t bytes,
                       bool is_store);
// In the shared memory of other blocks of the cluster, by the addresses of base/base.h.
void sim_observe_remote(const sim_warp *warp, const sim_instr *instr, uint32_t lanes,
                        uint32_t bytes, sim_access_kind kind, const uint64_t *addresses);
// A weak access whose lanes address rows.
void sim_observe_rows(const sim_warp *warp, const sim_instr *instr, const sim_access_rows *rows);

// A read of shared memory by a product of a warp group. It is reported at the issue and again at
// the end, because the read may happen at either time.
void sim_observe_product(const sim_warp *warp, sim_product *product, uint32_t lanes, uint32_t bytes,
                         const uint64_t *addresses);

// A matrix of wmma: its address, and the bytes from one row (or column) to the next.
void sim_observe_matrix(const sim_warp *warp, const sim_instr *instr, uint64_t address,
                        uint64_t stride_bytes);

// Called by an observer during an access by `instr`: from the next instruction on it watches each
// instruction of the warp, or only those with sim_instr.touches.
void sim_observe_watch(const sim_warp *warp, const sim_instr *instr, bool where_touched);
// An instruction of a warp that the observer or a debugger watches.
void sim_observe_step(sim_warp *warp, const sim_instr *instr, uint32_t lanes, uint32_t on);

// A fence, or lanes that exit.
void sim_observe_sync(const sim_warp *warp, const sim_instr *instr, sim_sync_kind kind,
                      uint32_t lanes);
void sim_observe_warp(const sim_warp *warp, const sim_instr *instr, uint32_t lanes,
                      const uint32_t *masks);
void sim_observe_shuffle(const sim_warp *warp, const sim_instr *instr, uint32_t lanes);
// The arguments of a lane's printf do not fit its format; `text` is a sentence that says why.
void sim_observe_format(const sim_warp *warp, const sim_instr *instr, uint32_t lane,
                        const char *text);
void sim_observe_barrier_arrive(const sim_warp *warp, const sim_instr *instr, uint32_t lanes,
                                uint32_t barrier, uint32_t threads, bool arrive_only);
void sim_observe_barrier_open(const sim_block *block, uint32_t barrier);
void sim_observe_cluster_met(const sim_block *block);
// `lanes` have arrived at, or waited for, the mbarrier at `offset` of the shared memory of block
// `owner`.
void sim_observe_mbarrier(const sim_warp *warp, const sim_instr *instr,
                          const sim_function *function, uint32_t lanes, uint64_t owner,
                          uint32_t offset, sim_sync_kind kind);
// An instruction of `lanes` uses columns of the tensor memory of `owner`; count 0: none, but it
// orders uses.
void sim_observe_tmem(const sim_warp *warp, const sim_instr *instr, uint32_t lanes,
                      const sim_block *owner, uint32_t column, uint32_t count, uint32_t parts,
                      bool writes);
void sim_observe_local(const sim_warp *warp, uint32_t lanes, uint32_t base, uint32_t bytes);
void sim_observe_heap(const sim_warp *warp, uint64_t address, uint64_t bytes);
