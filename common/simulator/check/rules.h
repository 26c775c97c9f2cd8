// The other checks: the asynchronous proxy, registers of wgmma, phases of mbarriers, order between
// streams; and what the text of a finding is made of, paths and patterns.
#pragma once

#include "check/internal.h"

// ---- async.c ------------------------------------------------------------------------------------
// What reads shared memory asynchronously, bulk copies and products (wgmma, tcgen05): of what
// ordinary stores have written (PTX ISA, "Proxies"), and of the tiles of a product until its wait.

// Reads shared memory by the asynchronous proxy.
static inline bool check_is_async(const sim_instr *instr) {
    return sim_is_bulk(instr) || sim_is_wgmma(instr) || sim_is_tmem_work(instr);
}

// Lanes execute fence.proxy.async.
void check_proxy_fence(sim_checker *checker, const sim_sync_event *event);
// A bulk copy, or a product of a warp group, reads shared memory.
void check_proxy(sim_checker *checker, const sim_access_event *event, uint32_t site);

// A bulk store begins to read its source; lanes commit a group of them, or wait for groups; the
// block has ended.
void check_stores_begin(sim_checker *checker, const sim_access_event *event, uint32_t site);
void check_stores_group(sim_checker *checker, const sim_sync_event *event);
void check_stores_end(sim_checker *checker, check_block *block);

// A product reads a tile, when it is issued or when it has ended.
void check_products_read(sim_checker *checker, const sim_access_event *event, uint32_t site);
// A block has ended: whether all warps of each group issued as many products.
void check_products_end(sim_checker *checker, const check_block *block);

// ---- tmem.c -------------------------------------------------------------------------------------
// Tensor memory (tcgen05): cells that are used while something still works on them (PTX ISA 9.1,
// section 9.7.16.6), and products that nobody waits for.

// A use of tensor memory, a commit or a wait.
void check_on_tmem(void *context, const sim_tmem_event *event);
// A commit reaches its mbarrier, before the event passes on what its thread knows.
void check_tmem_arrive(sim_checker *checker, const sim_sync_event *event);
// A warp has waited for an mbarrier, or a block has met at a barrier.
void check_tmem_wait(sim_checker *checker, const sim_sync_event *event);
// A block has ended; its state goes.
void check_tmem_end(sim_checker *checker, check_block *block);
void check_tmem_forget(check_block *block);

// ---- registers.c --------------------------------------------------------------------------------
// Registers of products of warp groups (wgmma): PTX ISA 9.0, "Asynchronous wgmma" and
// "wgmma.fence". Accumulators belong to the product until its wait, parts of A may be read until
// then, and what a thread has written is the product's only behind a fence.

// Before an instruction of a warp of the current block, of a kernel with products.
void check_registers_step(sim_checker *checker, const sim_warp *warp, const sim_instr *instr);
// Another block begins; and its memory goes.
void check_registers_begin(check_block *block);
void check_registers_free(check_block *block);

// ---- phases.c -----------------------------------------------------------------------------------
// Phases of mbarriers: who has waited for which. A wait names a parity alone, so that a second wait
// for a phase that has ended already succeeds at once (PTX ISA, "mbarrier.test_wait").

// A thread has arrived at an mbarrier or has found a phase ended.
void check_phases_pass(sim_checker *checker, const sim_sync_event *event);
// The object at this offset of the block is made anew, by `thread` at `time` in line `site`.
void check_phases_init(check_block *block, uint32_t offset, uint32_t thread, uint32_t time,
                       uint32_t site);
// The first thread that uses an mbarrier of its block without knowing that another one has made it,
// before it takes up what others passed on there; CHECK_NO_THREAD: there is none.
enum { CHECK_NO_THREAD = UINT32_MAX };
uint32_t check_phases_stranger(const sim_checker *checker, const sim_access_event *event);
// Tells of it, once for each mbarrier.
void check_phases_report(sim_checker *checker, const sim_access_event *event, uint32_t thread,
                         uint32_t site);
// A bulk copy begins, whose bytes an mbarrier counts.
void check_phases_copy(sim_checker *checker, const sim_access_event *event);
// What is wrong with the mbarrier between two accesses of a block's shared memory that race, as a
// text; NULL: none is seen to be between them.
typedef struct check_phases_race {
    uint32_t first, second; // threads: of the earlier access, of the present one
    uint32_t time;          // of the first access
    bool writes, pending;   // it writes; it is a bulk copy that is under way
    uint64_t offset;        // in shared memory
} check_phases_race;
const char *check_phases_advice(const check_block *block, const check_phases_race *race);
// A block has ended: threads that took an old phase for the next one, which ended without them.
void check_phases_end(sim_checker *checker, const check_block *block);
// Another block begins, or its memory goes.
void check_phases_forget(check_block *block);

// ---- streams.c ----------------------------------------------------------------------------------
// The checker's side of the order of work, shared by streams.c (what the program does, findings)
// and gather.c (what its kernels used). While the default stream is the only one nothing is
// gathered: a few launches are remembered, whose accesses the shadow cells still hold when another
// one appears.

enum { CHECK_LATE_LAUNCHES = 64, CHECK_PAGE_SHIFT = 12 };

// A launch whose accesses are in the shadow cells only.
typedef struct check_late {
    uint32_t begin; // time
    // By scope: times of the last fence that releases, and of the first that acquires; 0: none.
    uint32_t released[SIM_FENCE_SYS + 1], acquired[SIM_FENCE_SYS + 1];
    check_moment moment;
    const sim_program *program;
    const sim_function *kernel;
    uint32_t call; // as check_use has it
} check_late;

typedef struct check_clash_pair { // a finding by its places
    uint32_t later, earlier, finding;
} check_clash_pair;

typedef struct check_streams {
    check_works *works;
    check_uses *uses;
    bool many; // there has been more than the default stream
    check_late late[CHECK_LATE_LAUNCHES];
    uint32_t late_count;
    check_late now;       // the launch under way
    uint32_t before;      // launch_begin when it was submitted
    check_moment copying; // the piece of work that copies and fills are of; number 0: none
    uint32_t copying_location;
    char last_call[512]; // text of the last piece of work, and its place
    uint32_t last_place;
    uint32_t launching; // check_late.call of the next launch
    uint8_t *touched;   // [touched_pages], whether a kernel accessed a page since it was gathered
    uint64_t touched_pages;
    uint32_t *list; // those pages
    uint32_t list_count, list_capacity;
    check_clash_pair *pairs;
    uint32_t pair_count, pair_capacity;
} check_streams;

// streams.c: a block has executed a fence of this scope: it acquires what the block has polled, and
// releases with the next flag that the block sets.
void check_streams_fence(sim_checker *checker, check_block *block, uint8_t scope);
// A block has set a flag, or polled one, by an access that releases or acquires itself, or neither.
void check_streams_set(sim_checker *checker, check_block *block, uint8_t scope, bool releases);
void check_streams_poll(sim_checker *checker, check_block *block, uint8_t scope, bool acquires);
// gather.c: notes what the launches of `late` used, the pages of which are forgotten then.
void check_gather(sim_checker *checker);
// Room for flags of as many bytes of device memory; false: no memory.
bool check_touched_reserve(check_streams *streams, uint64_t bytes);

// ---- paths.c ------------------------------------------------------------------------------------
// Paths that a thread may take through a function.

typedef struct check_paths {
    const sim_program *program;
    const sim_function *function;
    sim_arena *arena;
    sim_cfg cfg;
    uint32_t *to_see; // [blocks]
    bool *seen;       // [blocks]
    bool barred;      // paths end at barriers ..
    bool one_warp;    // .. and at what orders the lanes of a warp
} check_paths;

// Of a function of `program`; false: no memory. Close it in either case.
bool check_paths_open(const sim_program *program, const sim_function *function,
                      check_paths *out_paths);
void check_paths_close(check_paths *paths);
// Whether a thread can come from behind pc `from` to pc `to`; `jumps_back`: also by another
// iteration of a loop.
bool check_paths_lead(const check_paths *paths, uint32_t from, uint32_t to, bool jumps_back);
// Whether basic block `block` ends in a branch of which one side leads to block `to` and another
// one does not.
bool check_paths_decides(const check_paths *paths, uint32_t block, uint32_t to);
// Whether a branch above pc, in the same iteration of the loop around it, leads past it.
bool check_paths_passed_by(const check_paths *paths, uint32_t pc);
// Whether what the load at pc brings decides a branch, or goes into a vote, a shuffle or the like:
// then it has been read before lanes go on behind that. True also without memory to find out.
bool check_paths_feed_reconvergence(const check_paths *paths, uint32_t pc);

// ---- pattern.c ----------------------------------------------------------------------------------
// What the two accesses of a race have to do with each other in the program, and which order is
// missing between them: the advice of a finding, and which findings have one cause.

// The two accesses of a race.
typedef struct check_accesses {
    uint32_t sites[2];
    bool writes[2];
    bool one_warp;    // by lanes of one warp
    bool other_block; // by two blocks
} check_accesses;

// The pattern of the accesses in the running grid's program.
check_note check_pattern_of(const sim_checker *checker, const check_accesses *accesses);
// Writes what to do about it to text; false: the pattern does not say.
bool check_pattern_advice(const check_note *note, char *text, size_t text_bytes);
// A launch has come to its end: where an access races with lanes of its warp, and no finding says
// that it races with other warps, too, the barrier of a warp is what is advised from here on.
void check_pattern_settle(sim_checker *checker);
// Whether what removes the race of `first` removes that of `other`, too: both of one kernel.
bool check_pattern_has_same_cause(const check_note *first, const check_note *other);
