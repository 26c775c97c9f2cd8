// SPDX-License-Identifier: MIT
// Order between blocks: what was passed on through locations of device memory by fences and
// atomics (PTX ISA, "Memory Consistency Model": release and acquire patterns). Releases of a launch
// are numbered. A thread that takes up a location knows all that was passed on through it up to
// that number, and what its givers had taken up elsewhere; so do the threads that come to know of
// this thread afterwards, by a barrier.
#ifndef SIM_CHECK_LOG_H
#define SIM_CHECK_LOG_H

#include <stdbool.h>
#include <stdint.h>

enum {
    CHECK_LOG_PLACES = 1 << 20, // locations; more: all that goes through one counts as ordered
    CHECK_WHO_WARP = 1024,      // who: a thread, CHECK_WHO_WARP + warp, or all threads
    CHECK_WHO_ALL = 1056
};

typedef struct check_log check_log;

// That a thread has taken up a location.
typedef struct check_taken {
    uint32_t place, number; // of the last release that it knows; the log fills both
    uint32_t thread, since; // who, and when; since 0: all of the block; CHECK_AT_FENCE: not yet
    uint32_t at, site;      // time of the read, and the instruction
} check_taken;
// A relaxed read takes effect with the reading thread's next fence.
#define CHECK_AT_FENCE UINT32_MAX

enum { CHECK_TAKEN_HINTS = 32 };

// What the threads of a block have taken up.
typedef struct check_seen {
    check_taken *taken;
    uint32_t count, capacity;
    uint32_t last;                     // index of the one taken up last
    uint32_t waiting;                  // those with CHECK_AT_FENCE
    uint32_t base;                     // of the block when all of it was looked through last
    uint32_t hints[CHECK_TAKEN_HINTS]; // by thread: where its last one may be
    bool all;                          // memory ran short: everything counts as ordered
} check_seen;

struct check_order;
enum { CHECK_ANY_THREAD = 1024 }; // who asks check_log_knows: not one thread but any of the block

check_log *check_log_new(void);
void check_log_free(check_log *log);
void check_log_clear(check_log *log); // another launch begins
bool check_log_is_empty(const check_log *log);

// Block `position` passes on, through `address`, all that `who` of it did before `time`.
void check_log_release(check_log *log, uint64_t address, uint64_t position, uint32_t who,
                       uint32_t time);
// It also passes on what it has seen.
void check_log_link(check_log *log, uint64_t address, const check_seen *seen);
// A thread of the block of `order`, whose `seen` is one of the two, takes up what was passed on
// through `address`. False: nothing has been.
bool check_log_acquire(check_log *log, const struct check_order *order, check_seen *seen,
                       uint64_t address, check_taken by);
// `lanes` of a warp execute a fence at `time`: what they, or threads that they know of, have read
// so far is taken up.
void check_seen_fence(const struct check_order *order, check_seen *seen, uint32_t warp,
                      uint32_t lanes, uint32_t time);
// Whether thread `me` of the block of `order` knows of what `thread` of block `position` did at
// `time`.
bool check_log_knows(check_log *log, const struct check_order *order, check_seen *seen, uint32_t me,
                     uint64_t position, uint32_t thread, uint32_t time);
// The latest of the locations seen, by thread `me` if it can be, that would tell so to threads that
// have not taken it up; NULL: none tells it by itself.
const check_taken *check_log_missed(const check_log *log, const check_seen *seen, uint32_t me,
                                    uint64_t position, uint32_t thread, uint32_t time);

void check_seen_clear(check_seen *seen);
void check_seen_free(check_seen *seen);

#endif
