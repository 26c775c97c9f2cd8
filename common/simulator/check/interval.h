// SPDX-License-Identifier: MIT
// A block's shared memory between two barriers, while its accesses are words in rows that do not
// conflict, as nearly all are: few bits for 32 cells tell so, and the accesses themselves are only
// noted. The barrier that ends the interval orders all of them before whatever follows, so they are
// forgotten at once; shadow cells (race.c) never hear of them. Loads do not even need the bits
// before a store comes (sim_row_notes). What needs a closer look closes the interval: the cells are
// told what was noted, and then what follows.
#ifndef SIM_CHECK_INTERVAL_H
#define SIM_CHECK_INTERVAL_H

#include "check/internal.h"

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

#endif
