// Which accesses of a launch are ordered, in a block (clock.c) and between blocks (log.c), and
// which pieces of work (work.c), with the bytes that each of them uses (uses.c).
#pragma once

#include "warps/grid.h"

// ---- log.c --------------------------------------------------------------------------------------
// Order between blocks by fences and atomics on locations of device memory (PTX ISA, "Memory
// Consistency Model": release and acquire patterns). The releases of a launch are numbered. A
// thread that acquires a location knows all accesses that were released through it up to that
// number, and all that the releasing threads had acquired elsewhere. Threads that synchronise with
// it afterwards, by a barrier, know the same.

enum {
    CHECK_LOG_LOCATIONS = 1 << 20, // locations; if there are more, every access counts as ordered
    CHECK_WHO_WARP = 1024,         // who: a thread, CHECK_WHO_WARP + warp, or all threads
    CHECK_WHO_ALL = 1056
};

typedef struct check_log check_log;

// A thread has acquired a location.
typedef struct check_taken {
    uint32_t place, number; // of the last release that it knows; the log fills both
    uint32_t thread, since; // who, and when; since 0: all threads; CHECK_AT_FENCE: not yet
    uint32_t at, site;      // time of the read, and the instruction
} check_taken;
// A relaxed read takes effect with the reading thread's next fence.
#define CHECK_AT_FENCE UINT32_MAX

enum { CHECK_TAKEN_HINTS = 32 };

// The locations that the threads of a block have acquired.
typedef struct check_seen {
    check_taken *taken;
    uint32_t count, capacity;
    uint32_t only;                     // the location of all of them; 0: of several, or none yet
    uint32_t last;                     // index of the one taken up last
    uint32_t waiting;                  // those with CHECK_AT_FENCE
    uint32_t base;                     // of the block when all of it was looked through last
    uint32_t hints[CHECK_TAKEN_HINTS]; // by thread: where its last one may be
    bool all;                          // no memory: every access counts as ordered
} check_seen;

struct check_order;
enum { CHECK_ANY_THREAD = 1024 }; // `me` of check_log_knows: any thread of the block

check_log *check_log_new(void);
void check_log_free(check_log *log);
void check_log_clear(check_log *log); // another launch begins
bool check_log_is_empty(const check_log *log);

// `who` of block `position` releases at `address` all its accesses before `time`.
void check_log_release(check_log *log, uint64_t address, uint64_t position, uint32_t who,
                       uint32_t time);
// The release includes what the block has acquired.
void check_log_link(check_log *log, uint64_t address, const check_seen *seen);
// A thread of the block of `order` acquires `address`; `seen` is one of the two of the block.
// False: nothing was released there.
bool check_log_acquire(check_log *log, const struct check_order *order, check_seen *seen,
                       uint64_t address, check_taken by);
// `lanes` of a warp execute a fence at `time`: relaxed reads by them, and by threads that they know
// of, take effect.
void check_seen_fence(const struct check_order *order, check_seen *seen, uint32_t warp,
                      uint32_t lanes, uint32_t time);
// Whether the access of `thread` of block `position` at `time` is ordered before present accesses
// of thread `me` of the block of `order`.
bool check_log_knows(check_log *log, const struct check_order *order, check_seen *seen, uint32_t me,
                     uint64_t position, uint32_t thread, uint32_t time);
// The latest acquired location, by thread `me` if possible, that orders this access for threads
// that have not acquired it; NULL: there is none.
const check_taken *check_log_missed(const check_log *log, const check_seen *seen, uint32_t me,
                                    uint64_t position, uint32_t thread, uint32_t time);

void check_seen_clear(check_seen *seen);
void check_seen_free(check_seen *seen);

// ---- clock.c ------------------------------------------------------------------------------------
// Time counts the synchronisations of a launch. A thread knows the accesses of other threads up to
// some time:
//   all threads of the block     up to the last barrier of all threads (block base)
//   the lanes of its own warp    up to the last synchronisation of the whole warp (warp base)
//   single threads               up to times of a vector, which partial barriers, partial masks and
//                                fences with atomics give; absent until one of them occurs
//   other blocks                 by fences and atomics on device memory: log.c
// A vector clock in the sense of Lamport and Mattern, kept in this form because nearly all
// synchronisation on a GPU is of the first two kinds.

enum {
    CHECK_WARPS = 32,
    CHECK_THREADS = 1024,
    CHECK_BARRIERS = 17,        // 16 of the block and that of the cluster
    CHECK_SYNC_LOCATIONS = 4096 // locations through which a block's threads synchronise
};

// Times by thread of the block. Threads with equal times share one; only a sole holder writes it.
typedef struct check_know {
    uint32_t holders;
    uint32_t at[CHECK_THREADS];
} check_know;

// The last fence of a thread. It covers the accesses of the thread before `time`, and what it knew.
typedef struct check_fence {
    uint32_t time, base, warp_base; // time 0: no fence
    check_know *know;
} check_fence;

typedef struct check_thread {
    check_know *know;             // NULL: nothing beyond the bases
    check_know *taken;            // takes effect at its next fence
    check_fence of_block, of_gpu; // last fence of at least that scope
    uint32_t proxied;             // time of its last fence.proxy.async; 0: none
} check_thread;

enum { CHECK_NO_SITE = 0xFFFFFFFFu };

typedef struct check_warp {
    uint32_t base;
    uint32_t met;           // time of the last vote, shuffle .. of the whole warp
    uint32_t met_lane[32];  // of the last one of each lane
    uint32_t alive, exited; // lanes; in neither mask: the block has no such thread
    uint32_t last_site;     // instruction of its last access to memory, or CHECK_NO_SITE
    uint8_t *local_written; // [word][lane]: a bit for each of the word's 4 bytes
    uint32_t local_bytes;   // per lane, size of local_written
} check_warp;

// The threads that have arrived at a block barrier.
typedef struct check_arrival {
    uint32_t waiting[CHECK_WARPS], passing[CHECK_WARPS]; // lanes, by warp; passing: bar.arrive
    uint32_t threads;                                    // number that the barrier expects
    uint32_t site[CHECK_WARPS];  // instruction at which the warp's first lanes arrived
    uint32_t apart[CHECK_WARPS]; // lanes on other sides of the branches of `waiting`
} check_arrival;

#define CHECK_CLUSTER (UINT64_C(1) << 61) // the barrier of the cluster that starts with this block
// An mbarrier of another block of the cluster: its position from bit 24 on, and the offset there.
#define CHECK_REMOTE_MBARRIER (UINT64_C(1) << 60)
#define CHECK_SHARED          (UINT64_C(1) << 63) // a strong access to shared memory
#define CHECK_MBARRIER        (UINT64_C(1) << 62) // an mbarrier in shared memory

typedef struct check_sync_location { // a location and the times of its last releases
    uint64_t address;                // device address, or offset in shared memory and a bit below
    check_know *know;
} check_sync_location;

typedef struct check_clock {
    uint32_t now;      // present time of the launch
    bool touched;      // memory was accessed at `now`
    check_know *spare; // linked through at[0..1]
} check_clock;

// A later time than that of every access so far.
uint32_t check_clock_advance(check_clock *clock);

typedef struct check_order { // the order of a block's accesses
    uint64_t position;       // in the schedule
    uint32_t begin, base;
    uint32_t thread_count, warp_count;
    check_warp warps[CHECK_WARPS];
    check_thread *threads;
    uint32_t knowing; // threads with a vector
    bool fenced;      // some thread has executed a fence
    bool waiting;     // some thread has a `taken`
    bool strayed;     // warps have missed a barrier: findings at later barriers follow from that
    check_arrival barriers[CHECK_BARRIERS];
    uint32_t awaited; // bits: barriers with arrivals in the present phase
    check_sync_location *places;
    uint32_t place_count;
    bool locations_full;     // then every access counts as ordered
    check_know *gpu_fences;  // times of device-wide fences before the last barrier
    check_seen seen;         // acquired from other blocks
    check_seen seen_relaxed; // by relaxed accesses: orders only what the other blocks read
} check_order;

bool check_order_begin(check_order *order, check_clock *clock, uint64_t position,
                       uint32_t thread_count);
void check_order_end(check_order *order, check_clock *clock); // drops vectors
void check_order_free(check_order *order);

void check_order_exit(check_order *order, uint32_t warp, uint32_t lanes);
void check_order_barrier(check_order *order, check_clock *clock, uint32_t barrier);
void check_order_warp(check_order *order, check_clock *clock, uint32_t warp, uint32_t lanes,
                      const uint32_t *masks);
// Lanes vote, shuffle or the like. This orders no write (CUDA C++ Programming Guide, "Warp Vote
// Functions": "do not imply a memory barrier"). It orders reads: each lane waits for the reads of
// the others. What one lane has acquired from other warps and blocks counts as acquired by all,
// because cooperative groups rely on it.
void check_order_meet(check_order *order, check_clock *clock, uint32_t warp, uint32_t lanes);
// Later writes release the writes before the fence. Relaxed reads before it take effect, unless it
// is the fence of a release.
void check_order_fence(check_order *order, check_clock *clock, uint32_t warp, uint32_t lanes,
                       bool of_gpu, bool of_release);
// `thread` arrives at the mbarrier at `address`: it releases all its accesses and what it knows.
void check_order_pass_on(check_order *order, check_clock *clock, uint32_t thread, uint64_t address);
// The same at an mbarrier of another block.
void check_order_pass_to_block(check_order *order, check_clock *clock, check_log *log,
                               uint32_t thread, uint64_t address);
// A strong write by `thread` releases what its last fence covers. `address` as in the struct above;
// `global`: other blocks may acquire it.
void check_order_release(check_order *order, check_clock *clock, check_log *log, uint32_t thread,
                         uint64_t address, bool global);
// A strong read by by.thread acquires `address`, at once or (by.since CHECK_AT_FENCE) at its next
// fence. False: nothing was released there.
bool check_order_acquire(check_order *order, check_clock *clock, check_log *log, uint64_t address,
                         bool global, check_taken by);

// A relaxed store by `thread` to device memory. It orders earlier reads of the thread: a block that
// reads the stored value may overwrite what was read. Only fences order writes.
void check_order_release_reads(check_order *order, check_clock *clock, check_log *log,
                               uint32_t thread, uint64_t address);

// Whether a vote or the like orders the read of `other` of the same warp at `time` before present
// accesses of `thread`.
static inline bool check_order_met(const check_order *order, uint32_t thread, uint32_t other,
                                   uint32_t time) {
    const check_warp *warp = &order->warps[thread / 32];
    return thread / 32 == other / 32 && (time < warp->met || (time < warp->met_lane[thread % 32] &&
                                                              time < warp->met_lane[other % 32]));
}

// Whether the access of `other` of the same block at `time` is ordered before those of `thread`.
static inline bool check_order_knows(const check_order *order, uint32_t thread, uint32_t other,
                                     uint32_t time) {
    if (time < order->base || thread == other) return true;
    if (thread / 32 == other / 32 && time < order->warps[thread / 32].base) return true;
    const check_know *know = order->threads[thread].know;
    return know && time < know->at[other];
}

// ---- work.c -------------------------------------------------------------------------------------
// Order of pieces of work (launches, copies, fills) of a program's streams: a vector clock for each
// queue, with a component for each line. A line is a queue that runs work; the work of one line is
// ordered. The host has one clock for all its threads. This can hide a mistake of a program with
// several threads, but never reports a wrong one.

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
// From now on the piece begun last comes after `other`, and after what that one knew: they
// synchronised through memory. `narrow`: by a flag of too narrow a scope, of which something else
// is told; no fence is asked for.
void check_works_learn(check_works *works, check_moment other, bool narrow);
// The same of the host: whether it has waited for a piece, and that it has from here on.
bool check_works_host_knows(const check_works *works, check_moment moment);
void check_works_host_learns(check_works *works, check_moment moment);

// Of pieces that are ordered by a flag it takes fences until one sees the data of the other (PTX
// ISA, "Causality Order"): one that releases behind the data and one that acquires before they are
// read, both of a scope that holds the two. They are known for a piece as a whole: this can hide a
// mistake, but never reports a wrong one.
// A piece has come to its end: it had fences of `scope` that release.
void check_works_released(check_works *works, check_moment piece, sim_fence scope);
// Likewise the piece begun last, that acquire.
void check_works_acquired(check_works *works, sim_fence scope);
// The scope that `other` and `piece` need.
sim_fence check_works_scope(const check_works *works, check_moment other, check_moment piece);
// Whether the piece begun last sees what `other` has written; late: behind its last fence that
// releases; early: read before the first one that acquires. *out_released: the first half is there.
bool check_works_sees(const check_works *works, check_moment other, bool late, bool early,
                      bool *out_released);
bool check_works_host_sees(const check_works *works, check_moment other, bool late);
sim_queue_kind check_works_kind(const check_works *works, check_moment moment);
// Whether two pieces are certainly of different devices.
bool check_works_are_apart(const check_works *works, check_moment a, check_moment b);

// ---- uses.c -------------------------------------------------------------------------------------
// Which pieces of work used which bytes of device memory: for each byte the last write and the
// reads since then, by pieces of work that the host has not waited for.

enum {
    CHECK_USE_WRITES = 1,
    CHECK_USE_STRONG = 2, // by atomics, volatile, relaxed ..
    CHECK_USE_ATOMIC = 4, // read and write in one
    CHECK_USE_TAKES = 8,  // strong, and may act on the value that it reads
    CHECK_USE_CALL = 16,  // by a copy, a fill, an allocation or a release; else by a kernel
    CHECK_USE_SYSTEM = 32 // strong, of the system's scope: the host and other devices see it
};
// A plain write after the last fence of this scope, or wider, of its piece of work that releases;
// a plain read before the first one that acquires.
#define CHECK_USE_LATE(scope)  (32u << (scope))
#define CHECK_USE_EARLY(scope) (128u << (scope))

// A location in the program: a line of a kernel, or a call.
typedef struct check_location {
    char file[256]; // or where the call's machine code is
    uint32_t line;  // 0: not known
    char kernel[256], call[64];
} check_location;

typedef struct check_use {
    check_moment moment;
    uint32_t place; // index
    uint32_t flags;
    uint32_t call; // index of the place that launched the kernel, + 1; 0: not told
} check_use;

// Two uses of the same bytes without an order, or with a flag between them and without its fences,
// `later` being the one that ran later.
typedef struct check_clash {
    uint32_t later, earlier;
    uint64_t address, count;
    uint32_t bytes;
} check_clash;

typedef struct check_uses check_uses;

check_uses *check_uses_new(check_works *works); // NULL: no memory
void check_uses_free(check_uses *uses);

// The index of an equal location, which may be a new one.
uint32_t check_uses_location(check_uses *uses, const check_location *place);
const check_location *check_uses_location_at(const check_uses *uses, uint32_t place);
// A use by the piece of work begun last: a number for check_uses_note; 0: no memory.
uint32_t check_uses_by(check_uses *uses, const check_use *use);
const check_use *check_uses_use(const check_uses *uses, uint32_t use);

// The use `use` of [offset, offset + bytes) of device memory, after those noted so far.
void check_uses_note(check_uses *uses, uint64_t offset, uint64_t bytes, uint32_t use);
// Drops the uses of these bytes, or all uses.
void check_uses_forget(check_uses *uses, uint64_t offset, uint64_t bytes);
void check_uses_forget_all(check_uses *uses);
// Drops all uses when there are too many. Only between two pieces of work.
void check_uses_trim(check_uses *uses);

// The next clash, one for each pair of locations; false: no more. Clashes of work that proved to be
// ordered are left out.
bool check_uses_take_clash(check_uses *uses, check_clash *out_clash);
// Whether two strong uses are of different devices, and one of them is not of the system's scope:
// then they are no flag.
bool check_uses_lack_scope(const check_uses *uses, const check_use *a, const check_use *b);

// What a finding on fences says. The last flag between the pieces of work of two uses.
typedef struct check_flag_pair {
    uint32_t write, read; // uses; 0: none
} check_flag_pair;
check_flag_pair check_uses_flag(const check_uses *uses, const check_use *a, const check_use *b);
// Whether a flag orders two uses, and a fence is missing; *out_released: not on the writing side.
bool check_uses_lack_fence(const check_uses *uses, const check_use *a, const check_use *b,
                           bool *out_released);

// ---- the host's own accesses --------------------------------------------------------------------

// Bytes, whole pages of 4096, that work in progress uses: work that the host has not waited for.
typedef struct check_pages {
    uint64_t offset, bytes;
    uint32_t flags; // sim_pages_use
} check_pages;

// The next run of such pages that touches [offset, end); false: there is none.
bool check_uses_pages(check_uses *uses, uint64_t offset, uint64_t end, check_pages *out_pages);
// The use of a byte by work in progress that conflicts with a read or write by the host; 0: none. A
// flag that a kernel has set orders the host after that kernel.
uint32_t check_uses_by_host(check_uses *uses, uint64_t offset, bool writes);
// Whether the host has seen a flag of the piece of work, which lacks a fence behind this use.
bool check_uses_host_lacks_fence(const check_uses *uses, const check_use *use);
