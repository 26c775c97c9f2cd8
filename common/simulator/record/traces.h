// Traces: the lines of memory that warps access, for the cache model; the instructions of some
// warps, for the cycle-level model; addresses and branches by lane, for the maps.
#pragma once

#include "device/counters.h"
#include "program/ir.h"

// ---- cache_trace.c ------------------------------------------------------------------------------
// What a block asks of the memory system, kept for the cache model: one entry a 128-byte line that
// a warp-level access touches. Only lines whose hash is small enough are kept, and the bound is
// halved whenever the blocks that are done keep more than the launch may; so a long kernel is
// represented by a fixed sample of its lines, each with its whole history: the widest one with no
// more than SIM_TRACE_ENTRIES entries. What is kept in the end depends on the launch alone, never
// on host threads or the order of blocks: a block may start at a bound that the launch will not
// exceed.

enum {
    SIM_LINE_BYTES = 128,
    SIM_LINE_SECTORS = 4,
    SIM_TRACE_ENTRIES = 1 << 19,       // that a launch keeps at most
    SIM_TRACE_BLOCK_ENTRIES = 1 << 10, // that a block may keep at least
    SIM_TRACE_SHARES = 64,             // of an equal share of them that a block may keep
    SIM_TRACE_REQUESTS_A_WARP = 8,     // guess that the first sample is chosen by
    SIM_TRACE_LEVELS = 33              // bounds: UINT32_MAX >> level
};

// What a request does, as far as the caches tell it apart.
typedef enum sim_trace_kind {
    SIM_TRACE_LOAD,
    SIM_TRACE_LOAD_PAST_L1, // .cg, .cv, volatile and other strong loads: nothing hits in the L1
    SIM_TRACE_LOAD_ONCE,    // .lu, .L1::no_allocate: what the L1 lacks does not stay there
    SIM_TRACE_STORE,
    SIM_TRACE_ATOMIC,
    SIM_TRACE_TEXTURE // only on cards with a texture cache of its own: others count no hits of them
} sim_trace_kind;

// One line that one request touched.
typedef struct sim_trace_entry {
    uint32_t line;   // global: from SIM_GLOBAL_BASE; local: sim_trace_local_line
    uint32_t time;   // requests that the warp had made before, made equal at barriers
    uint32_t site;   // sim_trace_site: the instruction
    uint16_t warp;   // in the block
    uint8_t sectors; // low half: bit s, sector s was touched; high half: written as a whole
    uint8_t kind;    // sim_trace_kind, SIM_TRACE_LOCAL
} sim_trace_entry;
enum { SIM_TRACE_LOCAL = 0x80, SIM_TRACE_LONGEST = 0x40, SIM_TRACE_KIND = 0x3f };

// Recording of the running block.
typedef struct sim_block_trace {
    sim_trace_entry *entries; // in the order of execution, [count]
    uint32_t count, capacity; // of `entries`: recorded, and allocated
    uint32_t bound;           // a line is kept when its hash is not above this: UINT32_MAX >> n
    uint32_t most;            // entries that the block may keep
    bool failed;              // host memory ran out: nothing is kept any more
} sim_block_trace;

// Where a finished block's entries are, and what it would take to compare them with others'.
typedef struct sim_trace_block {
    uint64_t block;        // linear index
    uint64_t first;        // of its entries
    uint32_t count, bound; // entries; the narrowest bound that held
    uint32_t duration;     // requests of its longest warp
} sim_trace_block;

// Recordings of finished blocks, of one worker or of a whole launch.
typedef struct sim_trace {
    sim_trace_entry *entries;             // of all blocks, [count]
    uint64_t count, capacity;             // of `entries`: used, and allocated
    sim_trace_block *blocks;              // [block_count]
    uint64_t block_count, block_capacity; // of `blocks`: used, and allocated
    uint64_t levels[SIM_TRACE_LEVELS];    // entries by sim_trace_level of their lines' hashes
    bool failed;                          // host memory ran out: entries are missing
} sim_trace;

static inline uint32_t sim_trace_hash(uint32_t line) {
    return line * UINT32_C(0x9E3779B1); // golden ratio: neighbours and strides spread evenly
}
static inline uint32_t sim_trace_site(uint32_t function, uint32_t pc) {
    return function << 20 | (pc < 0xFFFFF ? pc : 0xFFFFF);
}
// Row `row` of 32 words of a warp's local memory.
static inline uint32_t sim_trace_local_line(uint32_t warp, uint32_t row) {
    return warp << 13 | (row & 0x1FFF);
}

// The first bound of the sample of a launch with so many warps, and what each of its blocks may
// keep.
uint32_t sim_trace_first_bound(uint64_t warps);
uint32_t sim_trace_most(uint64_t blocks);

// The narrowest of the bounds UINT32_MAX >> level that has this hash.
static inline uint32_t sim_trace_level(uint32_t hash) {
    return hash ? (uint32_t)__builtin_clz(hash) : SIM_TRACE_LEVELS - 1;
}
// The widest bound that the launch can come to, whose finished blocks kept so many entries of each
// level.
uint32_t sim_trace_widest(const uint64_t levels[SIM_TRACE_LEVELS]);

// Begins a block.
void sim_trace_begin(sim_block_trace *trace, uint32_t bound, uint32_t most);
// Adds an entry where memory must grow, or the block has too many and the sample is narrowed.
void sim_trace_grow_and_add(sim_block_trace *trace, const sim_trace_entry *entry);
// Adds an entry if its line is in the sample.
static inline void sim_trace_add(sim_block_trace *trace, const sim_trace_entry *entry) {
    bool fits = trace->count < trace->most && trace->count < trace->capacity;
    if (fits && !trace->failed && sim_trace_hash(entry->line) <= trace->bound)
        trace->entries[trace->count++] = *entry;
    else sim_trace_grow_and_add(trace, entry);
}
// Copies a finished block's entries to `store`.
void sim_trace_keep(sim_trace *store, const sim_block_trace *trace, uint64_t block,
                    uint32_t duration);
// Orders blocks by index and brings all of them to the launch's sample; returns its bound.
uint32_t sim_trace_settle(sim_trace *trace);
void sim_trace_free(sim_trace *trace);

// ---- warp_trace.c -------------------------------------------------------------------------------
// Traces of the warps of some blocks: which straight-line runs each executed, in order, and which
// lines of memory it asked for. Block b runs on SM b mod SMs; the cycle-level model of one SM
// replays the traces.

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

// ---- probe.c ------------------------------------------------------------------------------------
// Recording of where lanes point, how branches split and which boxes are copied
// (device/counters.h). A program that is to be probed gets other handlers (ops/ops.h,
// sim_bind_probes), which call the ones that it had, look at what these counted, and note it here;
// a program that is not has nothing of all this.

// What one worker saw of one instruction.
typedef struct sim_probe {
    uint64_t first_block, worst_block; // indices in the schedule, of the samples
    union {
        sim_access_map access; // of a memory instruction
        sim_branch_map branch; // of a branch
        sim_box_map box;       // of a bulk tensor copy
    };
} sim_probe;

// What one worker saw of one function: by pc, NULL where nothing was noted.
typedef struct sim_function_probes {
    sim_probe **by_pc; // [code_count]; NULL: nothing at all
} sim_function_probes;

// Of one launch: [worker][function]. Each worker touches its own row only.
typedef struct sim_probes {
    uint32_t worker_count, function_count; // of the executor; of the program
    sim_function_probes *rows;             // [worker_count * function_count]
    bool *failed; // [worker_count]: memory ran out, so sums are not complete
} sim_probes;

// NULL without memory.
sim_probes *sim_probes_new(uint32_t workers, uint32_t functions);
// program: the one that ran. NULL probes: nothing.
void sim_probes_free(sim_probes *probes, const sim_program *program);

// The probe of an instruction on a worker, made at its first use; NULL without memory.
sim_probe *sim_probe_at(sim_probes *probes, uint32_t worker, const sim_function *function,
                        uint32_t function_index, uint32_t pc);

// Whether an execution with `surplus` units beyond the least is one to keep; of others the sums are
// enough.
bool sim_probe_wants(const sim_probe *probe, uint64_t block, uint32_t surplus);
// Notes an execution that is not kept.
void sim_probe_note_sums(sim_probe *probe, uint32_t units, uint32_t least);
// Notes an execution: sums, and whether it is the one to keep. Of equally bad ones that of the
// earliest block in the schedule counts, and within a block the first.
void sim_probe_note_access(sim_probe *probe, uint64_t block, const sim_access_sample *sample);
// A split: `lanes` were active, `jumped` of them took the branch.
void sim_probe_note_split(sim_probe *probe, uint64_t block, const uint32_t block_id[3],
                          uint32_t warp, uint32_t lanes, uint32_t jumped);
// Notes a copy of this box; that of the earliest block is kept, within a block the first.
void sim_probe_note_box(sim_probe *probe, uint64_t block, const sim_box_map *box);
// Adds what another worker saw of the same instruction.
void sim_probe_merge_access(sim_probe *to, const sim_probe *from);
void sim_probe_merge_branch(sim_probe *to, const sim_probe *from);
void sim_probe_merge_box(sim_probe *to, const sim_probe *from);
