// What the files of this module share: the memory system of an SM, its run, the traces of its
// warps, and its state.
#pragma once

#include "counters/counters.h"
#include "device/counters.h"
#include "machine/machine.h"
#include "record/traces.h"
#include "timing/sm/internal.h"
#include "timing/sm/sm.h"
#include "timing/timeline/recorder.h"

// ---- memory.c -----------------------------------------------------------------------------------
// The memory system as the SM sees it: its load/store unit and L1, with sectors on their
// way, and its share of the L2 and of device memory as queues. Times are cycles, fractions of them
// included.

enum { SM_L1_WAYS = 4 };

// What an instruction asks of the caches on average (counters/counters.h), kept by site.
typedef struct sm_site {
    // In each part of the launch's time, and behind them the mean of all parts: sectors of device
    // memory for each that a load wants, whether the L1 lacks it or not; and the share of those
    // that it lacks for which others have asked just before.
    double dram[SIM_CACHE_SLICES + 1], waits[SIM_CACHE_SLICES + 1];
    double owed;  // sectors of device memory that were not asked for yet
    double late;  // sectors that others have asked for and that were not waited for yet
    double words; // atomics: operations of lanes for each line
} sm_site;

// A line that the L1 has, or waits for.
typedef struct sm_l1_line {
    uint32_t line;
    uint8_t valid; // bit s: sector s is there or on its way
    bool local;
    float fetched;                    // sectors that device memory has sent
    sm_site *by;                      // whose request it lacked; NULL: of none that is known
    double arrives[SIM_LINE_SECTORS]; // cycle
} sm_l1_line;

// How much of a bandwidth was in use of late, which decides how long a request waits for others.
typedef struct sm_load {
    double work, at; // cycles of work, of which those of long ago count less; until when
} sm_load;

// Work that is done one piece after the other.
typedef struct sm_queue {
    double free; // cycle at which it is empty
    double work; // cycles of all that went through it and does so in every part of the launch
} sm_queue;

// The memory system of one run of the model.
typedef struct sm_memory {
    const sim_device *device;
    double clock_ghz;
    double sms;            // that share the L2 and device memory with this one, itself included
    sm_queue unit;         // load/store unit and data stage of L1 and shared memory
    sm_queue lines, port;  // to the L2: the SM's own, and its share of what all send
    sm_queue dram, stores; // shares of device memory, and of what the L2 takes
    sm_queue atomics, hot; // of all of the L2, of its unit that is asked most
    sm_queue constants, textures;
    sm_queue bulk, bulk_stores; // bulk copies into shared memory, out of it
    double bulk_share;          // of the L2's time for the bytes of a line that a copy takes
    double stored_sectors;      // of the launch: by stores and by bulk copies
    bool copies;                // the present request is one: past the L1, by whole rows
    bool changes;               // likewise an atomic: what it brings is written back later
    sm_load l2_load, dram_load;
    double l2_cycles;       // of a sector, of all SMs together
    double bulk_cycles;     // likewise by bulk copies
    double dram_cycles;     // likewise of device memory
    double copy_cycles;     // likewise where it is read and written
    double written;         // sectors that go on to device memory for each stored one
    double filled_parts;    // of those stored in parts, fills of the rest from there for each
    double alone;           // what a line by itself takes longer because the launch writes, too
    double tail;            // cycles that the last fills take behind the others
    bool mixes;             // the launch writes, too, and not only a little
    double filled;          // sectors of the L2 that hold what launches have read or stored
    double each;            // sectors of the launch for each one that the model runs
    sim_contention hottest; // of the launch's atomics
    double l2_latency, dram_latency, l1_latency;
    sm_l1_line *l1;        // [sets][SM_L1_WAYS]
    uint32_t sets, random; // random: state of the generator that says which line is replaced
    double sectors;        // of global memory that were loaded and stored
    double asked;          // cycles of the port for the present request
    uint32_t slice;        // of the launch's time in which it is made
    sm_site *filled_site;  // of its last line that the L1 lacked; NULL: none yet
    uint32_t filled_line;  // that line
    bool fills;            // the L2 lacked it, too
    sm_site *sites;        // [site_count], as cache->sites
    sm_site all_textures;  // as if all were of one instruction
    const sim_cache_result *cache;
    double default_dram;
} sm_memory;

// Queues for a launch, and an L1 that is empty, or full of what the blocks before have left there;
// false: no memory. To be ended either way.
bool sm_memory_begin(sm_memory *memory, const sim_sm_input *input);
// Frees what sm_memory_begin made.
void sm_memory_end(sm_memory *memory);

enum { SM_ANY_TIME = UINT32_MAX };
// A request of these lines, all of one instruction, at `now`, by a block that the caches' replay
// began at `start`; SM_ANY_TIME: for all that it and others after it will ask for. Returns when
// its result is there; of a store, when the next instruction of the warp may start.
double sm_memory_request(sm_memory *memory, const sim_instr *instr, uint32_t start,
                         const sim_traced_line *entries, uint32_t count, double now);
// An access to shared memory of so many wavefronts.
double sm_memory_shared(sm_memory *memory, double wavefronts, double latency, double now);
// A load from constant memory of so many different addresses.
double sm_memory_constant(sm_memory *memory, double addresses, double latency, double now);
// The same into a uniform register, beside so many warps on the SM: when many of them load so, each
// load takes long.
double sm_memory_uniform(sm_memory *memory, uint32_t warps, double now);
// A fetch from a texture, whose texels lie in these lines.
double sm_memory_texture(sm_memory *memory, const sim_instr *instr, const sim_traced_line *entries,
                         uint32_t count, double now);
// A bulk copy of these lines between the L2 and shared memory, of so many blocks of a cluster; into
// shared memory or out of it. Returns when it is done: of one into shared memory, when a warp that
// waits for it goes on.
double sm_memory_bulk(sm_memory *memory, uint32_t start, const sim_traced_line *lines,
                      uint32_t count, uint32_t blocks, bool in, double now);
// The first cycle at which the unit takes another instruction, not before `now`.
double sm_memory_ready(const sm_memory *memory, const sim_instr *instr, double now);
// When all that is on its way has arrived.
double sm_memory_quiet(const sm_memory *memory);
// Cycles that the SM's share of the launch's traffic takes its queues at least, if all of it is
// like what the model ran.
double sm_memory_least(const sm_memory *memory, const sim_sm_input *input);

// ---- sm.c ---------------------------------------------------------------------------------------
// One SM: its schedulers and warps, cycle by cycle.

// SMs that get blocks of a launch. A cluster lies within one GPC (a group of SMs): where each of
// its blocks takes an SM of its own, the SMs of a GPC beyond a multiple of the cluster's size get
// none. Where an SM has room for several blocks, nearly all of them get some.
uint32_t sm_count_of(const sim_launch *launch);

// Cycles in which a scheduler's tensor core and special-function unit work, summed over schedulers.
typedef struct sm_units {
    double both, tensor_alone, xu_alone; // both do; only the one does; only the other
} sm_units;

// How far a run of the model came.
typedef struct sm_progress {
    double started;  // cycle at which the last recorded block began
    double refilled; // at which the first block began in the slots of another; 0: none
    double at_started, at_refilled; // instructions until then
    double steady, at_steady;       // at which all first blocks had been replaced; likewise
    double marks[2], at_marks[2];   // cycles in the first half of the run, or none, and later;
                                    // likewise
    double drained;                 // at which the last one of those ended; 0: none did
    double end;                     // cycle of the last event
    double instructions;            // as the PTX counts them
    sm_units units;                 // until then
    bool complete;                  // all recorded blocks came to their ends
} sm_progress;

// How much of the recorded traces is run.
typedef struct sm_extent {
    uint32_t resident; // blocks on the SM at once
    uint32_t recorded; // blocks to run, at least `resident`
    uint32_t runs;     // of a warp
    uint64_t blocks;   // that the SM gets in all
    uint32_t first;    // recorded block to begin with; numbers as of sim_warp_traces_modelled
    bool only_sm;      // no other SM works
    bool same;         // each block does what the first one does
    double sms;        // that work as this one does; 0: follows from the blocks
    bool any_time;     // what it finds in the caches is that of all of the launch's time
    timeline_recorder *timeline; // NULL: nobody asked for one
} sm_extent;

// Runs the recorded blocks. False: no memory.
bool sm_run(const sim_sm_input *input, sm_memory *memory, const sm_extent *extent,
            sm_progress *out_progress);

// ---- last_block.c ----

// Cycles until the end of what `extent` tells to run, with nothing else on the card; 0: no memory.
double extent_cycles(const sim_sm_input *input, const sm_extent *extent);
// Cycles until the end of one block, which need not be a recorded one, with nothing else on the
// card; 0: no memory. warps: that it has; runs: of each.
double single_block_cycles(const sim_sm_input *input, const sim_traced_block *block, uint32_t warps,
                           uint32_t runs);

// Cycles that the launch lasts longer for its last block: by so many that block takes longer than
// the last one of the `recorded` blocks, if it is none of these and executes code that no other
// block does, and all of them an atomic whose result is read. 0: there is no such block, or no
// memory. runs: of a warp.
double last_block_cycles(const sim_sm_input *input, uint32_t recorded, uint32_t runs);

// ---- warp_trace.c -------------------------------------------------------------------------------
// A warp on its recorded trace: which operation comes next, and which lines of memory it
// asks for.

// A warp's slot on the SM.
typedef struct sm_warp {
    const sim_warp_trace *path; // NULL: empty
    uint32_t run, access;       // next ones of the path
    uint32_t here;              // pc of the run at which it goes on
    uint32_t runs;              // of the path, to be run
    bool cut;                   // it did more
    const issue_code *code;
    const issue_op *at, *end;            // operations of the present region
    uint32_t first, length, entered;     // its first pc, pcs, and the one where it was entered
    double *board;                       // [registers]: cycle at which each can be read
    double scoreboards[SIM_SCOREBOARDS]; // cycle at which each is clear
    // wgmma: when the last product ends, and those of the groups that were committed, latest first.
    double products_end, groups_end[SIM_MOST_GROUPS + 1];
    // Bulk copies to global memory: when all are done, and those of groups likewise.
    double stores_end, store_groups_end[SIM_MOST_BULK_GROUPS + 1];
    uint32_t waits_for;     // an mbarrier: its offset + 1; 0: for none
    uint32_t waits_at;      // a barrier of a part of the block: its number + 1; 0: at none
    bool drained;           // its next release has waited for the bulk copies that were under way
    uint32_t releases_from; // cycle at which that began
    uint32_t *requests;     // [longest]: first access of each pc of the region, and iteration
    uint32_t *counts;       // [longest]: accesses
    uint8_t *passes;        // [longest]: what becomes of each (warp_trace.c)
    uint32_t next;  // cycle at which it can issue; UINT32_MAX: not before others do something
    uint32_t ready; // cycle at which its operands are there
    uint32_t start; // of its block in the replay of the caches
    bool off;       // the operations are passed with no lane on
    bool at_barrier, switched;    // switched: to other lanes than those that came here
    bool fell;                    // at the last branch with a predicate: the lanes did not jump
    const sim_function *branched; // whose branch at branch_pc was the last operation; NULL: none
    uint32_t branch_pc, branch_stall; // its pc, and cycles until the next one at least
    // For a timeline, else NULL: sim_warp_phase of what waits for each register; of a scoreboard.
    uint8_t *stalls;
    uint8_t scoreboard_stalls[SIM_SCOREBOARDS];
} sm_warp;

// Sets the warp to the beginning of its path, of which it does `runs` runs. codes: by function of
// the program, [functions], all that the path names made.
void warp_trace_begin(sm_warp *w, const issue_code *codes, const sim_function *functions);
// The operation that comes next, not taken yet; NULL: the path has ended.
const issue_op *warp_trace_next(sm_warp *w, const issue_code *codes, const sim_function *functions);
// The lines that an operation on global or local memory asks for, a count returned; 0: none. Of
// bulk copies and mbarriers what record/traces.h says, before the lines of each copy.
uint32_t warp_trace_lines(const sm_warp *w, const issue_op *op, const sim_traced_line **out_lines);
// Whether an entry is of sim_traced_kind, not a line.
static inline bool warp_trace_is_event(const sim_traced_line *entry) {
    return entry->kind >= SIM_TRACED_COPY && entry->kind <= SIM_TRACED_BARRIER;
}

// ---- events.c --------------------------------------------------------------------------------
// The mbarriers of a block, as the traces of its warps tell of them (record/traces.h): which
// phase each is in, and when the last one ended.

enum { SM_MBARRIERS = 32 }; // of a block; others let everyone pass

// What is known of one.
typedef struct sm_mbarrier {
    uint32_t name;              // its offset + 1; 0: there is none
    uint32_t wanted, per_phase; // arrivals: still wanted in this phase, and wanted in each
    int64_t bytes;              // still expected
    bool parity;                // of the present phase
    double latest;              // cycle of its last arrival or bytes so far
    double ended;               // cycle at which the phase before ended
} sm_mbarrier;

// Those of a block.
typedef struct sm_mbarriers {
    sm_mbarrier of[SM_MBARRIERS]; // in the order in which they were initialised
} sm_mbarriers;

// The one of this offset; NULL: it was not initialised.
sm_mbarrier *sm_mbarrier_at(sm_mbarriers *all, uint32_t offset);
// Makes one, or makes it anew.
void sm_mbarrier_init(sm_mbarriers *all, uint32_t offset, uint32_t arrivals);
// At `cycle` threads arrive, and bytes are expected (below 0: they have come). True: the phase has
// ended.
bool sm_mbarrier_change(sm_mbarrier *barrier, uint32_t arrivals, int64_t bytes, double cycle);
// The phase ends without what it still waits for.
void sm_mbarrier_end(sm_mbarrier *barrier, double cycle);

// ---- the SM while it runs -----------------------------------------------------------------------
// An SM while it runs: what sm.c, ready.c and events.c work on.

enum { SM_SCHEDULERS = 8, SM_WARPS = 64, SM_PART_BARRIERS = 16, SM_NEVER = UINT32_MAX };

// Slots of warps, their schedulers and what they share.
typedef struct sm {
    const sim_sm_input *input;
    sm_memory *memory;
    sm_progress *progress;
    issue_code *codes; // [functions]; function NULL: not made
    uint32_t registers, longest;
    uint32_t schedulers, slots, warps_a_block;
    sm_warp warps[SM_WARPS];
    uint32_t last[SM_SCHEDULERS], free[SM_SCHEDULERS], wake[SM_SCHEDULERS];
    uint32_t banks[SM_SCHEDULERS][SIM_REGISTER_BANKS]; // when all that was asked of them is read
    double pipe_free[SM_SCHEDULERS][ISSUE_PIPES];
    double product_ends[SM_SCHEDULERS][ISSUE_GROUP_QUEUE]; // of warp groups: the last ones, a ring
    bool group_products[SM_SCHEDULERS];                    // its tensor core has such, no others
    double product_waits[SM_SCHEDULERS];                   // cycles for them, less than one
    uint32_t products[SM_SCHEDULERS]; // number of the next, modulo ISSUE_GROUP_QUEUE
    double pipe_cycles[ISSUE_PIPES];
    double units_counted[SM_SCHEDULERS];               // cycle up to which progress->units has them
    double tensor_cycles;                              // of an H100's tensor cores one
    uint32_t live[SM_WARPS], arrived[SM_WARPS];        // by slot of a block
    sm_mbarriers mbarriers[SM_WARPS];                  // likewise
    uint32_t part_arrived[SM_WARPS][SM_PART_BARRIERS]; // likewise: threads at barriers of a part
    bool cluster_waits[SM_WARPS];                      // likewise: its warps wait for a cluster
    double copies_end;     // of the bulk copies into shared memory so far
    uint32_t start_free;   // when the card starts the next block on the SM
    uint32_t arrival_free; // when the SM can take the next warp's arrival
    uint64_t block_of[SM_WARPS];
    uint64_t next_block;
    sm_extent extent;
    timeline_recorder *timeline;    // NULL: nobody asked for one
    uint32_t issued[SM_SCHEDULERS]; // cycle after the last instruction; free[]: and its registers
    bool stopped, cut, failed;      // cut: a warp did more than is recorded
} sm;

// Whether blocks of clusters run on it.
static inline bool sm_is_of_cluster(const sm *s) {
    return sim_launch_cluster_blocks(s->input->launch) > 1;
}

// The first cycle that is not before this one.
static inline uint32_t sm_whole(double cycle) {
    uint32_t below = (uint32_t)cycle;
    return below + (below < cycle);
}

static inline uint32_t sm_not_before(uint32_t cycle, double other) {
    uint32_t end = sm_whole(other);
    return end > cycle ? end : cycle;
}

// ---- ready.c ------------------------------------------------------------------------------------
// When a warp can issue: its registers and scoreboards, the branch that it comes from, and what it
// waited for.

// What an operation computes can be read from `cycle` on.
static inline void sm_write_results(sm_warp *w, const issue_op *op, double cycle) {
    const uint16_t *operands = w->code->operands + op->operands + op->sources;
    for (uint32_t i = 0; i < op->results; i++) w->board[operands[i]] = cycle;
    for (uint32_t i = 0; op->sets >> i; i++)
        if (op->sets >> i & 1 && w->scoreboards[i] < cycle) w->scoreboards[i] = cycle;
}

// Passes what costs nothing and finds out when the warp can issue, not before `from`, up to which
// it does what `phase` says. False: its path has ended.
bool sm_prepare(sm *s, sm_warp *w, uint32_t from, sim_warp_phase phase);
// Its scheduler looks at the warp in this slot when that can issue.
void sm_wake(sm *s, uint32_t slot);
// What the warp in this slot waited for has come: it goes on at `from`, up to which it did what
// `phase` says. If the wait was its last operation, it ends at `end`.
void sm_go_on(sm *s, uint32_t slot, uint32_t from, sim_warp_phase phase, uint32_t end);

// ---- what a warp waits for ----------------------------------------------------------------------
// Why a warp waits, for a timeline (device/counters.h).

// What an operation waits for that waits for its operands: where the last one of these comes from.
sim_warp_phase stall_of_operands(const sm_warp *w, const issue_op *op);
// What it waits for when its operands are there.
sim_warp_phase stall_of_unit(const issue_op *op);
// Notes what waits for its results, before they are known to come at `cycle`.
void stall_of_results(sm_warp *w, const issue_op *op, double cycle);

// ---- mbarriers ----------------------------------------------------------------------------------
// Bulk copies, mbarriers and barriers of a part of a block on an SM, as the traces of warps tell of
// them (sim_traced_kind).

// An operation with events, begun at `now`. Returns when its warp goes on, not before `after`;
// SM_NEVER: when the phase of an mbarrier ends.
uint32_t sm_pass_events(sm *s, uint32_t slot, const issue_op *op, uint32_t now, uint32_t after);
// When the operation can start as far as bulk copies go: one that releases to the cluster is first
// a fence of the block, which waits for the copies into shared memory that are under way.
uint32_t sm_release_ready(const sm *s, sm_warp *warp, const issue_op *op, uint32_t now);
// When the SM has taken a warp's arrival at a barrier.
uint32_t sm_take_arrival(sm *s, uint32_t now);
// Opens barrier `number` of parts of the group's block for the warps that wait there. False: none.
bool sm_open_part(sm *s, uint32_t group, uint32_t number, uint32_t now);
// Groups of bulk copies to global memory, committed or waited for: likewise.
uint32_t sm_pass_stores(sm_warp *warp, const sim_instr *instr, uint32_t after);
// If all warps of the block wait for what the traces do not tell of, such as what other blocks of
// the cluster send: it comes now.
void sm_open_stuck(sm *s, uint32_t group, uint32_t now);
