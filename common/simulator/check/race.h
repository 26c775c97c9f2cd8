// The steps from an access to a race: the interval that notes it, the shadow cells, flags and
// locks, and values that no thread stored.
#pragma once

#include "check/internal.h"
#include "warps/warp.h"

// ---- interval.c ---------------------------------------------------------------------------------
// The shared memory of a block between two barriers. Nearly all accesses are rows of words that do
// not conflict. A few bits for 32 cells show this, and the accesses are only noted. The barrier at
// the end of the interval orders all of them before later accesses, so the notes are dropped and
// the shadow cells (race.c) never see them. Loads need no bits before the first store
// (sim_row_notes). An access that may conflict closes the interval: the notes, and then the
// following accesses, are recorded in the cells.

enum { CHECK_STRIP = 32 };

// 32 consecutive cells. The home of cell c is thread home + c (32 bits, which wrap).
struct check_strip {
    uint32_t begin;         // of the interval of the fields below; another one: they are empty
    uint32_t home;          // a cell is written only by its home
    uint32_t used, written; // bits: cells that their homes used, and wrote
    uint32_t read;          // bits: cells that other threads read
};

// A block begins, or a barrier of all its threads has completed: an interval begins.
void check_interval_begin(sim_checker *checker, check_block *block);
// A barrier of all threads completes: accesses so far are ordered before later ones.
void check_interval_end(sim_checker *checker, check_block *block);
// Judges the noted loads. Must be called before a store, before an event, and before the time
// advances.
void check_interval_settle_loads(sim_checker *checker, check_block *block);
static inline void check_interval_settle(sim_checker *checker) {
    check_block *block = checker->current;
    if (block && checker->row_notes->count != block->interval.settled)
        check_interval_settle_loads(checker, block);
}
// Records the notes in the cells; later accesses go to the cells until the next interval begins.
// Must be called before other code reads the cells, and before threads synchronise in other ways
// than by barriers of the block and of whole warps.
void check_interval_close_open(sim_checker *checker, check_block *block);
static inline void check_interval_close(sim_checker *checker, check_block *block) {
    if (block->interval.is_open) check_interval_close_open(checker, block);
}

// An access to cells of a strip by their homes, for a strip with this `home`. False: there may be a
// conflict.
static inline bool check_strip_access(check_strip *strip, uint32_t begin, uint32_t home,
                                      uint32_t cells, bool is_store) {
    if (strip->begin != begin) {
        strip->begin = begin;
        strip->used = strip->written = strip->read = 0;
    }
    bool is_home = strip->home == home;
    if (!is_store && !is_home) {
        strip->read |= cells;
        return !(cells & strip->written);
    }
    if (!is_home && (strip->used | strip->read)) return false;
    strip->home = home;
    strip->used |= cells;
    if (!is_store) return true;
    strip->written |= cells;
    return !(cells & strip->read);
}

// Cells first + i for each bit i of `cells`, which thread home + first + i reads or writes;
// CHECK_NO_HOME: several threads read each of them.
#define CHECK_NO_HOME UINT32_C(0x80000000)
static inline bool check_interval_access(check_interval *interval, uint32_t first, uint32_t home,
                                         uint32_t cells, bool is_store) {
    check_strip *strip = &interval->strips[first / CHECK_STRIP];
    uint64_t bits = (uint64_t)cells << first % CHECK_STRIP;
    uint32_t low = (uint32_t)bits, high = (uint32_t)(bits >> CHECK_STRIP);
    if (low && !check_strip_access(strip, interval->begin, home, low, is_store)) return false;
    return !high || check_strip_access(strip + 1, interval->begin, home, high, is_store);
}

// An access by a full warp whose halves each access a row of words, or one word. False as above.
bool check_interval_halves(check_interval *interval, const sim_row_note *access);

// An access to rows of words. False: it may conflict with another access of the interval.
static inline bool check_interval_fits(check_interval *interval, const sim_row_note *access) {
    enum { WORD_BYTES = 4, HALF_BYTES = 16 * WORD_BYTES };
    uint32_t a = access->base[0] / WORD_BYTES;
    bool one_row = access->stride == WORD_BYTES && access->base[1] - access->base[0] == HALF_BYTES;
    if (!one_row) return check_interval_halves(interval, access);
    return check_interval_access(interval, a, CHECK_STRIP * access->warp - a, access->lanes,
                                 access->is_store);
}

// The site of a warp's last access, or CHECK_NO_SITE; stores it in the warp.
uint32_t check_last_site(const sim_checker *checker, uint32_t warp);
static inline void check_note_site(sim_checker *checker, check_warp *of, uint32_t warp,
                                   uint32_t site) {
    checker->row_notes->last[warp] = NULL;
    if (of->alive) of->last_site = site;
}

// ---- conflict.c ---------------------------------------------------------------------------------
// Shared by race.c (cells, for each host variant), conflict.c (judges, reports) and unknown.c.

// An access while it is compared with its cells.
typedef struct check_pass {
    sim_checker *checker;
    const sim_access_event *event;
    check_order *order;
    check_cells *cells;
    uint64_t origin;     // address of cell 0
    check_record floor;  // older records are ignored
    check_record since;  // records from here on are of this block
    check_record base;   // of these, older records are ordered before all present accesses
    check_record warp;   // records from here on are after the last synchronisation of the warp
    check_record record; // of lane 0 of this warp, now
    bool follow;         // order may come from more than barriers and whole warps
    bool verifies;       // an atomic that a thread may have prepared by a plain read
    bool read_only; // a load by the read-only path, or a write where the kernel has such loads:
                    // no order between them counts
    bool defers;    // a load that is compared, not recorded (unknown.c)
    uint64_t *overwritten; // the read that it is compared with has not been used: gets the doubt
    bool unknown;          // a store whose values may be unknown (unknown.c)
} check_pass;

// The position of the block whose access has this record.
uint64_t check_pass_owner(const sim_checker *checker, check_record record);
// Whether the access of `record` is ordered before a present one of `thread`.
bool check_pass_knows(const check_pass *pass, check_record record, uint32_t thread);
// Whether the access of `record` and a present one of `thread` may be a race.
bool check_pass_collides(const check_pass *pass, check_record record, uint32_t thread);
// Whether one of the two, the access of `old` and that of the lane, is a load by the read-only
// path, and the other a write of the same launch by another thread or before the load, which is
// told.
bool check_pass_stale(const check_pass *pass, uint64_t cell, check_record old, uint32_t lane);
// The two accesses race: reports a finding, unless both store the same value.
void check_pass_conflict(const check_pass *pass, uint64_t cell, check_record old, bool old_is_write,
                         uint32_t lane);

// ---- flags.c ------------------------------------------------------------------------------------
// Advice for data that a flag or a lock in memory passes on without order.

// For the access of `old` by block `owner` and the present one of `thread`. False: no flag or lock
// is between them.
bool check_flag_advice(const check_pass *pass, check_record old, bool old_is_write, uint32_t thread,
                       uint64_t owner, char *text, size_t bytes);

// ---- unknown.c ----------------------------------------------------------------------------------
// Values of shared memory that nobody has stored, on their way through registers and back to
// memory: told when they are used. Likewise what a load has read that may have come before the test
// that asks for its value (sim_instr.dropped): as a race only once something uses it. Doubts
// (internal.h) come as a set, bit i for number i + 1.

// Whether it is a load whose value can be followed.
static inline bool check_unknown_follows(const sim_access_event *event) {
    return event->kind == SIM_ACCESS_READ && sim_is_ld(event->instr) && event->state;
}
// Whether it is followed when nobody has stored what it reads.
bool check_unknown_may_load(const sim_access_event *event);
// A lane loads, at `offset` from its address, bytes of which there are doubts; where they are not
// followed, the doubts are told.
void check_unknown_load(sim_checker *checker, const sim_access_event *event, uint32_t lane,
                        uint64_t offset, uint64_t bytes, uint64_t doubts);
// Whether the warp of a store may have unknown values.
static inline bool check_unknown_may_store(const sim_access_event *event) {
    return event->kind == SIM_ACCESS_WRITE && event->state &&
           (event->state->watched & SIM_WATCHED_BY_OBSERVER);
}
// Lanes store to memory where what is unknown is not kept: told.
void check_unknown_leaves(sim_checker *checker, const sim_access_event *event);
// Lanes access local memory, where what is unknown is followed.
void check_unknown_local(sim_checker *checker, const sim_access_event *event);
// Lanes get fresh local memory.
void check_unknown_fresh(check_block *block, uint32_t warp, uint32_t base, uint32_t bytes,
                         uint32_t lanes);
void check_unknown_forget(check_block *block); // another block begins
void check_unknown_free(check_block *block);

// Whether the cells get to know of a load only once its value is used.
bool check_unknown_defers(const sim_access_event *event);
void check_unknown_defer(const check_pass *pass);
// Whether a block may have such loads of [low, end), from the origin of the cells on, whose value
// may still be used.
bool check_unknown_waits(check_block *block, uint64_t low, uint64_t end, bool shared);
// A write to bytes of [low, end), against those of a block: a doubt where it races with one.
void check_unknown_overwrites(const check_pass *pass, check_block *block, uint64_t low,
                              uint64_t end);

// Room for check_cells.unknown; false: no memory.
bool check_unknown_reserve(check_cells *cells);
// A lane reads a cell whose write is CHECK_UNKNOWN. Returns the write.
check_record check_unknown_read(const check_pass *pass, uint64_t cell, uint32_t lane);
// A lane writes to such a cell: the write is put back. What was unknown is forgotten when this
// write comes after all of it.
void check_unknown_overwrite(const check_pass *pass, uint64_t cell, uint32_t lane);
// It has written to a cell: what it has stored may be unknown, or the writes may have raced.
void check_unknown_written(const check_pass *pass, uint64_t cell, uint32_t lane);
// A lane reads a cell whose write races with the read.
void check_unknown_raced(const check_pass *pass, uint64_t cell, uint32_t lane, uint32_t doubt);
// Two writes to a cell race, the one of the pass and `old`; there is room (reserve).
void check_unknown_race(const check_pass *pass, uint64_t cell, check_record old, uint32_t doubt);

// ---- follow.c -----------------------------------------------------------------------------------
// What a warp does with unknown values in its registers.

// sim_observer.entered.
uint8_t check_unknown_enter(void *context, const sim_warp *warp, const struct sim_frame *frame,
                            uint32_t lanes);
// Called before an instruction of a warp. False: the warp has no unknown value.
bool check_unknown_step(sim_checker *checker, const sim_warp *warp, const sim_instr *instr,
                        uint32_t lanes, uint32_t on);

// ---- values of a warp ---------------------------------------------------------------------------
// Unknown values by the registers that hold them: what unknown.c (memory) and follow.c
// (instructions) share.

// What makes a value unknown: doubts, and loads that count only once their value is used, as bits
// of check_values.reads. Each with its lanes: of a load whose value may be unused, only some lanes
// may have read what nobody has stored.
typedef struct check_marks {
    uint64_t doubts, reads;
    uint32_t doubtful, unused; // lanes
    uint32_t unset;            // lanes: moved from a register that nothing has written
    uint16_t known;            // bytes of the value that are known all the same, as bits
} check_marks;

// A register whose value is unknown in some lanes; likewise 4 bytes of a .param variable, and a
// word of local memory.
typedef struct check_value {
    const uint8_t *at;
    check_marks marks;
} check_value;

// A load that a compiler may have moved before the test that asks for its value. The cells get to
// know of it when that is used; until then writes are compared with it here.
typedef struct check_unused_read {
    uint64_t address[SIM_WARP_LANES]; // from the origin of the cells on
    uint64_t low, end;                // of all of them
    check_record record;              // of lane 0
    uint32_t bytes, lanes;            // of each; those that have not used it yet
    uint32_t raced;                   // of them: what they read has been overwritten
    uint64_t doubts;                  // by that
    bool shared;
} check_unused_read;

enum { CHECK_PLACES = 1024 };

struct check_values { // of a warp
    uint32_t count, capacity;
    check_value *at; // [capacity]
    uint16_t
        where[CHECK_PLACES]; // by place_of(at): index + 1 of one of those with this place; 0: none
    check_unused_read reads[64];
};

static inline uint32_t check_marks_lanes(check_marks of) {
    return of.doubtful | of.unused | of.unset;
}

static inline void check_marks_join(check_marks *into, check_marks of) {
    if (!check_marks_lanes(of)) return;
    into->known = check_marks_lanes(*into) ? into->known & of.known : of.known;
    into->doubts |= of.doubts;
    into->reads |= of.reads;
    into->doubtful |= of.doubtful;
    into->unused |= of.unused;
    into->unset |= of.unset;
}

// What remains of them in some lanes.
static inline check_marks check_marks_limit(check_marks of, uint32_t lanes) {
    of.doubtful &= lanes;
    of.unused &= lanes;
    of.unset &= lanes;
    if (!of.doubtful) of.doubts = 0;
    if (!of.unused) of.reads = 0;
    return of;
}

// Where a word of local memory is followed, of all lanes: no address of a register.
static inline const uint8_t *check_local_word(uint64_t offset) {
    enum { WORD_OF_LANES = sizeof(uint32_t) * SIM_WARP_LANES };
    return (const uint8_t *)(uintptr_t)((offset / 4 + 1) * WORD_OF_LANES);
}

// The values of a warp; NULL: it has had none.
check_values *check_values_of(const sim_checker *checker, const sim_warp *warp);
// The same, made where there are none; NULL: no memory.
check_values *check_values_make(check_block *block, uint32_t warp);
// What is unknown at `at`; NULL: nothing.
check_value *check_values_find(check_values *values, const uint8_t *at);
// Lanes write to a register a value that is unknown as in `of`.
void check_values_set(sim_checker *checker, check_values *values, const uint8_t *at,
                      uint32_t written, check_marks of);
// Forgets, in these lanes, what is unknown of [first, first + bytes).
void check_values_forget(check_values *values, const uint8_t *first, size_t bytes, uint32_t lanes);
// Lanes of the running block use a value: its doubts are told, and its reads recorded.
void check_values_use(sim_checker *checker, check_values *values, check_marks of, uint32_t lanes);
