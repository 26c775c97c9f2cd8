// What is recorded of a launch in SIM_MODE_COUNT: the state of all recorders, by what it is of, and
// the one form that they have. A recorder begins with a launch, a worker's part of it and a block;
// notes events; and ends with a time slice, a block and the launch, when the parts of all workers
// are folded into the result. To add one: a file NAME.c that defines `sim_recorder_NAME`, its state
// below, a row in recorders.def. What is recorded follows from the virtual schedule of blocks and
// warps alone, never from host threads. Frequent events (a run, an access) are noted by functions
// of their recorder that the executor calls itself, inline where it matters.
#pragma once

#include "program/program.h"
#include "record/sectors.h"
#include "record/traces.h"

// ---- residence.c --------------------------------------------------------------------------------
// How long the blocks of a launch, and their warps, stay on an SM, in warp instructions, for the
// achieved occupancy. A warp's clock advances by the instructions that it executes, and by more for
// requests to memory when a barrier follows; at a barrier it is set to that of the last warp to
// arrive, so that waiting counts as staying. A warp leaves when it exits, a block with its last
// warp.

// Of a launch.
typedef struct sim_residence {
    uint32_t *blocks;     // [block_count] by position in the schedule; NULL: not known
    uint64_t block_count; // of the grid
    uint64_t warps;       // sum of all warps' stays
} sim_residence;

// ---- long_warps.c -------------------------------------------------------------------------------
// The warp of a launch that executed most instructions, for the bound of one that works on alone.
// How many they were is exact. Which ones is known of a sample: the rest of a block's longest time
// slice after its first instructions, counted by the difference of the worker's counts, so that the
// interpreter's loop does nothing for it.

enum { SIM_SAMPLE_LEAST = 256 }; // instructions of a time slice before a sample of it

// Straight-line runs that started at each pc of one function, as sim_count_run counts them.
typedef struct sim_sample {
    const sim_function *function; // NULL: nothing was sampled
    uint32_t warp;                // in the block
    uint64_t instructions;        // in the sample; while it is taken: of the slice before it
    uint64_t *runs;               // [function->code_count]
    uint32_t capacity;            // of `runs`
} sim_sample;

// Of the blocks of one worker.
typedef struct sim_longest {
    uint64_t executed; // by the longest warp
    uint64_t block;    // the first one that has such a warp
    uint64_t held;     // by all warps if each went on as long as the longest of its block
    sim_sample sample; // of this block
    sim_sample begun;  // of the present time slice
} sim_longest;

// Of a launch.
typedef struct sim_longest_warp {
    uint64_t executed, held;      // as above
    const sim_function *function; // of `counts`; NULL: too few instructions to sample
    uint64_t block;               // whose time slice was sampled
    uint32_t warp;                // in that block
    uint64_t sampled;             // instructions in `counts`
    sim_raw_counts *counts;       // by pc, `executed` only
} sim_longest_warp;

// ---- long_warps.c -------------------------------------------------------------------------------
// Part of the trace of a warp that goes on long after the others, for the cycle-level model: the
// blocks whose traces are recorded seldom have such a warp, and the traces end before its end. In
// each time slice recording begins at marks of which each is twice as far as the one before, and
// only if no warp has been followed so far. The farthest mark is kept, and of warps that came as
// far the first one.

// What a warp did from a mark on.
typedef struct sim_late_warp {
    sim_warp_trace trace; // what followed
    uint64_t after;       // the mark, in instructions of the time slice; 0: no warp came to one
    uint64_t block;       // whose warp it is
} sim_late_warp;

// Of one worker.
typedef struct sim_late_warps {
    sim_late_warp kept, begun; // begun.after 0: none is recorded now
    uint64_t next;             // mark of the present time slice
    sim_warp_trace *own;       // of the warp that is followed, apart from that; NULL: none
} sim_late_warps;

// ---- residence.c --------------------------------------------------------------------------------
// The longest chain of blocks of which each waits for the one before: a block that reads, by a
// strong load (volatile, relaxed, ..), what another block of the launch has stored there by a
// strong store, comes one link after the state in which that block stored there FIRST. A block that
// shows something before it waits hands nothing on later that others had to wait for. A link takes
// longer with fences between that read and the store: a fence is there because of another word,
// which takes its own way to the L2. Strong accesses run in the order of blocks, so that one table
// serves the launch.

// A word of memory through which blocks tell each other something.
typedef struct sim_chain_place {
    uint64_t address; // 0: free
    uint64_t block;   // that stored there first
    uint32_t links;   // of its chain at that time
    uint32_t fences;  // in these links
} sim_chain_place;

// The chain that ends with a block.
typedef struct sim_chain_end {
    uint32_t links;       // of the chain
    uint32_t fences;      // in these links
    uint32_t warp;        // that read the last link's word
    uint32_t warp_fences; // that this warp had executed until then
} sim_chain_end;

// Of a launch. Zeros: nothing yet.
typedef struct sim_block_chain {
    sim_chain_place *places;  // [capacity], a power of two
    uint64_t capacity, count; // allocated; in use
    uint32_t longest;         // links
    uint32_t fences;          // in the longest chain
} sim_block_chain;

// A strong access of one lane of warp `warp` of block `block`, with which the chain *end ends; the
// warp has executed `fences` for the device or the host. Without memory it is not noted.
void sim_block_chain_note(sim_block_chain *chain, uint64_t block, sim_chain_end *end, uint32_t warp,
                          uint32_t fences, uint64_t address, bool is_store);

// Gives its memory back.
void sim_block_chain_free(sim_block_chain *chain);

// ---- contended_atomics.c ------------------------------------------------------------------------
// How often the launch's atomics on global memory go to one sector, and to one piece of memory that
// a slice of the L2 holds, for the timing model: the L2 does those one after the other. Different
// words of a sector go together when one instruction of a warp has them; lanes on one word pass the
// sector in turn. Counted by hashes, so that sums over workers do not depend on which of them ran a
// block; sectors that share a number are taken for one. Blocks that are on the card together share
// a window: what is hot at one time need not be at another.

enum {
    SIM_CONTENTION_SECTORS = 1 << 12,
    SIM_CONTENTION_PIECES = 1 << 10,
    SIM_CONTENTION_PIECE_BITS = 9, // bytes of a piece, as a power of two
    SIM_CONTENTION_WINDOWS = 64    // at most
};

// How often each number came in one window.
typedef struct sim_contention_window {
    uint32_t sector
        [SIM_CONTENTION_SECTORS]; // of sim_contended_atomics.passes, by the hash of the sector
    uint32_t
        piece[SIM_CONTENTION_PIECES]; // of sim_contended_atomics.sectors, by the hash of the piece
} sim_contention_window;

// Of one worker. Zeros: nothing yet.
typedef struct sim_contended_atomics {
    uint64_t lanes, sectors; // operations of lanes; sectors that each instruction touches
    uint64_t passes;         // for each of these sectors the most lanes on one of its words
    uint64_t lines, repeats; // lines that each instruction touches; the most passes of a sector of
                             // each, less one
    sim_contention_window *windows;  // [capacity]; NULL: none was needed yet
    uint32_t capacity, window_count; // allocated; of this launch
    uint64_t window_blocks;          // blocks of a window
} sim_contended_atomics;

// Forgets what was counted before a launch of `blocks`, of which `together` are on the card.
void sim_contended_atomics_begin(sim_contended_atomics *hot, uint64_t blocks, uint64_t together);
void sim_contended_atomics_free(sim_contended_atomics *hot);

// One atomic instruction of a warp of block `block`: `lanes` of it, at `address`; once: one
// operation for all of them. Without memory it is not counted.
void sim_contended_atomics_note(sim_contended_atomics *hot, uint64_t block,
                                const uint64_t address[], uint32_t lanes, bool once);

// Adds what another worker counted.
void sim_contended_atomics_add(sim_contended_atomics *to, const sim_contended_atomics *from);

// What a launch's atomics found.
typedef struct sim_contention {
    double passes;  // for each operation of a lane
    double sector;  // share of the passes that go to the hottest sector of each window
    double piece;   // share of the sectors that lie in the hottest piece of each window
    double repeats; // of each line, on average
} sim_contention;
// Of what was counted; zeros when that is nothing.
sim_contention sim_contended_atomics_measure(const sim_contended_atomics *hot);

// ---- record.c -----------------------------------------------------------------------------------

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
    uint64_t waited;                // for memory and at barriers, in instructions: residence.c
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
    sim_trace trace;                  // lines of memory: cache_trace.c
    sim_longest longest;              // its longest warp
    sim_late_warps late_warps;        // warps that go on late: long_warps.c
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
    sim_peer_memory peers;              // whose memory is counted apart
    struct sim_worker_record **workers; // [worker_count]
    uint32_t worker_count;              // of `workers`

    sim_footprint footprint;                         // sectors that it touches
    sim_block_chain chain;                           // of blocks that wait for each other
    uint32_t trace_most;                             // that a block may keep: cache_trace.c
    _Atomic uint32_t trace_bound;                    // that the launch will not exceed
    _Atomic uint64_t trace_levels[SIM_TRACE_LEVELS]; // entries that finished blocks kept, by level
    uint32_t *stays; // of each block: sim_residence.blocks; NULL: no memory
} sim_launch_record;

// What was recorded. Free with sim_recorded_free.
typedef struct sim_recorded {
    uint64_t warp_instructions; // of all blocks, also when one of them faulted; in any mode
    uint64_t cancelled_blocks;  // that never ran, as others cancelled their launch
    uint64_t
        general; // of them, by handlers that go lane by lane through every form, though most forms
                 // have a quick one: accesses of memory, conversions, halves
    // [f] of program->functions[f], empty for those that did not run; what they point to is the
    // executor's, valid until its next grid.
    sim_function_counts *counts;
    uint32_t function_count;                              // of `counts`
    uint64_t footprint_read_bytes, footprint_write_bytes; // 32 x distinct sectors
    uint64_t peer_read_bytes, peer_write_bytes;           // of them, in memory of peers
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

// ---- instruction_counts.c -----------------------------------------------------------------------
// Raw counts of each instruction (device/counters.h), by function and pc. Runs of straight-line
// code are accounted as a whole, at their first instruction; the rest is added where it happens.

// A finished or stopped run is accounted at its first instruction: `executed` and `active` of
// counts[pc] are the number and the lanes of runs that started there, `on` the lanes that
// predicates switched off. sim_expand_runs turns that into counts per instruction: all starts in a
// straight-line region flow down to its end. To take back the rest of a run that stopped before
// `pc` is therefore to subtract a run that starts at `pc`.
// `ran` gets a bit where a run starts for the first time.
static inline void sim_count_run(sim_raw_counts *counts, uint64_t *ran, uint32_t pc,
                                 uint32_t lanes) {
    if (__builtin_expect(counts[pc].executed == 0, 0)) ran[pc / 64] |= UINT64_C(1) << pc % 64;
    counts[pc].executed += 1;
    counts[pc].active += (uint64_t)__builtin_popcount(lanes);
}
static inline void sim_uncount_run(sim_raw_counts *counts, uint32_t pc, uint32_t lanes) {
    counts[pc].executed -= 1;
    counts[pc].active -= (uint64_t)__builtin_popcount(lanes);
}
// Turns counts of runs, which stand at their first instruction, into counts of each instruction,
// and the bits of runs' starts into those of all instructions that may have been executed.
void sim_expand_runs(const sim_function *function, sim_raw_counts *counts, uint64_t *ran);

// The first pc from `pc` on that may have been executed; `count` if there is none. What a launch
// costs follows so from the code that ran, not from all of the kernel's.
static inline uint32_t sim_next_ran(const uint64_t *ran, uint32_t pc, uint32_t count) {
    if (pc >= count) return count;
    uint64_t word = ran[pc / 64] >> pc % 64;
    if (word == 0) {
        for (pc = (pc / 64 + 1) * 64; pc < count && ran[pc / 64] == 0;) pc += 64;
        if (pc >= count) return count;
        word = ran[pc / 64];
    }
    pc += (uint32_t)__builtin_ctzll(word);
    return pc < count ? pc : count;
}

// The loop over these: SIM_EACH_RAN(pc, ran, count) statement
#define SIM_EACH_RAN(pc, ran, count)                                                               \
    for (uint32_t pc = sim_next_ran(ran, 0, count); pc < (count);                                  \
         pc = sim_next_ran(ran, pc + 1, count))

// Counts of `function` on this worker, zeroed at its first use; without memory by_pc is NULL.
const sim_function_counts *sim_counts_of(sim_worker_record *worker, const sim_function *function);
// The warp goes on in `function`.
static inline void sim_count_function(sim_warp_record *warp, const sim_function *function) {
    warp->function = function;
    const sim_function_counts *counts = sim_counts_of(warp->block->worker, function);
    warp->counts = counts->by_pc;
    warp->ran = counts->ran;
}

// ---- accessed_lines.c ---------------------------------------------------------------------------
// Which sectors of which lines a warp-level access touches, for the sample of the cache model
// (cache_trace.c) and for warp traces. The executor calls these where one of the lines may be
// recorded (sim_warp_record.watched); the test is in its hot path, ops/memory/lines.h.
// `wavefronts`: of the whole request, needed where the warp has a trace.

// From here on all lines of the warp go to `trace`, too; NULL: only the sampled ones are recorded.
static inline void sim_record_lines_to(sim_warp_record *warp, sim_warp_trace *trace) {
    warp->trace = trace;
    warp->watched = trace ? UINT32_MAX : warp->block->lines.bound;
}

// Of bytes [low, high + bytes) with all of them accessed when `dense`.
void sim_record_span(sim_warp_record *warp, const sim_instr *instr, uint64_t low, uint64_t high,
                     uint32_t bytes, bool dense, sim_trace_kind kind);
// Adds the lines of a fetch from a texture to the warp's trace alone.
void sim_record_texels(sim_warp_record *warp, const sim_instr *instr,
                       const uint64_t addresses[SIM_WARP_LANES], uint32_t lanes, uint32_t bytes);
// Adds what concerns an mbarrier or a bulk copy to the warp's trace, if it has one; `what`: of
// sim_traced_kind, without time and site.
void sim_record_event(sim_warp_record *warp, const sim_instr *instr, sim_traced_line what);
// Of 16 lanes at base[0] and 16 at base[1], all at one address (stride 0) or neighbours (stride
// `bytes`).
void sim_record_halves(sim_warp_record *warp, const sim_instr *instr, const uint64_t base[2],
                       uint32_t stride, uint32_t bytes, sim_trace_kind kind);
// Of any 32 addresses.
void sim_record_lanes(sim_warp_record *warp, const sim_instr *instr,
                      const uint64_t addresses[SIM_WARP_LANES], uint32_t lanes, uint32_t bytes,
                      uint32_t wavefronts, sim_trace_kind kind);
// Of 32 offsets into the lanes' local memory.
void sim_record_local(sim_warp_record *warp, const sim_instr *instr,
                      const uint64_t offsets[SIM_WARP_LANES], uint32_t lanes, uint32_t bytes,
                      sim_trace_kind kind);

static inline uint32_t sim_line_of(uint64_t address) {
    return (uint32_t)((address - SIM_GLOBAL_BASE) / SIM_LINE_BYTES);
}
