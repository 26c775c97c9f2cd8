// SPDX-License-Identifier: MIT
// Races. Two accesses of one place by different threads, at least one of them a write, and no order
// between them (FastTrack, Flanagan and Freund 2009, with two readers a place instead of a vector).
// Not reported: atomics and other strong accesses against each other, except volatile ones inside a
// warp on shared memory, which are what is left of warp-synchronous code; stores of one value by
// several threads.
#include <stdio.h>
#include <string.h>

#include "check_internal.h"

// What the cells of one access are compared with.
typedef struct race_pass {
    sim_checker *checker;
    const sim_access_event *event;
    check_order *order;
    check_cells *cells;
    uint64_t origin;     // address of cell 0
    check_record floor;  // records below do not count
    check_record turn;   // records from here on are of this block
    check_record base;   // of these, records below are ordered before everything now
    check_record warp;   // records from here on are of the newest stretch of the warp
    check_record record; // of lane 0 of this warp, now
    bool follow;         // order may come by more than barriers and whole warps
    bool verifies;       // an atomic that a thread may have prepared by a plain read
} race_pass;

uint64_t check_race_owner(const sim_checker *checker, check_record record) {
    uint32_t time = check_record_time(record);
    uint64_t low = 0, high = checker->owner_count;
    while (high - low > 1) {
        uint64_t middle = (low + high) / 2;
        if (checker->owners[middle].begin <= time)
            low = middle;
        else
            high = middle;
    }
    return checker->owners[low].position;
}

// Whether the access of `record` is ordered before one of `thread` now.
static bool is_known(const race_pass *pass, check_record record, uint32_t thread) {
    const check_order *order = pass->order;
    uint32_t time = check_record_time(record), other = check_record_thread(record);
    if (record >= pass->turn) {
        return check_order_knows(order, thread, other, time) || order->places_full;
    }
    uint64_t position = check_race_owner(pass->checker, record);
    if (position == order->position)
        return check_order_knows(order, thread, other, time) || order->places_full;
    return check_log_knows(pass->checker->log, &order->seen, position, other, time);
}

static bool both_strong(const race_pass *pass, check_record old) {
    if (!(old & CHECK_STRONG) || !(pass->record & CHECK_STRONG)) return false;
    bool volatile_pair = (old & CHECK_VOLATILE) && (pass->record & CHECK_VOLATILE);
    bool one_warp = old >= pass->turn && check_record_thread(old) / 32 == pass->event->warp;
    return !(volatile_pair && one_warp && pass->event->space == PTX_SPACE_SHARED);
}

// The write that has been under way: its bytes arrive.
static bool arrives(const race_pass *pass, check_record record, uint32_t thread) {
    return pass->event->kind == SIM_ACCESS_WRITE && check_record_thread(record) == thread &&
           check_record_site(record) == check_record_site(pass->record);
}

// Whether the access of `record` and one of `thread` now may be a race.
static bool collides(const race_pass *pass, check_record record, uint32_t thread) {
    if (record >= CHECK_UNDER_WAY) return !arrives(pass, record, thread);
    return record >= pass->floor && !both_strong(pass, record) && !is_known(pass, record, thread);
}

// ---- telling ------------------------------------------------------------------------------------

static uint64_t address_of(const race_pass *pass, uint64_t cell) {
    return pass->origin + (cell << pass->cells->shift);
}

// The value at the lane's place before the access.
static void value_in_memory(const race_pass *pass, uint32_t lane, sim_check_side *side) {
    uint32_t bytes = pass->event->bytes < sizeof side->value ? pass->event->bytes : 8;
    if (!pass->event->memory) return;
    side->value_bytes = bytes;
    memcpy(side->value, pass->event->memory + sim_access_address(pass->event, lane), bytes);
}

static void value_of_access(const race_pass *pass, uint32_t lane, sim_check_side *side) {
    uint8_t value[32];
    if (pass->event->kind == SIM_ACCESS_READ) {
        value_in_memory(pass, lane, side);
    } else if (sim_access_value(pass->event, lane, value)) {
        side->value_bytes = pass->event->bytes < sizeof side->value ? pass->event->bytes : 8;
        memcpy(side->value, value, side->value_bytes);
    }
}

// Whether the thread of `old` makes its access together with the lane: nothing has been stored yet.
static bool is_together(const race_pass *pass, check_record old, uint32_t lane) {
    uint32_t partner = check_record_thread(old) % 32;
    return ((old ^ pass->record) & ~CHECK_THREAD_MASK) == 0 &&
           check_record_thread(old) / 32 == pass->event->warp &&
           pass->event->lanes >> partner & 1 &&
           sim_access_address(pass->event, partner) == sim_access_address(pass->event, lane);
}

// Several threads store the same value: by the same instruction, or one that is there already.
static bool stores_same(const race_pass *pass, check_record old, uint32_t lane) {
    uint8_t value[32], other[32];
    const sim_access_event *event = pass->event;
    if (!sim_access_value(event, lane, value)) return false;
    uint64_t address = sim_access_address(event, lane);
    if (memcmp(event->memory + address, value, event->bytes) == 0) return true;
    return is_together(pass, old, lane) &&
           sim_access_value(event, check_record_thread(old) % 32, other) &&
           memcmp(value, other, event->bytes) == 0;
}

static sim_check_action action_of(check_record record, bool is_write) {
    if (check_record_is_atomic(record)) return SIM_ACTION_ATOMIC;
    return is_write ? SIM_ACTION_WRITE : SIM_ACTION_READ;
}

static const char in_one_warp[] =
    "lanes of one warp need not run in step; __syncwarp() orders them";

static const char *explanation(const race_pass *pass, check_record old, bool both_write,
                               bool one_warp, bool other_block) {
    if (old >= CHECK_UNDER_WAY)
        return "the copy is still under way: its thread waits for it (cp.async.wait_group, or the "
               "mbarrier), then a barrier tells the others";
    if (both_write && check_record_site(old) == check_record_site(pass->record))
        return "threads store different values to one place: which of them stays is chance";
    if (other_block)
        return "blocks run at the same time: only the end of the kernel, a grid barrier, or a "
               "fence with an atomic orders them";
    if (old & pass->record & CHECK_VOLATILE)
        return "volatile does not order the lanes of a warp; __syncwarp() between the accesses "
               "does";
    return one_warp ? in_one_warp : "no barrier orders the two accesses";
}

// A plain read against an atomic may be a guess that an atomic checks afterwards.
static sim_finding *find(const race_pass *pass, sim_check_class kind, check_record old,
                         bool old_is_write, bool *out_is_new) {
    uint32_t site = check_record_site(pass->record), other = check_record_site(old);
    if (check_record_is_atomic(old) && pass->event->kind == SIM_ACCESS_READ)
        return check_find_doubt(pass->checker, kind, site, other, site, out_is_new);
    if (check_record_is_atomic(pass->record) && !old_is_write && !(old & CHECK_STRONG))
        return check_find_doubt(pass->checker, kind, site, other, other, out_is_new);
    return check_find(pass->checker, kind, site, other, out_is_new);
}

static void conflict(const race_pass *pass, uint64_t cell, check_record old, bool old_is_write,
                     uint32_t lane) {
    sim_checker *checker = pass->checker;
    const sim_access_event *event = pass->event;
    bool is_write = event->kind != SIM_ACCESS_READ;
    if (is_write && old_is_write && stores_same(pass, old, lane)) return;
    uint64_t position = pass->order->position, owner = position;
    if (event->space != PTX_SPACE_SHARED) owner = check_race_owner(checker, old);
    uint32_t thread = 32 * event->warp + lane, other = check_record_thread(old);
    sim_check_class kind = owner == position ? SIM_CHECK_RACE : SIM_CHECK_BLOCK_RACE;
    bool is_new, one_warp = owner == position && other / 32 == event->warp;
    sim_finding *finding = find(pass, kind, old, old_is_write, &is_new);
    // Threads of two warps show the need for a barrier better than lanes of one.
    if (!finding || !(is_new || (!one_warp && strcmp(finding->text, in_one_warp) == 0))) return;
    sim_check_side *sides = finding->sides;
    memset(sides, 0, sizeof finding->sides);
    check_find_side(checker, &sides[0], action_of(pass->record, is_write),
                    check_record_site(pass->record), position, thread);
    check_find_side(checker, &sides[1], action_of(old, old_is_write), check_record_site(old), owner,
                    other);
    value_of_access(pass, lane, &sides[0]);
    if (is_together(pass, old, lane))
        value_of_access(pass, other % 32, &sides[1]);
    else
        value_in_memory(pass, lane, &sides[1]);
    check_find_place(checker, finding, event->space, address_of(pass, cell), event->bytes);
    snprintf(finding->text, sizeof finding->text, "%s",
             explanation(pass, old, is_write && old_is_write, one_warp, owner != position));
}

// ---- one cell -----------------------------------------------------------------------------------

// A reader that need not be kept, because whatever conflicts with it conflicts with this one too.
static bool may_replace(const race_pass *pass, check_record old, check_record record) {
    if (old < pass->floor) return true;
    if (old >= pass->turn && ((old ^ record) & CHECK_THREAD_MASK) == 0) return true;
    if (old < pass->turn && !pass->follow) return false;
    return is_known(pass, old, check_record_thread(record));
}

static void read_cell(const race_pass *pass, uint64_t cell, check_record record, uint32_t lane) {
    check_cells *cells = pass->cells;
    uint32_t thread = check_record_thread(record);
    if (collides(pass, cells->write[cell], thread))
        conflict(pass, cell, cells->write[cell], true, lane);
    if (cells->any_strong && collides(pass, cells->strong[cell], thread))
        conflict(pass, cell, cells->strong[cell], true, lane);
    for (int slot = 0; slot < 2; slot++)
        if (may_replace(pass, cells->reads[slot][cell], record)) {
            cells->reads[slot][cell] = record;
            return;
        }
}

// A plain read by the thread itself since the last barrier.
static bool is_guess(const race_pass *pass, check_record read, uint32_t thread) {
    return read >= pass->turn && read >= pass->base && !(read & CHECK_STRONG) &&
           check_record_thread(read) == thread;
}

// A strong write keeps the thread's own earlier reads: they are still unordered with those of
// others.
static void write_after_reads(const race_pass *pass, uint64_t cell, check_record record,
                              uint32_t lane) {
    uint32_t thread = check_record_thread(record);
    for (int slot = 0; slot < 2; slot++) {
        check_record *read = &pass->cells->reads[slot][cell];
        if (collides(pass, *read, thread)) conflict(pass, cell, *read, false, lane);
        bool own = *read >= pass->turn && check_record_thread(*read) == thread;
        if (own && pass->verifies && is_guess(pass, *read, thread))
            check_find_guess(pass->checker, check_record_site(*read));
        if (!own || !(record & CHECK_STRONG)) *read = 0;
    }
}

static void write_cell(const race_pass *pass, uint64_t cell, check_record record, uint32_t lane) {
    check_cells *cells = pass->cells;
    uint32_t thread = check_record_thread(record);
    if (collides(pass, cells->write[cell], thread))
        conflict(pass, cell, cells->write[cell], true, lane);
    if (cells->any_strong && collides(pass, cells->strong[cell], thread))
        conflict(pass, cell, cells->strong[cell], true, lane);
    write_after_reads(pass, cell, record, lane);
    if (record & CHECK_STRONG) {
        cells->strong[cell] = record;
        cells->any_strong = true;
    } else {
        cells->write[cell] = record;
        if (cells->any_strong) cells->strong[cell] = 0;
    }
}

// ---- neighbouring cells at once -----------------------------------------------------------------

// Ordered before everything this block does now. Branch-free, for loops over cells.
#define ORDERED(x) (((x) < floor) | (((x) >= turn) & ((x) < base)))

static bool strong_is_ordered(const race_pass *pass, uint64_t first, uint64_t count) {
    const check_record floor = pass->floor, turn = pass->turn, base = pass->base;
    const check_record *strong = pass->cells->strong + first;
    uint32_t bad = 0;
    for (uint64_t i = 0; pass->cells->any_strong && i < count; i++) bad |= !ORDERED(strong[i]);
    return bad == 0;
}

// Nothing to report, and two readers are kept already that count as much as these.
static bool is_settled(const race_pass *pass, uint64_t first, uint64_t count) {
    const check_record floor = pass->floor, turn = pass->turn, base = pass->base;
    const check_record warp = pass->warp;
    const check_record *write = pass->cells->write + first, *read = pass->cells->reads[1] + first;
    uint32_t bad = 0;
    for (uint64_t i = 0; i < count; i++) {
        bool kept = (read[i] >= warp) | ((read[i] >= floor) & (read[i] < turn));
        bad |= !(ORDERED(write[i]) & kept);
    }
    return bad == 0;
}

// Cells [first, first + count), of which `each` belong to a lane, from `lane` on; read by the lane
// `again` further on as well (0: by none).
static bool quick_read(const race_pass *pass, uint64_t first, uint64_t count, uint64_t each,
                       uint32_t lane, uint32_t again) {
    if (is_settled(pass, first, count)) return true;
    const check_record floor = pass->floor, turn = pass->turn, base = pass->base;
    check_record *write = pass->cells->write + first, *read = pass->cells->reads[0] + first;
    check_record *second = pass->cells->reads[1] + first;
    uint32_t bad = 0;
    for (uint64_t i = 0; i < count; i++) bad |= !(ORDERED(write[i]) & ORDERED(read[i]));
    if (bad) return false;
    check_record record = pass->record | (check_record)lane << CHECK_THREAD_SHIFT;
    check_record other = again ? record + ((check_record)again << CHECK_THREAD_SHIFT) : 0;
    const check_record step = UINT64_C(1) << CHECK_THREAD_SHIFT;
    for (uint64_t i = 0; i < count; i += each) {
        for (uint64_t k = 0; k < each; k++) {
            read[i + k] = record;
            second[i + k] = other;
        }
        record += step;
        other += again ? step : 0;
    }
    return true;
}

static bool quick_write(const race_pass *pass, uint64_t first, uint64_t count, uint64_t each,
                        uint32_t lane) {
    const check_record floor = pass->floor, turn = pass->turn, base = pass->base;
    const check_record under_way = CHECK_UNDER_WAY;
    check_record *write = pass->cells->write + first;
    check_record *one = pass->cells->reads[0] + first, *two = pass->cells->reads[1] + first;
    check_record record = pass->record | (check_record)lane << CHECK_THREAD_SHIFT;
    const check_record step = UINT64_C(1) << CHECK_THREAD_SHIFT;
    uint32_t bad = 0;
    for (uint64_t i = 0; i < count; i += each, record += step)
        for (uint64_t k = i; k < i + each; k++) {
#define OWN(x) (((x) >= turn) & ((x) < under_way) & ((((x) ^ record) & CHECK_THREAD_MASK) == 0))
            bad |= !((ORDERED(write[k]) | OWN(write[k])) & (ORDERED(one[k]) | OWN(one[k])) &
                     (ORDERED(two[k]) | OWN(two[k])));
#undef OWN
        }
    if (bad) return false;
    record = pass->record | (check_record)lane << CHECK_THREAD_SHIFT;
    for (uint64_t i = 0; i < count; i += each, record += step)
        for (uint64_t k = i; k < i + each; k++) {
            write[k] = record;
            one[k] = two[k] = 0;
        }
    return true;
}

// Half a warp with neighbouring or equal places. False: lane by lane.
static bool quick_half(const race_pass *pass, uint32_t half, bool is_write, uint32_t again) {
    const sim_access_event *event = pass->event;
    uint32_t shift = pass->cells->shift;
    uint64_t first = (event->base[half] - pass->origin) >> shift, each = event->bytes >> shift;
    if (!strong_is_ordered(pass, first, event->stride ? 16 * each : each)) return false;
    if (event->stride == 0) {
        if (is_write) return false;
        return quick_read(pass, first, each, each, 16 * half, again ? again : 15);
    }
    if (is_write) return quick_write(pass, first, 16 * each, each, 16 * half);
    return quick_read(pass, first, 16 * each, each, 16 * half, again);
}

static void lane_by_lane(const race_pass *pass, uint32_t lanes) {
    const sim_access_event *event = pass->event;
    uint32_t shift = pass->cells->shift;
    for (uint32_t rest = lanes; rest; rest &= rest - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(rest);
        check_record record = pass->record | (check_record)lane << CHECK_THREAD_SHIFT;
        uint64_t offset = sim_access_address(event, lane) - pass->origin;
        uint64_t end = (offset + event->bytes - 1) >> shift;
        for (uint64_t cell = offset >> shift; cell <= end; cell++) {
            if (event->kind == SIM_ACCESS_READ)
                read_cell(pass, cell, record, lane);
            else
                write_cell(pass, cell, record, lane);
        }
    }
}

static void judge(const race_pass *pass) {
    const sim_access_event *event = pass->event;
    bool is_write = event->kind == SIM_ACCESS_WRITE;
    bool regular = !event->addresses && event->lanes == UINT32_MAX && !pass->follow &&
                   (event->stride == 0 || event->stride == (int64_t)event->bytes);
    if (!regular || (pass->record & CHECK_STRONG)) {
        lane_by_lane(pass, event->lanes);
        return;
    }
    bool twice = event->base[0] == event->base[1]; // both halves at the same places
    if (twice && is_write) {
        lane_by_lane(pass, event->lanes);
    } else if (twice) {
        if (!quick_half(pass, 0, false, 16)) lane_by_lane(pass, event->lanes);
    } else {
        for (uint32_t half = 0; half < 2; half++)
            if (!quick_half(pass, half, is_write, 0))
                lane_by_lane(pass, half ? 0xFFFF0000u : 0xFFFFu);
    }
}

// ---- an access ----------------------------------------------------------------------------------

// Compare-and-swap and what else leaves a place as it is when it holds enough already.
static bool verifies(const sim_access_event *event) {
    if (event->kind != SIM_ACCESS_ATOMIC) return false;
    if (event->instr->op != SIM_OP_ATOM && event->instr->op != SIM_OP_RED) return false;
    switch (event->instr->variant) {
    case SIM_ATOMIC_CAS:
    case SIM_ATOMIC_EXCH:
    case SIM_ATOMIC_MIN:
    case SIM_ATOMIC_MAX:
    case SIM_ATOMIC_AND:
    case SIM_ATOMIC_OR: return true;
    default: return false;
    }
}

static check_record flags_of(const sim_access_event *event) {
    if (event->kind == SIM_ACCESS_ATOMIC) return CHECK_STRONG | CHECK_ATOMIC;
    if (event->kind == SIM_ACCESS_BEGIN) return CHECK_ATOMIC;
    if (!event->is_volatile) return 0;
    bool only_volatile = event->instr->order == SIM_ORDER_VOLATILE;
    return CHECK_STRONG | (only_volatile ? CHECK_VOLATILE : 0);
}

// What strong accesses pass on and take up (PTX ISA, "Release and Acquire Patterns").
static void synchronise(sim_checker *checker, const sim_access_event *event) {
    check_order *order = &checker->current->order;
    uint8_t memory_order = event->instr->order;
    bool global = event->space == PTX_SPACE_GLOBAL;
    bool writes = event->kind != SIM_ACCESS_READ;
    bool reads = event->kind != SIM_ACCESS_WRITE && event->instr->op != SIM_OP_RED;
    bool releases = memory_order == SIM_ORDER_RELEASE || memory_order == SIM_ORDER_ACQ_REL;
    if (writes && releases)
        check_order_fence(order, &checker->clock, event->warp, event->lanes,
                          event->instr->scope != SIM_FENCE_CTA);
    if (!order->fenced && check_log_is_empty(checker->log)) return;
    for (uint32_t rest = event->lanes; rest; rest &= rest - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(rest), thread = 32 * event->warp + lane;
        uint64_t address = sim_access_address(event, lane);
        if (!global) address |= CHECK_SHARED;
        if (reads)
            check_order_acquire(order, &checker->clock, checker->log, thread, address, global);
        if (writes)
            check_order_release(order, &checker->clock, checker->log, thread, address, global);
    }
}

void check_race_access(sim_checker *checker, const sim_access_event *event) {
    check_block *block = checker->current;
    check_order *order = &block->order;
    bool shared = event->space == PTX_SPACE_SHARED;
    check_record flags = flags_of(event);
    if (flags & CHECK_STRONG) synchronise(checker, event);
    uint32_t warp_base = order->warps[event->warp].base;
    race_pass pass = {.checker = checker,
                      .event = event,
                      .order = order,
                      .cells = shared ? &block->shared : &checker->global,
                      .origin = shared ? 0 : SIM_GLOBAL_BASE,
                      .floor = (check_record)(shared ? order->begin : checker->launch_begin)
                               << CHECK_TIME_SHIFT,
                      .turn = (check_record)checker->turn_begin << CHECK_TIME_SHIFT,
                      .base = (check_record)order->base << CHECK_TIME_SHIFT,
                      .warp = (check_record)(warp_base > order->base ? warp_base : order->base)
                              << CHECK_TIME_SHIFT,
                      .record = (event->kind == SIM_ACCESS_BEGIN
                                     ? CHECK_UNDER_WAY
                                     : (check_record)checker->clock.now << CHECK_TIME_SHIFT) |
                                (check_record)(32 * event->warp) << CHECK_THREAD_SHIFT |
                                (check_record)check_site(checker, event->function, event->instr)
                                    << CHECK_SITE_SHIFT |
                                flags,
                      .follow = order->knowing || order->seen.count || checker->block_count > 1,
                      .verifies = verifies(event)};
    judge(&pass);
}

void check_race_forget(sim_checker *checker, uint64_t address, uint64_t bytes) {
    check_cells *cells = &checker->global;
    uint64_t first = (address - SIM_GLOBAL_BASE) >> cells->shift;
    uint64_t end = (address + bytes - 1 - SIM_GLOBAL_BASE) >> cells->shift;
    size_t length = (end - first + 1) * sizeof(check_record);
    memset(cells->write + first, 0, length);
    memset(cells->strong + first, 0, length);
    for (int slot = 0; slot < 2; slot++) memset(cells->reads[slot] + first, 0, length);
}
