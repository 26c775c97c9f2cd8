// SPDX-License-Identifier: MIT
// What is ordered inside of a launch: in a block (clock.c), and between blocks (log.c).
#ifndef SIM_CHECK_ORDER_H
#define SIM_CHECK_ORDER_H

#include <stdbool.h>
#include <stdint.h>

#include "device/device.h"
#include "warps/grid.h"

// ---- order --------------------------------------------------------------------------------------

// ---- log.c --------------------------------------------------------------------------------------
// Order between blocks: what was passed on through locations of device memory by fences and
// atomics (PTX ISA, "Memory Consistency Model": release and acquire patterns). Releases of a launch
// are numbered. A thread that takes up a location knows all that was passed on through it up to
// that number, and what its givers had taken up elsewhere; so do the threads that come to know of
// this thread afterwards, by a barrier.

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
    uint32_t only;                     // the location of all of them; 0: of several, or none yet
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

// ---- clock.c ------------------------------------------------------------------------------------
// When things happened and who knows of it. Time counts synchronisations of a launch. A thread
// knows of another's accesses up to some time:
//   all threads of the block     up to the last barrier that all took part in (block base)
//   the lanes of its own warp    up to the last synchronisation of the whole warp (warp base)
//   single threads               up to times of a vector, which partial barriers, partial masks and
//                                fences with atomics give; absent until one of them occurs
//   other blocks                 by fences and atomics on device memory: log.c
// A vector clock in the sense of Lamport and Mattern, kept in this form because nearly all
// synchronisation on a GPU is of the first two kinds.

enum {
    CHECK_WARPS = 32,
    CHECK_THREADS = 1024,
    CHECK_BARRIERS = 17,     // 16 of the block and that of the cluster
    CHECK_SYNC_PLACES = 4096 // locations through which a block's threads synchronise
};

// Times by thread of the block. Shared by the threads that know the same; written only by a sole
// holder.
typedef struct check_know {
    uint32_t holders;
    uint32_t at[CHECK_THREADS];
} check_know;

// What a thread's last fence covers: its own accesses before `time`, and what it knew.
typedef struct check_fence {
    uint32_t time, base, warp_base; // time 0: no fence
    check_know *know;
} check_fence;

typedef struct check_thread {
    check_know *know;             // NULL: nothing beyond the bases
    check_know *taken;            // what it has read, and will know of at its next fence
    check_fence of_block, of_gpu; // last fence of at least that scope
    uint32_t proxied;             // time of its last fence.proxy.async; 0: none
} check_thread;

enum { CHECK_NO_SITE = 0xFFFFFFFFu };

typedef struct check_warp {
    uint32_t base;
    uint32_t met;           // time of the last vote, shuffle .. of the whole warp
    uint32_t met_lane[32];  // and of one that a lane took part in
    uint32_t alive, exited; // lanes; neither: the block has no such thread
    uint32_t last_site;     // instruction of its last access to memory, or CHECK_NO_SITE
    uint8_t *local_written; // [word][lane]: a bit for each of the word's 4 bytes
    uint32_t local_bytes;   // a lane, that local_written has room for
} check_warp;

// Who has come to a block barrier.
typedef struct check_arrival {
    uint32_t waiting[CHECK_WARPS], passing[CHECK_WARPS]; // lanes, by warp; passing: bar.arrive
    uint32_t threads;                                    // that the barrier asks for
    uint32_t site[CHECK_WARPS];  // instruction at which the warp's first lanes came
    uint32_t apart[CHECK_WARPS]; // other sides of branches that `waiting` lanes are in
} check_arrival;

#define CHECK_CLUSTER (UINT64_C(1) << 61) // the barrier of the cluster that starts with this block
// An mbarrier of another block of the cluster: its position from bit 24 on, and the offset there.
#define CHECK_REMOTE_MBARRIER (UINT64_C(1) << 60)
#define CHECK_SHARED          (UINT64_C(1) << 63) // a strong access to shared memory
#define CHECK_MBARRIER        (UINT64_C(1) << 62) // what an mbarrier there tells

typedef struct check_sync_place { // a location with what its last releases pass on
    uint64_t address;             // device address, or offset in shared memory and a bit below
    check_know *know;
} check_sync_place;

typedef struct check_clock {
    uint32_t now;      // of the launch's accesses at present
    bool touched;      // memory was accessed at `now`
    check_know *spare; // linked through at[0..1]
} check_clock;

// A later time than that of every access so far.
uint32_t check_clock_advance(check_clock *clock);

typedef struct check_order { // the part of a block's state that says what is ordered
    uint64_t position;       // in the schedule
    uint32_t begin, base;
    uint32_t thread_count, warp_count;
    check_warp warps[CHECK_WARPS];
    check_thread *threads;
    uint32_t knowing; // threads with a vector
    bool fenced;      // some thread has executed a fence
    bool waiting;     // some thread has taken up what it will know at its next fence
    bool strayed;     // warps have gone by a barrier: what later barriers see follows from that
    check_arrival barriers[CHECK_BARRIERS];
    uint32_t awaited; // barriers at which some have arrived since they opened last, as bits
    check_sync_place *places;
    uint32_t place_count;
    bool places_full;        // then what goes through a location counts as ordered
    check_know *gpu_fences;  // times of device-wide fences that a barrier has made known to all
    check_seen seen;         // of other blocks
    check_seen seen_relaxed; // likewise, by relaxed accesses: enough for what these had only read
} check_order;

bool check_order_begin(check_order *order, check_clock *clock, uint64_t position,
                       uint32_t thread_count);
void check_order_end(check_order *order, check_clock *clock); // drops vectors
void check_order_free(check_order *order);

void check_order_exit(check_order *order, uint32_t warp, uint32_t lanes);
void check_order_barrier(check_order *order, check_clock *clock, uint32_t barrier);
void check_order_warp(check_order *order, check_clock *clock, uint32_t warp, uint32_t lanes,
                      const uint32_t *masks);
// Lanes vote, shuffle or the like. None sees what another one of them has written (CUDA C++
// Programming Guide, "Warp Vote Functions": "do not imply a memory barrier"). Each waits for what
// the others have read; and what one has taken up from other warps and blocks, such as that they
// have come to a barrier, counts as taken up by all, because cooperative groups rely on it.
void check_order_meet(check_order *order, check_clock *clock, uint32_t warp, uint32_t lanes);
// What was written before it is passed on by later writes; unless it is that of a release, what was
// read before it takes effect.
void check_order_fence(check_order *order, check_clock *clock, uint32_t warp, uint32_t lanes,
                       bool of_gpu, bool of_release);
// `thread` passes on, through `address`, all that it has done and knows: an arrival at an mbarrier.
void check_order_pass_on(check_order *order, check_clock *clock, uint32_t thread, uint64_t address);
// The same at an mbarrier of another block.
void check_order_pass_to_block(check_order *order, check_clock *clock, check_log *log,
                               uint32_t thread, uint64_t address);
// A strong write by `thread`: passes on what its last fence covers. `address` as in
// check_sync_place; `global`: other blocks may take it up.
void check_order_release(check_order *order, check_clock *clock, check_log *log, uint32_t thread,
                         uint64_t address, bool global);
// A strong read by by.thread: takes up what was passed on, at once or (by.since CHECK_AT_FENCE)
// with its next fence. False: there is nothing.
bool check_order_acquire(check_order *order, check_clock *clock, check_log *log, uint64_t address,
                         bool global, check_taken by);

// A relaxed store by `thread` to device memory. A value that another block computes from what it
// finds there comes after the reads that this one came from, so that it may overwrite what was
// read; writes are ordered by fences alone.
void check_order_release_reads(check_order *order, check_clock *clock, check_log *log,
                               uint32_t thread, uint64_t address);

// Whether a vote or the like has made `thread` wait for what `other` of its warp had read at
// `time`.
static inline bool check_order_met(const check_order *order, uint32_t thread, uint32_t other,
                                   uint32_t time) {
    const check_warp *warp = &order->warps[thread / 32];
    return thread / 32 == other / 32 && (time < warp->met || (time < warp->met_lane[thread % 32] &&
                                                              time < warp->met_lane[other % 32]));
}

// Whether `thread` knows of what `other` of the same block did at `time`.
static inline bool check_order_knows(const check_order *order, uint32_t thread, uint32_t other,
                                     uint32_t time) {
    if (time < order->base || thread == other) return true;
    if (thread / 32 == other / 32 && time < order->warps[thread / 32].base) return true;
    const check_know *know = order->threads[thread].know;
    return know && time < know->at[other];
}

// ---- uses.c -------------------------------------------------------------------------------------
// What is ordered between pieces of work (work.c), and which of them used which bytes (uses.c).

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
