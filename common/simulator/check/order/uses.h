// SPDX-License-Identifier: MIT
// What is ordered between pieces of work (work.c), and which of them used which bytes (uses.c).
#ifndef SIM_CHECK_USES_H
#define SIM_CHECK_USES_H

#include <stdbool.h>

#include "device/device.h"

// ---- work.c -------------------------------------------------------------------------------------
// Order of pieces of work (launches, copies, fills) of a program's streams: a vector clock for each
// queue, with a component for each line. A line is a queue in which work is done; what is in one
// line is ordered. The host is one such clock, whichever of its threads calls: that can hide a
// mistake of a program with several, never make one up.

typedef struct check_works check_works;

// A piece of work: the number-th of its line, from 1. number 0: none.
typedef struct check_moment {
    uint32_t line, number;
} check_moment;

check_works *check_works_new(void); // NULL: no memory
void check_works_free(check_works *works);

// A piece of work begins in a queue, submitted by the host now.
check_moment check_works_begin(check_works *works, sim_queue queue);
void check_works_after(check_works *works, sim_queue queue, sim_queue other);
void check_works_gone(check_works *works, sim_queue queue);
void check_works_wait_all(check_works *works);

// Whether the piece begun last comes after another one, and whether the host has waited for all
// that was begun. When memory runs short everything counts as ordered.
bool check_works_knows(const check_works *works, check_moment other);
bool check_works_all_known(const check_works *works);
// It comes after it from here on: they have told each other through memory.
void check_works_learn(check_works *works, check_moment other);
// The same of the host: whether it has waited for a piece, and that it has from here on.
bool check_works_host_knows(const check_works *works, check_moment moment);
void check_works_host_learns(check_works *works, check_moment moment);
sim_queue_kind check_works_kind(const check_works *works, check_moment moment);

// ---- uses.c -------------------------------------------------------------------------------------
// Which pieces of work used which bytes of device memory: for each byte the last write and the
// reads since then, by pieces of work that the host has not waited for.

enum {
    CHECK_USE_WRITES = 1,
    CHECK_USE_STRONG = 2, // by atomics, volatile, relaxed ..
    CHECK_USE_ATOMIC = 4, // read and write in one
    CHECK_USE_TAKES = 8,  // strong, and may act on the value that it finds
    CHECK_USE_CALL = 16,  // by a copy, a fill, an allocation or a release; else by a kernel
    CHECK_USE_SYSTEM = 32 // an atomic whose scope is the system: the host sees it
};

// A place in the program: a line of a kernel, or a call.
typedef struct check_place {
    char file[256]; // or where the call's machine code is
    uint32_t line;  // 0: not known
    char kernel[256], call[64];
} check_place;

typedef struct check_use {
    check_moment moment;
    uint32_t place; // index
    uint32_t flags;
    uint32_t call; // index of the place that launched the kernel, + 1; 0: not told
} check_use;

// Two uses of the same bytes without an order, `later` being the one that ran later.
typedef struct check_clash {
    uint32_t later, earlier;
    uint64_t address, count;
    uint32_t bytes;
} check_clash;

typedef struct check_uses check_uses;

check_uses *check_uses_new(check_works *works); // NULL: no memory
void check_uses_free(check_uses *uses);

// The index of an equal place, which may be a new one.
uint32_t check_uses_place(check_uses *uses, const check_place *place);
const check_place *check_uses_place_at(const check_uses *uses, uint32_t place);
// What the piece of work begun last does at a place: a number for check_uses_note; 0: no memory.
uint32_t check_uses_by(check_uses *uses, const check_use *use);
const check_use *check_uses_use(const check_uses *uses, uint32_t use);

// The use `use` of [offset, offset + bytes) of device memory, after those noted so far.
void check_uses_note(check_uses *uses, uint64_t offset, uint64_t bytes, uint32_t use);
// What was noted of these bytes, or of all, is without interest from here on.
void check_uses_forget(check_uses *uses, uint64_t offset, uint64_t bytes);
void check_uses_forget_all(check_uses *uses);
// Likewise of all, when it has become too much. Between two pieces of work only.
void check_uses_trim(check_uses *uses);

// The next clash of what was noted, one for each pair of places; false: no more. Those of work that
// has turned out to be ordered are left out.
bool check_uses_take_clash(check_uses *uses, check_clash *out_clash);

// ---- the host's own accesses --------------------------------------------------------------------

// Bytes, whole pages of 4096, that work in progress uses: work that the host has not waited for.
typedef struct check_pages {
    uint64_t offset, bytes;
    uint32_t flags; // sim_pages_use
} check_pages;

// The next run of such pages that touches [offset, end); false: there is none.
bool check_uses_pages(check_uses *uses, uint64_t offset, uint64_t end, check_pages *out_pages);
// The use of a byte by work in progress that a read or write by the host goes against; 0: none. A
// flag that a kernel has set tells the host of that kernel.
uint32_t check_uses_by_host(check_uses *uses, uint64_t offset, bool writes);

#endif
