// SPDX-License-Identifier: MIT
// Order between blocks: what was passed on through locations of device memory by fences and
// atomics (PTX ISA, "Memory Consistency Model": release and acquire patterns). Releases of a launch
// are numbered. A block that takes up a location knows all that was passed on through it up to
// that number, and what its givers had taken up elsewhere.
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

// Locations that a block has taken up, with the number of the last release that it knows.
typedef struct check_seen {
    uint32_t *places, *numbers;
    uint32_t count, capacity;
    uint32_t last; // index of the one taken up last
    bool all;      // memory ran short: everything counts as ordered
} check_seen;

check_log *check_log_new(void);
void check_log_free(check_log *log);
void check_log_clear(check_log *log); // another launch begins
bool check_log_is_empty(const check_log *log);

// Block `position` passes on, through `address`, all that `who` of it did before `time`.
void check_log_release(check_log *log, uint64_t address, uint64_t position, uint32_t who,
                       uint32_t time);
// It also passes on what it has seen.
void check_log_link(check_log *log, uint64_t address, const check_seen *seen);
// It takes up what was passed on through `address`.
void check_log_acquire(check_log *log, uint64_t address, check_seen *seen);
// Whether a block that has `seen` knows of what `thread` of block `position` did at `time`.
bool check_log_knows(check_log *log, const check_seen *seen, uint64_t position, uint32_t thread,
                     uint32_t time);

void check_seen_clear(check_seen *seen);
void check_seen_free(check_seen *seen);

#endif
