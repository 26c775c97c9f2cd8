// SPDX-License-Identifier: MIT
// What the executor's events mean to the checks: reads of memory that nobody wrote, barriers and
// masks that PTX leaves undefined, and passing accesses on to race.c. A load counts as
// uninitialised only when none of its bytes were written, so that padding of structures and the
// unused end of a vector raise no alarm.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/kernel_name.h"
#include "check/bits.h"
#include "check/internal.h"
#include "program/matrix_layout.h"

// ---- blocks -------------------------------------------------------------------------------------

static __attribute__((noinline)) check_block *switch_to_another(sim_checker *checker,
                                                                uint64_t position) {
    checker->current = check_block_at(checker, position);
    checker->clock.touched = true;
    checker->current_since = check_clock_advance(&checker->clock);
    if (checker->owner_count == checker->owner_capacity) {
        uint64_t capacity = checker->owner_capacity ? checker->owner_capacity * 2 : 1024;
        check_owner *grown = realloc(checker->owners, capacity * sizeof *grown);
        if (!grown) {
            checker->exhausted = true;
            return checker->current;
        }
        checker->owners = grown;
        checker->owner_capacity = capacity;
    }
    checker->owners[checker->owner_count++] = (check_owner){checker->current_since, position};
    return checker->current;
}

// Makes the block at `position` the one that runs.
static inline check_block *switch_to(sim_checker *checker, uint64_t position) {
    check_block *current = checker->current;
    if (current && current->order.position == position) return current;
    return switch_to_another(checker, position);
}

static bool reserve_shared(check_block *block, uint32_t bytes) {
    block->shared_bytes = bytes;
    if (bytes <= block->shared_capacity) return true;
    uint32_t capacity = (bytes + 1023) / 1024 * 1024;
    free(block->shared_written);
    free(block->shared.write);
    block->shared_capacity = 0;
    block->shared_written = calloc(capacity / 64 + 1, sizeof *block->shared_written);
    block->shared.write = calloc(1, CHECK_CELLS_BYTES((uint64_t)capacity));
    if (!block->shared_written || !block->shared.write) return false;
    check_cells_split(&block->shared, capacity);
    block->shared_capacity = capacity;
    return true;
}

void check_on_block_begin(void *context, uint32_t worker, uint64_t position,
                          uint32_t shared_bytes) {
    (void)worker;
    sim_checker *checker = context;
    const sim_grid *grid = checker->grid;
    uint32_t threads = grid->block.x * grid->block.y * grid->block.z;
    check_block *block = check_block_at(checker, position);
    if (!check_order_begin(&block->order, &checker->clock, position, threads) ||
        !reserve_shared(block, shared_bytes ? shared_bytes : 1))
        checker->exhausted = true;
    checker->current = NULL;
    switch_to(checker, position);
    if (checker->clock.now >= CHECK_TIME_MAX) checker->exhausted = true;
    memset(block->remote, 0, sizeof block->remote);
    block->met = false;
    block->written_below = 0;
    block->shared.any_strong = false;
    block->shared.shift = checker->bytewise_shared ? 0 : 2;
    if (block->shared_written)
        memset(block->shared_written, 0, block->shared_capacity / 64 * sizeof(uint64_t));
    // The library clears its barriers there bit by bit, by atomics on what it finds.
    const sim_function *function = grid->function;
    if (block->shared_written && function->scratch_bytes)
        check_bits_set(block->shared_written, function->scratch_offset, function->scratch_bytes);
}

// Its shared memory goes with a block: what others of the cluster did there must be over.
static void check_remote_users(sim_checker *checker, const check_block *block) {
    static const char text[] =
        "nothing keeps the block from ending while another one of its cluster uses its shared "
        "memory: cluster.sync() before it returns does";
    uint32_t each = sim_grid_cluster_blocks(checker->grid);
    uint64_t position = block->order.position, first = position / each * each;
    for (uint32_t i = 0; i < block->order.warp_count; i++)
        if (block->order.warps[i].alive) return; // it has not ended but faulted
    for (uint32_t rank = 0; rank < each; rank++) {
        check_record record = block->remote[rank];
        uint32_t thread = check_record_thread(record), site = check_record_site(record);
        if (!record || check_log_knows(checker->log, &block->order.seen, first + rank, thread,
                                       check_record_time(record)))
            continue;
        bool is_new;
        sim_finding *finding =
            check_find(checker, SIM_CHECK_CLUSTER_LIFE, site, CHECK_NO_SITE, &is_new);
        if (!finding || !is_new) continue;
        check_find_side(checker, &finding->sides[0], SIM_ACTION_NONE, site, first + rank, thread);
        strcpy(finding->text, text);
    }
}

// Blocks of a cluster know of each other what each did before the barrier.
static void meet_cluster(sim_checker *checker, uint64_t first) {
    uint32_t each = sim_grid_cluster_blocks(checker->grid);
    uint64_t address = CHECK_CLUSTER | first;
    for (uint32_t i = 0; i < each; i++) {
        check_order *order = &check_block_at(checker, first + i)->order;
        check_log_release(checker->log, address, first + i, CHECK_WHO_ALL, order->base);
        if (order->seen.count + order->seen.all)
            check_log_link(checker->log, address, &order->seen);
    }
    for (uint32_t i = 0; i < each; i++) {
        check_block *block = check_block_at(checker, first + i);
        check_log_acquire(checker->log, address, &block->order.seen);
        block->met = true;
    }
}

void check_on_block_end(void *context, uint32_t worker, uint64_t position) {
    (void)worker;
    sim_checker *checker = context;
    check_block *block = check_block_at(checker, position);
    check_remote_users(checker, block);
    check_order_end(&block->order, &checker->clock);
    if (block->copies && block->shared.write) // some may never have arrived
        memset(block->shared.write, 0, block->shared_capacity * sizeof(check_record));
    block->copies = false;
}

// ---- uninitialised memory -----------------------------------------------------------------------

static void report_unwritten(sim_checker *checker, const sim_access_event *event, uint32_t lane) {
    // Merges of the toolkit read one key past the last and do not use it.
    if (event->space == PTX_SPACE_SHARED && sim_kernel_library(checker->grid->function->name))
        return;
    uint32_t site = check_site(checker, event->function, event->instr);
    bool is_new;
    sim_finding *finding =
        check_find(checker, SIM_CHECK_UNINITIALISED, site, CHECK_NO_SITE, &is_new);
    if (!finding || !is_new) return;
    check_find_side(checker, &finding->sides[0],
                    event->kind == SIM_ACCESS_READ ? SIM_ACTION_READ : SIM_ACTION_ATOMIC, site,
                    checker->current->order.position, 32 * event->warp + lane);
    check_find_place(checker, finding, event->space, sim_access_address(event, lane), event->bytes);
    strcpy(finding->text, "nothing has written these bytes");
}

static __attribute__((noinline)) void lanes_written(sim_checker *checker,
                                                    const sim_access_event *event, uint64_t *bits,
                                                    uint64_t origin) {
    for (uint32_t rest = event->lanes; rest; rest &= rest - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(rest);
        uint64_t first = sim_access_address(event, lane) - origin;
        if (event->kind != SIM_ACCESS_WRITE && check_bits_none(bits, first, event->bytes))
            report_unwritten(checker, event, lane);
        if (event->kind != SIM_ACCESS_READ) check_bits_set(bits, first, event->bytes);
    }
}

// Looked at when a barrier opens: what it separates are mostly writes of all from reads of all.
static void advance_written(check_block *block) {
    while (block->shared_written && block->written_below + 64 <= block->shared_bytes &&
           block->shared_written[block->written_below / 64] == UINT64_MAX)
        block->written_below += 64;
}

// What a block does after it has strayed is told neither as a race nor as a read of what nobody
// wrote; what it writes has been written.
static void mark_written(sim_checker *checker, const sim_access_event *event) {
    bool shared = event->space == PTX_SPACE_SHARED;
    uint64_t *bits =
        shared ? check_block_at(checker, event->owner)->shared_written : checker->written;
    for (uint32_t rest = event->kind == SIM_ACCESS_READ ? 0 : event->lanes; rest;
         rest &= rest - 1) {
        uint64_t address = sim_access_address(event, (uint32_t)__builtin_ctz(rest));
        check_bits_set(bits, shared ? address : address - SIM_GLOBAL_BASE, event->bytes);
    }
}

static void check_written(sim_checker *checker, const sim_access_event *event) {
    bool shared = event->space == PTX_SPACE_SHARED;
    uint64_t *bits =
        shared ? check_block_at(checker, event->owner)->shared_written : checker->written;
    uint64_t origin = shared ? 0 : SIM_GLOBAL_BASE;
    bool joined = !event->addresses && event->lanes == UINT32_MAX &&
                  event->kind != SIM_ACCESS_ATOMIC &&
                  (event->stride == 0 || event->stride == (int64_t)event->bytes);
    uint64_t bytes = event->stride == 0 ? event->bytes : 16 * (uint64_t)event->bytes;
    if (joined && event->kind == SIM_ACCESS_WRITE) {
        check_bits_set(bits, event->base[0] - origin, bytes);
        check_bits_set(bits, event->base[1] - origin, bytes);
        return;
    }
    if (joined && check_bits_all(bits, event->base[0] - origin, bytes) &&
        (event->base[0] == event->base[1] || check_bits_all(bits, event->base[1] - origin, bytes)))
        return;
    lanes_written(checker, event, bits, origin);
}

// Local memory keeps 4 bits a word and lane, words of the lanes side by side.
static uint8_t *local_bits(const check_warp *warp, uint64_t offset, uint32_t lane) {
    return &warp->local_written[offset / 4 * 32 + lane];
}

static __attribute__((noinline)) void check_local(sim_checker *checker,
                                                  const sim_access_event *event) {
    const check_warp *warp = &checker->current->order.warps[event->warp];
    for (uint32_t rest = event->lanes; rest; rest &= rest - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(rest), found = 0;
        uint64_t first = sim_access_address(event, lane), end = first + event->bytes;
        if (end > warp->local_bytes) continue;
        for (uint64_t at = first; at < end; at++) {
            uint8_t *bits = local_bits(warp, at, lane), bit = (uint8_t)(1u << at % 4);
            found |= *bits & bit;
            if (event->kind != SIM_ACCESS_READ) *bits |= bit;
        }
        if (event->kind != SIM_ACCESS_WRITE && !found) report_unwritten(checker, event, lane);
    }
}

void check_on_local(void *context, uint64_t position, uint32_t warp, uint32_t lanes, uint32_t base,
                    uint32_t bytes) {
    sim_checker *checker = context;
    check_block *block = check_block_at(checker, position);
    check_warp *w = &block->order.warps[warp];
    uint32_t end = (base + bytes + 3) / 4 * 4;
    if (end > w->local_bytes) {
        uint8_t *grown = realloc(w->local_written, (size_t)end * 8);
        if (!grown) return;
        memset(grown + (size_t)w->local_bytes * 8, 0, (size_t)(end - w->local_bytes) * 8);
        w->local_written = grown;
        w->local_bytes = end;
    }
    for (uint32_t word = base / 4; word < end / 4; word++)
        for (uint32_t rest = lanes; rest; rest &= rest - 1)
            *local_bits(w, 4 * (uint64_t)word, (uint32_t)__builtin_ctz(rest)) = 0;
}

// Forgets what was recorded of [address, address + bytes) of device memory.
static void forget(sim_checker *checker, uint64_t address, uint64_t bytes) {
    check_cells *cells = &checker->global;
    uint64_t first = (address - SIM_GLOBAL_BASE) >> cells->shift;
    uint64_t end = (address + bytes - 1 - SIM_GLOBAL_BASE) >> cells->shift;
    size_t length = (end - first + 1) * sizeof(check_record);
    check_cells_change(cells, first, end);
    memset(cells->write + first, 0, length);
    memset(cells->strong + first, 0, length);
    for (int slot = 0; slot < 2; slot++) memset(cells->reads[slot] + first, 0, length);
}

void check_on_heap(void *context, uint64_t address, uint64_t bytes) {
    sim_checker *checker = context;
    check_bits_clear(checker->written, address - SIM_GLOBAL_BASE, bytes);
    forget(checker, address, bytes);
    check_streams_renewed(checker, address, bytes);
}

// Before the cluster has met once, the other block need not have started.
static void report_not_started(sim_checker *checker, const sim_access_event *event) {
    check_find_sync(checker, SIM_CHECK_CLUSTER_LIFE,
                    check_site(checker, event->function, event->instr), CHECK_NO_SITE,
                    32 * event->warp + (uint32_t)__builtin_ctz(event->lanes),
                    "nothing tells that the other block of the cluster has started: "
                    "cluster.sync() before the first access to its shared memory does");
}

// The first lane whose access leaves the variable that its address is formed from.
static uint32_t first_outside(const sim_symbol *symbol, const sim_access_event *event) {
    for (uint32_t rest = event->lanes; rest; rest &= rest - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(rest);
        uint64_t at = sim_access_address(event, lane) - symbol->address;
        if (at >= symbol->size_bytes || event->bytes > symbol->size_bytes - at) return lane;
    }
    return SIM_WARP_LANES;
}

// An index past the end of a variable of shared memory, inside the block's: false.
static __attribute__((noinline)) bool check_variable(sim_checker *checker,
                                                     const sim_access_event *event, uint32_t site) {
    const sim_symbol *symbol = &checker->grid->program->symbols[event->instr->variable - 1];
    uint32_t lane = first_outside(symbol, event);
    bool is_new;
    if (lane == SIM_WARP_LANES) return true;
    sim_finding *finding =
        check_find(checker, SIM_CHECK_OUT_OF_BOUNDS, site, CHECK_NO_SITE, &is_new);
    if (!finding || !is_new) return false;
    static const sim_check_action actions[] = {SIM_ACTION_READ, SIM_ACTION_WRITE, SIM_ACTION_WRITE,
                                               SIM_ACTION_ATOMIC};
    check_find_side(checker, &finding->sides[0], actions[event->kind], site,
                    checker->current->order.position, 32 * event->warp + lane);
    check_find_outside(checker, finding, symbol, sim_access_address(event, lane), event->bytes);
    return false;
}

// The pages of device memory that an access is to.
static void touch(sim_checker *checker, const sim_access_event *event) {
    for (uint32_t rest = event->lanes; rest; rest &= rest - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(rest);
        uint64_t offset = sim_access_address(event, lane) - SIM_GLOBAL_BASE;
        check_touch(checker, offset, offset + event->bytes - 1);
    }
}

void check_on_access(void *context, const sim_access_event *event) {
    sim_checker *checker = context;
    check_warp *warp = &switch_to(checker, event->block)->order.warps[event->warp];
    uint32_t site = check_site(checker, event->function, event->instr);
    if (warp->alive) warp->last_site = site;
    bool is_remote = event->space == PTX_SPACE_SHARED && event->owner != event->block;
    if (is_remote && !check_block_at(checker, event->owner)->met)
        report_not_started(checker, event);
    if (event->space == PTX_SPACE_LOCAL) {
        check_local(checker, event);
        return;
    }
    checker->clock.touched = true;
    if (event->instr->scattered && event->space == PTX_SPACE_GLOBAL)
        sim_mem_note_scatter(checker->memory,
                             sim_access_address(event, (uint32_t)__builtin_ctz(event->lanes)));
    if (checker->current->order.strayed) {
        mark_written(checker, event);
        return;
    }
    if (event->space == PTX_SPACE_GLOBAL) touch(checker, event);
    bool inside = !event->instr->variable || is_remote || event->space != PTX_SPACE_SHARED ||
                  check_variable(checker, event, site);
    if (inside && !checker->exhausted) checker->race_access(checker, event, site);
    checker->clock.touched = true;
    if (event->kind == SIM_ACCESS_BEGIN)
        checker->current->copies = true;
    else if (inside || event->kind != SIM_ACCESS_READ)
        check_written(checker, event);
}

// What the CUDA C++ Programming Guide asks of wmma's pointer and stride ("Warp Matrix Functions"):
// a GPU stops at some of the addresses that break it, and reads wrong elements at others.
void check_on_matrix(void *context, const sim_access_event *event) {
    enum { POINTER = 32 };
    sim_checker *checker = context;
    const sim_matrix *matrix = event->instr->extra;
    uint32_t bits = sim_element_bits(sim_matrix_element(matrix, (sim_matrix_part)matrix->part));
    int64_t multiple = bits < 16 ? 8 : 16; // a column of eight bytes is a matrix of its own shape
    uint64_t address = event->base[0];
    uint32_t site = check_site(checker, event->function, event->instr);
    char text[256];
    bool is_new;
    if (address % POINTER == 0 && event->stride % multiple == 0) return;
    switch_to(checker, event->block);
    sim_finding *finding = check_find(checker, SIM_CHECK_MISALIGNED, site, CHECK_NO_SITE, &is_new);
    if (!finding || !is_new) return;
    if (event->stride % multiple)
        snprintf(text, sizeof text,
                 "the stride of a wmma matrix must be a multiple of %" PRId64
                 " bytes (8 half, 4 float), and "
                 "this one is %" PRId64 " bytes",
                 multiple, event->stride);
    else
        snprintf(text, sizeof text,
                 "the address of a wmma matrix must be a multiple of %d bytes, and 0x%" PRIx64
                 " is %" PRIu64 " bytes past one",
                 POINTER, address, address % POINTER);
    check_find_side(checker, &finding->sides[0],
                    event->kind == SIM_ACCESS_READ ? SIM_ACTION_READ : SIM_ACTION_WRITE, site,
                    checker->current->order.position, 32 * event->warp);
    finding->address = address;
    strcpy(finding->text, text);
}

// ---- barriers and masks -------------------------------------------------------------------------

static bool is_in_code(const sim_sync_event *event) {
    return event->function && event->instr >= event->function->code &&
           event->instr < event->function->code + event->function->code_count;
}

static void arrive(sim_checker *checker, const sim_sync_event *event) {
    check_arrival *arrival = &checker->current->order.barriers[event->barrier];
    uint32_t before = arrival->waiting[event->warp] | arrival->passing[event->warp];
    uint32_t site = check_site(checker, event->function, event->instr);
    checker->current->order.awaited |= UINT32_C(1) << event->barrier;
    arrival->threads = event->threads;
    // Between arrival at the cluster's barrier and the wait for it a thread may do what it likes;
    // that it counts as ordered, too, can hide a race.
    if (event->arrive_only && event->barrier != CHECK_BARRIERS - 1)
        arrival->passing[event->warp] |= event->lanes;
    else
        arrival->waiting[event->warp] |= event->lanes;
    if (event->threads == 0 && !event->arrive_only) arrival->apart[event->warp] |= event->apart;
    uint32_t first = 32 * event->warp;
    if (!before)
        arrival->site[event->warp] = site;
    else if (arrival->site[event->warp] != site)
        check_barrier_missed(
            checker, (check_missed){.barrier = arrival->site[event->warp],
                                    .came = first + (uint32_t)__builtin_ctz(before),
                                    .waits = site,
                                    .absent = first + (uint32_t)__builtin_ctz(event->lanes)});
}

static void open_barrier(sim_checker *checker, uint32_t barrier) {
    check_order *order = &checker->current->order;
    const check_arrival *arrival = &order->barriers[barrier];
    uint32_t exited = order->thread_count, first = CHECK_NO_SITE, thread = 0;
    for (uint32_t i = 0; i < order->warp_count; i++) {
        exited -= (uint32_t)__builtin_popcount(order->warps[i].alive);
        uint32_t lanes = arrival->waiting[i];
        if (!lanes || first != CHECK_NO_SITE) continue;
        first = arrival->site[i];
        thread = 32 * i + (uint32_t)__builtin_ctz(lanes);
    }
    for (uint32_t i = 0; i < order->warp_count; i++) {
        // They may come to the barrier by another way; those that have not were not to wait for it.
        uint32_t skips = arrival->apart[i] & ~arrival->waiting[i];
        if (!arrival->waiting[i] || !skips) continue;
        bool gone = !(skips & order->warps[i].alive);
        check_barrier_missed(
            checker, (check_missed){.barrier = arrival->site[i],
                                    .came = 32 * i + (uint32_t)__builtin_ctz(arrival->waiting[i]),
                                    .waits = CHECK_NO_SITE,
                                    .absent = 32 * i + (uint32_t)__builtin_ctz(skips),
                                    .returned = gone});
    }
    // A barrier with a number of threads is not for all of the block; one that inline PTX numbers
    // may be for warps with different work.
    bool of_block = arrival->threads == 0 && first != CHECK_NO_SITE;
    if (of_block && barrier == 0) check_warps_meet(checker, arrival, first, thread);
    if (exited && of_block && !order->strayed)
        check_find_sync(checker, SIM_CHECK_EXITED_BARRIER, first, CHECK_NO_SITE, thread,
                        "some threads of the block have returned and never reach this barrier: let "
                        "them skip the work, not the barrier");
    check_order_barrier(order, &checker->clock, barrier);
    advance_written(checker->current);
}

// What member masks must hold: the lane itself, and no lane that has returned.
static void check_masks(sim_checker *checker, const sim_sync_event *event) {
    uint32_t exited = checker->current->order.warps[event->warp].exited;
    if (!is_in_code(event) || checker->current->order.strayed) return;
    for (uint32_t rest = event->lanes; rest; rest &= rest - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(rest), mask = event->masks[lane];
        bool names_itself = mask >> lane & 1;
        if (names_itself && !(mask & exited)) continue;
        char text[160];
        if (!names_itself)
            snprintf(text, sizeof text,
                     "the member mask 0x%08" PRIx32 " does not name lane %" PRIu32
                     ", which executes the instruction",
                     mask, lane);
        else
            snprintf(text, sizeof text,
                     "the member mask 0x%08" PRIx32
                     " names lanes that have returned from the kernel: 0x%08" PRIx32,
                     mask, mask & exited);
        check_find_sync(checker, names_itself ? SIM_CHECK_EXITED_LANE : SIM_CHECK_SYNC_MASK,
                        check_site(checker, event->function, event->instr), CHECK_NO_SITE,
                        32 * event->warp + lane, text);
        return;
    }
}

// An arrival passes on what its thread knows; who has waited knows what all have passed on, those
// of the next phase included, which can hide a race.
static void pass_mbarrier(sim_checker *checker, const sim_sync_event *event) {
    check_order *order = &checker->current->order;
    uint64_t address = event->barrier | CHECK_MBARRIER;
    for (uint32_t rest = event->lanes; rest; rest &= rest - 1) {
        uint32_t thread = 32 * event->warp + (uint32_t)__builtin_ctz(rest);
        if (event->kind == SIM_SYNC_MBARRIER_ARRIVE)
            check_order_pass_on(order, &checker->clock, thread, address);
        else
            check_order_acquire(order, &checker->clock, checker->log, thread, address, false);
    }
}

void check_on_sync(void *context, const sim_sync_event *event) {
    sim_checker *checker = context;
    check_order *order = &switch_to(checker, event->block)->order;
    switch (event->kind) {
    case SIM_SYNC_BARRIER_ARRIVE: arrive(checker, event); break;
    case SIM_SYNC_BARRIER_COMPLETE: open_barrier(checker, event->barrier); break;
    case SIM_SYNC_CLUSTER_MET: meet_cluster(checker, event->block); break;
    case SIM_SYNC_WARP:
        check_masks(checker, event);
        check_order_warp(order, &checker->clock, event->warp, event->lanes, event->masks);
        break;
    case SIM_SYNC_FENCE:
        check_order_fence(order, &checker->clock, event->warp, event->lanes,
                          event->instr->scope != SIM_FENCE_CTA);
        break;
    case SIM_SYNC_MBARRIER_ARRIVE:
    case SIM_SYNC_MBARRIER_WAIT: pass_mbarrier(checker, event); break;
    case SIM_SYNC_EXIT: check_order_exit(order, event->warp, event->lanes); break;
    }
    if (checker->clock.now >= CHECK_TIME_MAX) checker->exhausted = true;
}

void check_on_absent_lane(void *context, const sim_sync_event *event) {
    sim_checker *checker = context;
    switch_to(checker, event->block);
    if (!is_in_code(event)) return;
    check_find_sync(
        checker, SIM_CHECK_ABSENT_LANE, check_site(checker, event->function, event->instr),
        CHECK_NO_SITE, 32 * event->warp + (uint32_t)__builtin_ctz(event->lanes),
        "the shuffle reads from a lane that does not execute it: its value is undefined");
}
