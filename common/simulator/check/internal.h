// The checker's own structures, shared by check.c (memory, launches), access.c (what an access
// means), race.c (shadow cells), find.c (findings) and others. Private to this module.
#pragma once

#include "check/checker.h"
#include "check/order/order.h"

// An access as a shadow cell stores it. From the highest bit: time (31 bits, the highest is 0, so
// that records compare as signed numbers too), thread in its block (10), site: an instruction of
// the program (20), flags. 0: none.
typedef uint64_t check_record;
enum {
    CHECK_STRONG = 1,   // atomic, volatile, relaxed ..: two such accesses are no race
    CHECK_ATOMIC = 2,   // strong: read and write in one; else: an asynchronous write is under way
    CHECK_VOLATILE = 4, // strong, but only .volatile
    CHECK_SITE_SHIFT = 3,
    CHECK_THREAD_SHIFT = 23,
    CHECK_TIME_SHIFT = 33,
    CHECK_SITES = 1 << 20
};
#define CHECK_THREAD_MASK ((check_record)(CHECK_THREADS - 1) << CHECK_THREAD_SHIFT)
#define CHECK_TIME_MAX    UINT32_C(0x3FFFFFF0)

// A pending write is later than every access, until it arrives.
#define CHECK_PENDING ((check_record)(CHECK_TIME_MAX + 8) << CHECK_TIME_SHIFT)
// The value of the cell is unknown: its write is in check_cells.unknown.
#define CHECK_UNKNOWN ((check_record)(CHECK_TIME_MAX + 9) << CHECK_TIME_SHIFT)

static inline bool check_record_is_atomic(check_record record) {
    return (record & (CHECK_STRONG | CHECK_ATOMIC)) == (CHECK_STRONG | CHECK_ATOMIC);
}
static inline uint32_t check_record_time(check_record record) {
    return (uint32_t)(record >> CHECK_TIME_SHIFT);
}
static inline uint32_t check_record_thread(check_record record) {
    return (uint32_t)(record >> CHECK_THREAD_SHIFT) & (CHECK_THREADS - 1);
}
static inline uint32_t check_record_site(check_record record) {
    return (uint32_t)(record >> CHECK_SITE_SHIFT) & (CHECK_SITES - 1);
}

// Summary of 16 consecutive cells, a line, that have not changed since reads examined them: an
// equal read need not examine the cells.
typedef struct check_line {
    uint32_t written; // all bytes have been written, and all writes are before this time
    uint32_t read;    // time of the second readers of all cells; 0: not known
} check_line;

// A cell of shared memory that was written but has an unknown value: the writes raced, or the
// stored value was unknown (unknown.c).
typedef struct check_unknown {
    check_record last, other; // the last write, and one that is not ordered before it
    uint64_t doubts;          // bit i: number i + 1; 0: the value is known
} check_unknown;

typedef struct check_values check_values;       // unknown.c
typedef struct check_strip check_strip;         // interval.c
typedef struct check_registers check_registers; // registers.c
typedef struct check_phases check_phases;       // phases.c
typedef struct check_tmem check_tmem;           // tmem.c

// The accesses of a block since its last barrier that are in no cell yet (interval.c).
typedef struct check_interval {
    check_strip *strips; // of all its shared memory; NULL: none
    uint32_t begin;      // time of the barrier
    uint32_t settled;    // of sim_checker.row_notes: free of conflicts; later ones are not judged
    bool stores;         // one of them is a store
    bool is_open;
} check_interval;

// Shadow of a range of memory: cell i covers bytes [i << shift, (i + 1) << shift). It stores the
// last plain write; the last strong one, separately, so that the next strong one still sees the
// plain one; and two reads since then by different threads, the first one in reads[0].
typedef struct check_cells {
    check_record *write, *strong, *reads[2];
    check_line *lines;
    check_unknown *unknown; // [count]; NULL: none yet
    uint64_t count;         // allocated, a multiple of CHECK_LINE
    uint32_t shift;         // 2, or 0 when the kernel has accesses narrower than 4 bytes
    bool any_strong;        // there has been a strong write, of this launch (shared: block)
} check_cells;
enum { CHECK_LINE = 16 };
#define CHECK_CELLS_BYTES(count)                                                                   \
    ((count)*4 * sizeof(check_record) + (count) / CHECK_LINE * sizeof(check_line))

// The arrays of `count` cells and their lines, which lie one after the other from `write` on.
static inline void check_cells_split(check_cells *cells, uint64_t count) {
    cells->lines = (check_line *)(cells->write + 4 * count);
    cells->strong = cells->write + count;
    cells->reads[0] = cells->write + 2 * count;
    cells->reads[1] = cells->write + 3 * count;
    cells->count = count;
}

// Marks the lines of cells first..last as changed.
static inline void check_cells_change(const check_cells *cells, uint64_t first, uint64_t last) {
    for (uint64_t line = first / CHECK_LINE; line <= last / CHECK_LINE; line++)
        cells->lines[line].read = 0;
}

// A bulk store to global memory whose source, in shared memory, may not be read yet.
typedef struct check_store {
    uint32_t site, thread;
    uint32_t begun;         // time; later writes to the source come too early
    uint32_t groups;        // that its thread has committed since, its own included; 0: none yet
    uint64_t offset;        // of the source
    sim_access_event event; // of its read, without addresses
} check_store;

typedef struct check_block {
    check_order order;
    check_cells shared;
    check_interval interval;
    uint64_t *shared_written; // bits
    uint32_t written_below;   // all bytes of shared memory below this offset have been written
    uint32_t shared_bytes, shared_capacity;
    check_values *values; // [CHECK_WARPS], unknown ones in their registers; NULL: none yet
    // Memory of loads among them that the cells do not know of, shared [0] and global [1], from the
    // origin of the cells on: [low, end), end 0: there is none.
    struct {
        uint64_t low, end;
    } defers[2];
    uint32_t products[CHECK_WARPS]; // of warp groups (wgmma), by warp: how many it has issued
    uint32_t product_site;          // of the last one
    check_store *stores;            // [store_count]; NULL: none yet
    uint32_t store_count;
    check_registers *registers[CHECK_WARPS]; // of kernels with products; NULL: none yet
    check_phases *phases;                    // of its mbarriers; NULL: none yet
    check_tmem *tmem;                        // uses of its tensor memory; NULL: none yet
    uint32_t fences[SIM_FENCE_SYS + 1];      // time of its last fence of each scope; 0: none
    bool polled;                             // it has read device memory by a strong access
    bool copies;                             // asynchronous copies into shared memory have begun
    bool met; // a barrier of its cluster has completed: all blocks of it have started
    check_record remote[SIM_CLUSTER_BLOCKS]; // last access by each other block of its cluster
} check_block;

typedef struct check_owner { // the block that ran from time `begin` on
    uint32_t begin;
    uint64_t position;
} check_owner;

typedef struct check_number { // the number of the program's allocation with this id
    uint64_t id;
    uint32_t number;
} check_number;

// The relation between the two accesses of a race (pattern.c).
typedef enum check_pattern {
    CHECK_NO_PATTERN,
    CHECK_UPDATE,          // a statement reads one element, computes, and writes it back
    CHECK_WRITE_THEN_READ, // in program order, without a barrier between them
    CHECK_READ_THEN_WRITE,
    CHECK_NEXT_WRITES, // a read, and the write of the next iteration of the loop around both
    CHECK_NEXT_READS,
    CHECK_WRITE_THEN_WRITE,
    CHECK_BOTH_WRITE // in an order that the program does not fix
} check_pattern;

// Data of a finding that the report does not contain.
typedef struct check_note {
    check_pattern pattern;
    bool one_warp, other_block;   // relation of the two threads
    bool again;                   // CHECK_WRITE_THEN_READ: the next iteration writes again
    bool settled;                 // the launch is over: no other warp races there any more
    bool needs_block;             // __syncwarp() is not enough
    bool in_branch;               // no point between the two is executed by all threads
    bool beside_branch;           // some points are, but one of the two is not
    bool of_stage;                // of a cuda::pipeline: a stopped launch may be the cause
    uint32_t vote;                // pc + 1 of a vote or similar between them; 0: none
    const sim_function *function; // of both accesses
    const char *const *files;     // of its program
    uint32_t pcs[2];              // the first one of the pattern, the second one
    uint32_t loop[2];             // first and last pc of the loop around both
} check_note;

// A possible finding. A race of a plain read with an atomic is reported at the end of the launch,
// unless the read was a guess (find.c). The cause of an unknown value is reported when the value is
// used (unknown.c).
typedef struct check_doubt {
    uint32_t site, other, read; // instructions; `read` is one of the two, or CHECK_NO_SITE: unknown
    bool told;
    bool of_read; // reported only once the value that was read is used
    bool unused;  // the value has not been used
    sim_finding finding;
    check_note note;
} check_doubt;

enum { CHECK_DOUBTS = 64, CHECK_FINDINGS = 200, CHECK_PAIRS = 4096, CHECK_HOST_READS = 1 << 20 };

// Whether an instruction comes after a barrier (meet.c), both by their sites; barrier + 1, 0:
// empty.
typedef struct check_behind {
    uint32_t barrier, last;
    bool answer;
} check_behind;
enum { CHECK_BEHIND = 64 };

typedef struct check_pair { // findings by the sites they were seen at
    uint32_t kind, sites[2];
    uint32_t finding; // index + 1; 0: empty
} check_pair;

// A grid of the present launch by the host: its own, or one that a kernel launched.
typedef struct check_run {
    uint32_t begin; // time
    sim_check_descent descent;
    sim_grid grid; // its sizes and schedule
} check_run;

// Judges an access of the current block by the instruction `site`, and records it.
typedef void (*check_race_fn)(sim_checker *checker, const sim_access_event *event, uint32_t site);

struct sim_checker {
    sim_memory *memory;
    uint64_t most_elements; // as in sim_options
    sim_observer observer;
    check_race_fn race_access; // race.c
    check_clock clock;
    check_cells global;
    uint64_t *written; // a bit for each byte from SIM_GLOBAL_BASE
    uint64_t written_bytes;
    sim_row_notes *row_notes;
    uint32_t parked; // launches that are set aside

    check_number *numbers;
    uint32_t number_count, number_capacity;

    sim_finding *findings;
    check_note *notes; // [CHECK_FINDINGS], beside `findings`
    uint32_t finding_count;
    uint64_t left_out;
    uint64_t launches, warp_instructions;
    double host_seconds;
    bool times_exhausted;
    uint32_t depends; // sim_dependence as bits, of all launches
    bool blind;       // no memory to keep what was written: nothing is said of it any more
    bool faulted;     // a kernel has stopped: nothing can be freed after it
    uint64_t *host_reads;
    uint32_t host_read_count, host_read_capacity;
    struct check_streams *streams; // streams.c
    const uint8_t *touched;        // its flags: whether a kernel accessed a page of 4096 bytes

    // ---- From here on: of the running launch of the host (sim_checker_launch_park) ----
    const sim_grid *grid;              // running
    uint32_t launch;                   // its index
    uint32_t *first_site;              // by function of the program; site = first_site + pc
    const sim_function *last_function; // whose first site was asked for last, NULL: of none
    uint32_t last_first_site;
    bool bytewise_shared; // this kernel's cells of shared memory are single bytes
    bool async_reads;     // it has bulk copies or products that read shared memory (async.c)
    bool read_only;       // it has loads by the read-only path
    bool active_lanes;    // it asks which lanes are active
    bool of_block;        // it has strong accesses to device memory of the scope of a block
    bool strayed;         // a block has: what it does then follows from that

    uint32_t launch_begin; // time; records before it are of earlier launches of the host
    uint32_t run_begin;    // records before it are of earlier grids
    check_run *runs;       // grids of this launch of the host, the last of them running
    uint32_t run_count, run_capacity;
    bool exhausted; // time has run out in this launch: no more races
    check_log *log;
    check_log *relaxed; // what relaxed stores tell of the reads before them

    check_block *blocks; // one; a cluster's; all of the grid in cooperative launches
    uint64_t block_count;
    check_block *current;
    uint32_t current_since;  // time since which `current` has been running
    int32_t interval_credit; // below 0: intervals have not paid lately
    check_owner *owners;
    uint64_t owner_count;
    uint32_t owner_capacity;

    check_doubt *doubts;
    uint32_t doubt_count;
    uint64_t read_doubts;               // those with of_read, bit i for number i + 1
    uint64_t unset_doubts;              // likewise, those of variables that nothing has written
    uint64_t guesses[CHECK_SITES / 64]; // reads whose value an atomic of the same thread checked
    bool guessed;                       // any
    uint64_t synced[CHECK_SITES / 64];  // strong accesses and fences that this launch has executed
    bool any_synced;
    check_pair pairs[CHECK_PAIRS];
    check_behind behind[CHECK_BEHIND];
};

// streams.c, for check.c; false: no memory.
bool check_streams_new(sim_checker *checker);
void check_streams_free(sim_checker *checker);
// The shadow cells, or what their records mean, are about to change.
void check_streams_moved(sim_checker *checker);
// Nobody has used these bytes: they are of another allocation.
void check_streams_renewed(sim_checker *checker, uint64_t address, uint64_t bytes);

// gather.c: a kernel accesses this page, for the first time since it was gathered.
void check_touch_page(sim_checker *checker, uint64_t page);
// It accesses bytes so far behind the beginning of device memory.
static inline void check_touch(sim_checker *checker, uint64_t a, uint64_t b) {
    if (checker->touched[a >> 12] & checker->touched[b >> 12]) return;
    if (!checker->touched[a >> 12]) check_touch_page(checker, a >> 12);
    if (!checker->touched[b >> 12]) check_touch_page(checker, b >> 12);
}

static inline check_block *check_block_at(const sim_checker *checker, uint64_t position) {
    if (checker->block_count == 1) return checker->blocks; // mostly, and without a division
    return &checker->blocks[position % checker->block_count];
}

// race.c, for each host variant.
void check_race_access_base(sim_checker *checker, const sim_access_event *event, uint32_t site);
void check_race_access_v3(sim_checker *checker, const sim_access_event *event, uint32_t site);

// rows.c, for each host variant: sim_observer.rows.
bool check_on_rows_base(void *context, const sim_warp *warp, const sim_instr *instr,
                        const sim_access_rows *rows);
bool check_on_rows_v3(void *context, const sim_warp *warp, const sim_instr *instr,
                      const sim_access_rows *rows);

// runs.c
// The index of the last item that has begun by `time`, or 0. items: [count] structs of `bytes`, in
// the order of the uint32_t time that each begins with.
uint64_t check_last_begun(const void *items, size_t bytes, uint64_t count, uint32_t time);
// Another grid begins; false: no memory.
bool check_run_begin(sim_checker *checker, const sim_grid *grid, const sim_check_descent *descent);
// The grid that made an access at this time.
const check_run *check_run_at(const sim_checker *checker, uint32_t time);
// Whether what an earlier grid did at this time is ordered before all of the running one.
bool check_run_ordered(const sim_checker *checker, uint32_t time);
// Why the running grid's access races with one of that grid.
const char *check_run_explanation(const sim_checker *checker, const check_run *other);
uint32_t check_on_launched(void *context);

// access.c: makes the block at `position` the one that runs.
check_block *check_switch_to_another(sim_checker *checker, uint64_t position);
static inline check_block *check_switch_to(sim_checker *checker, uint64_t position) {
    check_block *current = checker->current;
    if (current && current->order.position == position) return current;
    return check_switch_to_another(checker, position);
}

// written.c: an access in bounds, to device or shared memory, and to local memory.
void check_written(sim_checker *checker, const sim_access_event *event);
void check_local(sim_checker *checker, const sim_access_event *event);
// What it writes has been written, nothing more.
void check_mark_written(sim_checker *checker, const sim_access_event *event);
void check_advance_written(check_block *block); // a barrier opens

// access.c, written.c, sync.c: the observer's functions.
void check_on_access(void *context, const sim_access_event *event);
void check_on_matrix(void *context, const sim_access_event *event);
void check_on_tensor(void *context, const sim_tensor_event *event); // access.c
void check_on_sync(void *context, const sim_sync_event *event);
void check_on_block_begin(void *context, uint32_t worker, uint64_t block, uint32_t shared_bytes);
void check_on_block_end(void *context, uint32_t worker, uint64_t block);
void check_on_local(void *context, uint64_t block, uint32_t warp, uint32_t lanes, uint32_t base,
                    uint32_t bytes);
void check_on_heap(void *context, uint64_t address, uint64_t bytes);
void check_on_absent_lane(void *context, const sim_sync_event *event);
void check_on_misprint(void *context, const sim_sync_event *event, const char *text);
// A finding about a synchronisation, at one instruction or two, of a thread of the current block.
// NULL when it is no new one.
sim_finding *check_find_sync(sim_checker *checker, sim_check_class kind, uint32_t site,
                             uint32_t other, uint32_t thread, const char *text);

// A barrier of the block that one of its threads does not come to.
typedef struct check_missed {
    uint32_t barrier, came; // its site, and a thread that waits there
    uint32_t waits, absent; // the site at which another thread waits instead, or CHECK_NO_SITE
    bool returned;          // that thread has
} check_missed;
// meet.c: a finding, unless the block has strayed already; now it has.
void check_barrier_missed(sim_checker *checker, check_missed missed);
// meet.c: the block's barrier opens, at which `thread` has come to `first`: whether all warps have
// come to it, or returned before it. Once they have not, the block has strayed.
void check_warps_meet(sim_checker *checker, const check_arrival *arrival, uint32_t first,
                      uint32_t thread);

// find.c
static inline uint32_t check_site(const sim_checker *checker, const sim_function *function,
                                  const sim_instr *instr) {
    uint32_t f = (uint32_t)(function - checker->grid->launch->program->functions);
    return (checker->first_site[f] + (uint32_t)(instr - function->code)) & (CHECK_SITES - 1);
}
// A loop of the kernel that begins, whose index is too narrow; `bound`: its argument.
void check_find_narrow(sim_checker *checker, const sim_instr *instr, uint64_t bound);
// The same, mostly of the function that was asked for last.
static inline uint32_t check_site_again(sim_checker *checker, const sim_function *function,
                                        const sim_instr *instr) {
    if (function != checker->last_function) {
        checker->last_function = function;
        checker->last_first_site = check_site(checker, function, function->code);
    }
    return (checker->last_first_site + instr->pc) & (CHECK_SITES - 1);
}
// The finding of this class at these sites (CHECK_NO_SITE: none), counted. *out_is_new: the caller
// describes it. NULL: there are too many.
sim_finding *check_find(sim_checker *checker, sim_check_class kind, uint32_t site, uint32_t other,
                        bool *out_is_new);
// As check_find, at first only as a doubt: the plain read at instruction `read` may be a guess; or,
// CHECK_NO_SITE, nobody may use the value. With as many doubts as there may be it is told at once;
// of a variable that nothing has written it is left (NULL), as its use will tell it.
sim_finding *check_find_doubt(sim_checker *checker, sim_check_class kind, uint32_t site,
                              uint32_t other, uint32_t read, bool *out_is_new);
// An atomic follows the read of the same place by the same thread: the read was a guess.
void check_find_guess(sim_checker *checker, uint32_t read);
// The number of the doubt that check_find_doubt returned; 0: it is a finding already.
uint32_t check_find_doubt_number(const sim_checker *checker, const sim_finding *finding);
// A strong access or a fence is executed.
static inline void check_note_synced(sim_checker *checker, uint32_t site) {
    checker->synced[site / 64] |= UINT64_C(1) << site % 64;
    checker->any_synced = true;
}
// The value that the doubt is of is used: it becomes a finding, or a doubt about a guess alone.
void check_find_report(sim_checker *checker, uint32_t doubt);
// A new doubt is of a value that has been read.
void check_find_hold(sim_checker *checker, uint32_t doubt);
void check_find_settle(sim_checker *checker); // a launch is over: doubts become findings or nothing
// Index of the function that a site is in.
uint32_t check_find_function(const sim_checker *checker, uint32_t site);
// The instruction at a site; NULL: none.
const sim_instr *check_find_instr(const sim_checker *checker, uint32_t site);
// Whether a site is in a function that waits for stages of a cuda::pipeline
// (program/wait_calls.def), and whether it is such a wait itself.
bool check_find_uses_pipeline(const sim_checker *checker, uint32_t site);
bool check_find_waits_for_stage(const sim_checker *checker, uint32_t site);
// What is kept of a finding that check_find or check_find_doubt returned.
check_note *check_find_note(const sim_checker *checker, const sim_finding *finding);
// Whether a strong access counts for threads of its own block alone.
static inline bool check_is_of_block(const sim_instr *instr) {
    return sim_is_access(instr) && instr->order >= SIM_ORDER_RELAXED &&
           instr->scope == SIM_FENCE_CTA;
}
// Whether it loads device memory by a path that does not see what the running kernel writes: the
// read-only data cache (PTX ISA, "ld.global.nc") or a texture's (CUDA C++ Programming Guide,
// "Read/Write Coherency").
static inline bool check_is_read_only(const sim_instr *instr) {
    return (sim_is_plain_load(instr) && instr->mods & SIM_MOD_NC) ||
           sim_cost_of(instr) == SIM_COST_TEXEL;
}
// The source line of an instruction; 0: unknown.
static inline uint32_t check_line_of(const sim_function *function, uint32_t pc) {
    uint32_t location = function->code[pc].location;
    return location < function->location_count ? function->locations[location].line : 0;
}
// False also when one of the two has no line.
bool check_find_lines_differ(const sim_checker *checker, uint32_t site, uint32_t other);
// A finding that is of no kernel.
sim_finding *check_find_plain(sim_checker *checker, sim_check_class kind);
void check_find_side(const sim_checker *checker, sim_check_side *side, sim_check_action action,
                     uint32_t site, uint64_t position, uint32_t thread);
// The same of an access by another grid of the tree.
void check_find_side_in(const sim_checker *checker, const sim_grid *grid, sim_check_side *side,
                        sim_check_action action, uint32_t site, uint64_t position, uint32_t thread);
// Address, what holds it, in words and numbers.
void check_find_address(const sim_checker *checker, sim_finding *finding, uint8_t space,
                        uint64_t address, uint32_t bytes);
// The same of an access by way of a shared variable that leaves it.
void check_find_outside(const sim_checker *checker, sim_finding *finding, const sim_symbol *symbol,
                        uint64_t address, uint32_t bytes);
void check_find_fault(sim_checker *checker, const sim_fault *fault);
uint32_t check_find_number(const sim_checker *checker, uint64_t id); // 0: not of the program
