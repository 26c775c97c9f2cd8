// SPDX-License-Identifier: MIT
// One access on its way to a finding of the kind race: the interval in which it is noted, the
// shadow cells, flags and locks, and values that nobody stored.
#ifndef SIM_CHECK_RACE_H
#define SIM_CHECK_RACE_H

#include "check/internal.h"
#include "warps/warp.h"

// ---- interval.c ---------------------------------------------------------------------------------
// A block's shared memory between two barriers, while its accesses are words in rows that do not
// conflict, as nearly all are: few bits for 32 cells tell so, and the accesses themselves are only
// noted. The barrier that ends the interval orders all of them before whatever follows, so they are
// forgotten at once; shadow cells (race.c) never hear of them. Loads do not even need the bits
// before a store comes (sim_row_notes). What needs a closer look closes the interval: the cells are
// told what was noted, and then what follows.

enum { CHECK_STRIP = 32 };

// 32 cells in a row. Cell c is at home with thread home + c (32 bits, which wrap).
struct check_strip {
    uint32_t begin;         // of the interval that the rest is of; of another one: nothing yet
    uint32_t home;          // cells are written by the threads that they are at home with
    uint32_t used, written; // cells, as bits, by that thread
    uint32_t read;          // by other threads
};

// A block begins, or all of its threads have met at a barrier: nothing has been done since.
void check_interval_begin(sim_checker *checker, check_block *block);
// All of its threads meet: accesses so far are ordered before what follows.
void check_interval_end(sim_checker *checker, check_block *block);
// Judges the loads that have been noted. To be called before anything is stored or told, and before
// time goes on.
void check_interval_settle_loads(sim_checker *checker, check_block *block);
static inline void check_interval_settle(sim_checker *checker) {
    check_block *block = checker->current;
    if (block && checker->row_notes->count != block->interval.settled)
        check_interval_settle_loads(checker, block);
}
// The cells are told what was noted; what follows goes to them until the next interval begins. To
// be called before anything else looks at them, or threads of the block get to know of each other
// by other means than barriers of all and of whole warps.
void check_interval_close_open(sim_checker *checker, check_block *block);
static inline void check_interval_close(sim_checker *checker, check_block *block) {
    if (block->interval.is_open) check_interval_close_open(checker, block);
}

// Cells of a strip that are at `home` with the threads which read or write them. False: there may
// be a conflict.
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

// Of a full warp whose halves access words in a row each, or one word each. False as above.
bool check_interval_halves(check_interval *interval, const sim_row_note *access);

// Words in rows. False: the access may conflict with others of the interval.
static inline bool check_interval_fits(check_interval *interval, const sim_row_note *access) {
    enum { WORD_BYTES = 4, HALF_BYTES = 16 * WORD_BYTES };
    uint32_t a = access->base[0] / WORD_BYTES;
    bool one_row = access->stride == WORD_BYTES && access->base[1] - access->base[0] == HALF_BYTES;
    if (!one_row) return check_interval_halves(interval, access);
    return check_interval_access(interval, a, CHECK_STRIP * access->warp - a, access->lanes,
                                 access->is_store);
}

// The site of a warp's last access, or CHECK_NO_SITE; keeps it.
uint32_t check_last_site(const sim_checker *checker, uint32_t warp);
static inline void check_note_site(sim_checker *checker, check_warp *of, uint32_t warp,
                                   uint32_t site) {
    checker->row_notes->last[warp] = NULL;
    if (of->alive) of->last_site = site;
}

// ---- conflict.c ---------------------------------------------------------------------------------
// One access on its way through the shadow cells: what race.c (cells, compiled for each host
// variant), conflict.c (judging), conflict.c (telling) and unknown.c share.

// What the cells of one access are compared with.
typedef struct check_pass {
    sim_checker *checker;
    const sim_access_event *event;
    check_order *order;
    check_cells *cells;
    uint64_t origin;     // address of cell 0
    check_record floor;  // records below do not count
    check_record since;  // records from here on are of this block
    check_record base;   // of these, records below are ordered before everything now
    check_record warp;   // records from here on are of the newest stretch of the warp
    check_record record; // of lane 0 of this warp, now
    bool follow;         // order may come by more than barriers and whole warps
    bool verifies;       // an atomic that a thread may have prepared by a plain read
    bool read_only; // a load by the read-only path, or a write where the kernel has such loads:
                    // no order between them counts
    bool defers;    // a load that is compared, not recorded (unknown.c)
    uint64_t *overwritten; // the read that it is compared with has not been used: gets the doubt
    bool unknown;          // a store whose values may be unknown (unknown.c)
} check_pass;

// The position of the block whose access has this record.
uint64_t check_pass_owner(const sim_checker *checker, check_record record);
// Whether the access of `record` is ordered before one of `thread` now.
bool check_pass_knows(const check_pass *pass, check_record record, uint32_t thread);
// Whether the access of `record` and one of `thread` now may be a race.
bool check_pass_collides(const check_pass *pass, check_record record, uint32_t thread);
// Whether one of the two, the access of `old` and that of the lane, is a load by the read-only
// path, and the other a write of the same launch by another thread or before the load, which is
// told.
bool check_pass_stale(const check_pass *pass, uint64_t cell, check_record old, uint32_t lane);
// They do: a finding, unless both store one value.
void check_pass_conflict(const check_pass *pass, uint64_t cell, check_record old, bool old_is_write,
                         uint32_t lane);

// ---- flags.c ------------------------------------------------------------------------------------
// Advice for data that is handed on by a flag or a lock in memory without what orders it.

// Of the access of `old` by block `owner`, and that of `thread` now. False: no flag or lock is
// between them.
bool check_flag_advice(const check_pass *pass, check_record old, bool old_is_write, uint32_t thread,
                       uint64_t owner, char *text, size_t bytes);

// ---- unknown.c ----------------------------------------------------------------------------------
// Values of shared memory that nobody has stored, on their way through registers and back to
// memory: told when they are used. Likewise what a load has read that may have come before the test
// that asks for its value (sim_instr.dropped): as a race only once something uses it. Doubts
// (internal.h) come as a set, bit i for number i + 1.

// Whether it is a load whose value can be followed.
static inline bool check_unknown_follows(const sim_access_event *event) {
    return event->kind == SIM_ACCESS_READ && event->instr->op == SIM_OP_LD && event->state;
}
// Whether it is followed when nobody has stored what it reads.
bool check_unknown_may_load(const sim_access_event *event);
// A lane loads, at `offset` from its address, bytes of which there are doubts; where they are not
// followed, the doubts are told.
void check_unknown_load(sim_checker *checker, const sim_access_event *event, uint32_t lane,
                        uint64_t offset, uint64_t bytes, uint64_t doubts);
// Whether the warp of a store may hold unknown values.
static inline bool check_unknown_may_store(const sim_access_event *event) {
    return event->kind == SIM_ACCESS_WRITE && event->state &&
           (event->state->watched & SIM_WATCHED_BY_OBSERVER);
}
// The doubts of what a lane stores at `offset` from its address.
uint64_t check_unknown_stored(const sim_checker *checker, const sim_access_event *event,
                              uint32_t lane, uint64_t offset);
// Lanes store to memory where what is unknown is not kept: told.
void check_unknown_leaves(sim_checker *checker, const sim_access_event *event);
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

// Before an instruction of a warp; false: it holds no unknown value.
bool check_unknown_step(sim_checker *checker, const sim_warp *warp, const sim_instr *instr,
                        uint32_t lanes, uint32_t on);

#endif
