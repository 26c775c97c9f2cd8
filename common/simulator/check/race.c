// Races. Two accesses of one place by different threads, at least one of them a write, and no order
// between them (FastTrack, Flanagan and Freund 2009, with two readers a place instead of a vector).
// Here: the shadow cells, in loops that the compiler vectorises; compiled for each host variant.
#include "check/cells.h"
#include "check/race.h"
#include "check/rules.h"

// ---- one cell -----------------------------------------------------------------------------------

// A reader that need not be kept, because whatever conflicts with it conflicts with this one too.
static bool may_replace(const check_pass *pass, check_record old, check_record record) {
    if (old < pass->floor) return true;
    if (old >= pass->since && ((old ^ record) & CHECK_THREAD_MASK) == 0) return true;
    if (old < pass->since && !pass->follow) return false;
    return check_pass_knows(pass, old, check_record_thread(record));
}

// Whether there was nothing to tell.
static bool read_cell(const check_pass *pass, uint64_t cell, check_record record, uint32_t lane) {
    check_cells *cells = pass->cells;
    uint32_t thread = check_record_thread(record);
    check_record write = cells->write[cell];
    if (pass->read_only &&
        (check_pass_stale(pass, cell, write, lane) ||
         (cells->any_strong && check_pass_stale(pass, cell, cells->strong[cell], lane))))
        return false;
    bool quiet = write < CHECK_UNKNOWN;
    if (!quiet) write = check_unknown_read(pass, cell, lane);
    if (check_pass_collides(pass, write, thread)) {
        check_pass_conflict(pass, cell, write, true, lane);
        quiet = false;
    }
    if (cells->any_strong && check_pass_collides(pass, cells->strong[cell], thread)) {
        check_pass_conflict(pass, cell, cells->strong[cell], true, lane);
        quiet = false;
    }
    for (int slot = 0; slot < 2 && !pass->defers; slot++)
        if (may_replace(pass, cells->reads[slot][cell], record)) {
            check_cells_change(cells, cell, cell);
            cells->reads[slot][cell] = record;
            break;
        }
    return quiet;
}

// A plain read by the thread itself since the last barrier.
static bool is_guess(const check_pass *pass, check_record read, uint32_t thread) {
    return read >= pass->since && read >= pass->base && !(read & CHECK_STRONG) &&
           check_record_thread(read) == thread;
}

// A strong write keeps the thread's own earlier reads: they are still unordered with those of
// others. What was read through the read-only cache before something orders this write has its
// value: CUB loads so what it then overwrites.
static void write_after_reads(const check_pass *pass, uint64_t cell, check_record record,
                              uint32_t lane) {
    uint32_t thread = check_record_thread(record);
    for (int slot = 0; slot < 2; slot++) {
        check_record *read = &pass->cells->reads[slot][cell];
        bool collides = check_pass_collides(pass, *read, thread);
        if (collides && !(pass->read_only && check_pass_stale(pass, cell, *read, lane)))
            check_pass_conflict(pass, cell, *read, false, lane);
        bool own = *read >= pass->since && check_record_thread(*read) == thread;
        if (own && pass->verifies && is_guess(pass, *read, thread))
            check_find_guess(pass->checker, check_record_site(*read));
        if (!own || !(record & CHECK_STRONG)) *read = 0;
    }
}

static void write_cell(const check_pass *pass, uint64_t cell, check_record record, uint32_t lane) {
    check_cells *cells = pass->cells;
    uint32_t thread = check_record_thread(record);
    if (cells->write[cell] >= CHECK_UNKNOWN) check_unknown_overwrite(pass, cell, lane);
    if (check_pass_collides(pass, cells->write[cell], thread))
        check_pass_conflict(pass, cell, cells->write[cell], true, lane);
    if (cells->any_strong && check_pass_collides(pass, cells->strong[cell], thread))
        check_pass_conflict(pass, cell, cells->strong[cell], true, lane);
    check_cells_change(cells, cell, cell);
    write_after_reads(pass, cell, record, lane);
    if (record & CHECK_STRONG) {
        cells->strong[cell] = record;
        cells->any_strong = true;
    } else {
        cells->write[cell] = record;
        if (cells->any_strong) cells->strong[cell] = 0;
    }
    if (pass->unknown || cells->unknown) check_unknown_written(pass, cell, lane);
}

// ---- neighbouring cells at once -----------------------------------------------------------------

ALWAYS_INLINE check_row row_of(const check_pass *pass) {
    return (check_row){.cells = pass->cells,
                       .floor = (int64_t)pass->floor,
                       .since = (int64_t)pass->since,
                       .base = (int64_t)pass->base,
                       .warp = (int64_t)pass->warp,
                       .record = pass->record};
}

static bool quick_read(const check_pass *pass, uint64_t first, uint64_t count, uint64_t each,
                       uint32_t lane, uint32_t again) {
    const check_row row = row_of(pass);
    if (count == 1) return check_read_row(&row, false, first, 1, 1, lane, again);
    return check_read_row(&row, false, first, count, each, lane, again);
}
static bool quick_write(const check_pass *pass, uint64_t first, uint64_t count, uint64_t each,
                        uint32_t lane) {
    const check_row row = row_of(pass);
    if (count == 1) return check_write_row(&row, false, first, 1, 1, lane);
    return check_write_row(&row, false, first, count, each, lane);
}

// Half a warp with neighbouring or equal places. False: lane by lane.
static bool quick_half(const check_pass *pass, uint32_t half, bool is_write, uint32_t again) {
    const sim_access_event *event = pass->event;
    uint32_t shift = pass->cells->shift;
    uint64_t first = (event->base[half] - pass->origin) >> shift, each = event->bytes >> shift;
    const check_row row = row_of(pass);
    if (pass->cells->any_strong && !check_all_ordered(&row, false, pass->cells->strong + first,
                                                      event->stride ? 16 * each : each))
        return false;
    if (event->stride == 0) {
        if (is_write) return false;
        return quick_read(pass, first, each, each, 16 * half, again ? again : 15);
    }
    if (is_write) return quick_write(pass, first, 16 * each, each, 16 * half);
    return quick_read(pass, first, 16 * each, each, 16 * half, again);
}

// Cells that a lane reads. What a cell holds, the next one mostly holds as well: then what became
// of that one becomes of it.
static void read_cells(const check_pass *pass, bool plain, uint64_t first, uint64_t end,
                       uint32_t lane) {
    const check_cells *cells = pass->cells;
    check_record record = pass->record | (check_record)lane << CHECK_THREAD_SHIFT;
    check_record before[3] = {0}, after[2] = {0};
    bool quiet = false;
    for (uint64_t cell = first; cell <= end; cell++) {
        check_record *one = &cells->reads[0][cell], *two = &cells->reads[1][cell];
        const check_record now[3] = {cells->write[cell], *one, *two};
        if (quiet && memcmp(now, before, sizeof now) == 0) {
            if (*one == after[0] && *two == after[1]) continue;
            check_cells_change(cells, cell, cell);
            *one = after[0];
            *two = after[1];
            continue;
        }
        quiet =
            (plain && quick_read(pass, cell, 1, 1, lane, 0)) || read_cell(pass, cell, record, lane);
        quiet = quiet && !pass->read_only && !cells->any_strong;
        memcpy(before, now, sizeof now);
        after[0] = *one;
        after[1] = *two;
    }
}

static void lane_by_lane(const check_pass *pass, uint32_t lanes) {
    const sim_access_event *event = pass->event;
    bool plain = !(pass->record & (CHECK_STRONG | CHECK_ATOMIC)) && !pass->cells->any_strong &&
                 !pass->follow && !pass->unknown && !pass->defers;
    uint32_t shift = pass->cells->shift;
    const check_row row = row_of(pass);
    bool compares = pass->defers && !pass->cells->any_strong && !pass->follow;
    for (uint32_t rest = lanes; rest; rest &= rest - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(rest);
        check_record record = pass->record | (check_record)lane << CHECK_THREAD_SHIFT;
        uint64_t offset = sim_access_address(event, lane) - pass->origin;
        uint64_t first = offset >> shift, end = (offset + event->bytes - 1) >> shift;
        if (event->kind == SIM_ACCESS_READ && !compares) {
            read_cells(pass, plain, first, end, lane);
            continue;
        }
        for (uint64_t cell = first; cell <= end; cell++) {
            if (plain && quick_write(pass, cell, 1, 1, lane)) continue;
            if (compares && check_ordered(&row, false, (int64_t)pass->cells->write[cell]) < 0)
                continue;
            if (event->kind == SIM_ACCESS_READ) read_cell(pass, cell, record, lane);
            else write_cell(pass, cell, record, lane);
        }
    }
}

static void judge(const check_pass *pass) {
    const sim_access_event *event = pass->event;
    bool is_write = event->kind == SIM_ACCESS_WRITE;
    bool regular = !event->addresses && event->lanes == UINT32_MAX && !pass->follow &&
                   !pass->unknown && !pass->defers &&
                   (event->stride == 0 || event->stride == (int64_t)event->bytes);
    if (!regular || (pass->record & CHECK_STRONG)) {
        lane_by_lane(pass, event->lanes);
        return;
    }
    bool twice = event->base[0] == event->base[1]; // both halves at the same addresses
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
    if (!sim_is_atomic(event->instr)) return false;
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

// A decoupled look-back (Merrill and Garland 2016) and its kin: a block publishes what it has
// computed from its reads in one relaxed store, and others wait for that.
static void pass_reads(sim_checker *checker, const sim_access_event *event, bool reads) {
    check_order *order = &checker->current->order;
    bool stores = sim_is_st(event->instr) ||
                  (sim_is_atom(event->instr) && event->instr->variant == SIM_ATOMIC_EXCH);
    if (!stores && check_log_is_empty(checker->relaxed)) return;
    for (uint32_t rest = event->lanes; rest; rest &= rest - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(rest);
        uint64_t address = sim_access_address(event, lane);
        if (reads)
            check_log_acquire(checker->relaxed, order, &order->seen_relaxed, address,
                              (check_taken){.since = 0});
        if (stores)
            check_order_release_reads(order, &checker->clock, checker->relaxed,
                                      32 * event->warp + lane, address);
    }
}

// Whether an atomic operation leaves its place as it is, at least where the lane's operand is the
// neutral one: it polls.
static bool is_idle(const sim_access_event *event, uint32_t lane) {
    const sim_instr *instr = event->instr;
    bool wide = ptx_type_bytes((ptx_type)instr->type) == 8;
    if (!event->state || instr->src[1] == SIM_NO_SLOT) return false;
    const uint8_t *at = event->state->registers + instr->src[1] + (size_t)lane * (wide ? 8 : 4);
    uint64_t operand = 0;
    memcpy(&operand, at, wide ? 8 : 4);
    switch (instr->variant) {
    case SIM_ATOMIC_ADD:
    case SIM_ATOMIC_OR:
    case SIM_ATOMIC_XOR:
    case SIM_ATOMIC_MAX: return operand == 0;
    case SIM_ATOMIC_AND:
    case SIM_ATOMIC_MIN: return operand == (wide ? UINT64_MAX : UINT32_MAX);
    default: return false;
    }
}

// Whether what a lane reads takes effect at once (PTX ISA, "Release and Acquire Patterns"): reads
// that acquire do; relaxed ones with the thread's next fence. The ticket of a plain atomicAdd() or
// atomicInc() counts as one that acquires, because the CUDA C++ Programming Guide has it so
// ("Memory Fence Functions": the last block to be done); a lock or a poll does not.
static bool takes_at_once(const sim_access_event *event, uint32_t lane) {
    const sim_instr *instr = event->instr;
    switch (instr->order) {
    case SIM_ORDER_ACQUIRE:
    case SIM_ORDER_ACQ_REL:
    case SIM_ORDER_SC: return true;
    case SIM_ORDER_RELEASE: return false;
    default: break;
    }
    if (sim_is_ld(instr)) return false;
    if (!sim_is_atom(instr)) return true;
    return instr->variant != SIM_ATOMIC_CAS && instr->variant != SIM_ATOMIC_EXCH &&
           !is_idle(event, lane);
}

// What a thread finds there depends on how far others are; but of a grid's own barrier.
static void note_flag(sim_checker *checker, const sim_access_event *event) {
    enum { BARRIER_BYTES = 256 };
    uint64_t address = sim_access_address(event, (uint32_t)__builtin_ctz(event->lanes));
    if (checker->grid->workspace && event->space == PTX_SPACE_GLOBAL &&
        address - checker->grid->workspace < BARRIER_BYTES)
        return;
    bool many = event->space == PTX_SPACE_GLOBAL && checker->block_count > 1;
    checker->depends |= SIM_DEPENDS_ON_FLAGS | (many ? SIM_DEPENDS_ON_MANY : 0);
}

// What strong accesses pass on and take up (PTX ISA, "Release and Acquire Patterns").
static __attribute__((noinline)) void synchronise(sim_checker *checker,
                                                  const sim_access_event *event, uint32_t site) {
    check_order *order = &checker->current->order;
    uint8_t memory_order = event->instr->order;
    bool global = event->space == PTX_SPACE_GLOBAL;
    bool writes = event->kind != SIM_ACCESS_READ;
    bool reads = event->kind != SIM_ACCESS_WRITE && !sim_is_red(event->instr);
    bool releases = memory_order == SIM_ORDER_RELEASE || memory_order == SIM_ORDER_ACQ_REL;
    if (writes && releases)
        check_order_fence(order, &checker->clock, event->warp, event->lanes,
                          event->instr->scope != SIM_FENCE_CTA, true);
    bool acquires = reads && takes_at_once(event, (uint32_t)__builtin_ctz(event->lanes));
    if (global && writes)
        check_streams_set(checker, checker->current, event->instr->scope, releases);
    if (global && reads)
        check_streams_poll(checker, checker->current, event->instr->scope, acquires);
    check_note_synced(checker, site);
    bool polls = sim_is_atom(event->instr) && is_idle(event, (uint32_t)__builtin_ctz(event->lanes));
    if (polls || sim_is_ld(event->instr)) note_flag(checker, event);
    if (global) pass_reads(checker, event, reads);
    if (!order->fenced && check_log_is_empty(checker->log)) return;
    check_interval_close(checker, checker->current);
    // Within its own block only: between blocks, such an access is no more than a plain one.
    bool between_blocks = global && !check_is_of_block(event->instr);
    for (uint32_t rest = event->lanes; rest; rest &= rest - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(rest);
        uint64_t address = sim_access_address(event, lane);
        check_taken by = {
            .thread = 32 * event->warp + lane, .at = checker->clock.now, .site = site};
        if (!global) address |= CHECK_SHARED;
        if (reads) {
            by.since = takes_at_once(event, lane) ? checker->clock.now : CHECK_AT_FENCE;
            if (check_order_acquire(order, &checker->clock, checker->log, address, between_blocks,
                                    by))
                note_flag(checker, event);
        }
        if (writes)
            check_order_release(order, &checker->clock, checker->log, by.thread, address,
                                between_blocks);
    }
    checker->clock.touched = true; // what was taken up now is known to others after it
}

// Records of a block's shared memory from here on are of its cluster.
static uint32_t cluster_begin(const sim_checker *checker, const check_block *owner) {
    if (checker->block_count == 1) return owner->order.begin;
    uint32_t each = sim_launch_cluster_blocks(checker->grid->launch);
    if (each == 1) return owner->order.begin;
    return check_block_at(checker, owner->order.position / each * each)->order.begin;
}

static __attribute__((noinline)) void note_remote(const sim_checker *checker, check_block *owner,
                                                  const check_pass *pass) {
    uint32_t lane = (uint32_t)__builtin_ctz(pass->event->lanes);
    uint64_t rank = pass->event->block % sim_launch_cluster_blocks(checker->grid->launch);
    owner->remote[rank] = pass->record | (check_record)lane << CHECK_THREAD_SHIFT;
}

// A write against the loads of a block, or of all, that the cells do not know of.
static void overwrite(const check_pass *pass, check_block *owner) {
    const sim_access_event *event = pass->event;
    bool shared = event->space == PTX_SPACE_SHARED;
    check_block *blocks = shared ? owner : pass->checker->blocks;
    uint64_t count = shared ? 1 : pass->checker->block_count, low = UINT64_MAX, end = 0, i = 0;
    while (i < count && !blocks[i].defers[!shared].end) i++;
    if (i == count) return;
    for (uint32_t rest = event->lanes; rest; rest &= rest - 1) {
        uint64_t address = sim_access_address(event, (uint32_t)__builtin_ctz(rest)) - pass->origin;
        if (address < low) low = address;
        if (address + event->bytes > end) end = address + event->bytes;
    }
    for (; i < count; i++)
        if (check_unknown_waits(&blocks[i], low, end, shared))
            check_unknown_overwrites(pass, &blocks[i], low, end);
}

// Whether the block has read a cell, and this before what `thread` does now. True also where two
// threads of other blocks have: the cell keeps no more.
static bool has_read(const check_pass *pass, uint64_t cell, uint32_t thread) {
    int others = 0;
    for (int slot = 0; slot < 2; slot++) {
        check_record read = pass->cells->reads[slot][cell];
        if (check_record_time(read) < pass->checker->run_begin) return slot > others;
        if (check_pass_owner(pass->checker, read) != pass->order->position) others++;
        else if (check_pass_collides(pass, read, thread)) return false;
    }
    return true;
}

// Whether all lanes store, unchanged, what their block has read there, as a compaction in place
// does with what it does not move: the others may read that at any time.
static bool puts_back(const check_pass *pass) {
    const sim_access_event *event = pass->event;
    if (!event->instr->copies || event->kind != SIM_ACCESS_WRITE) return false;
    for (uint32_t rest = event->lanes; rest; rest &= rest - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(rest);
        uint64_t address = sim_access_address(event, lane);
        uint8_t value[32];
        if (!sim_access_value(event, lane, value) ||
            memcmp(event->memory + address, value, event->bytes) != 0 ||
            !has_read(pass, (address - pass->origin) >> pass->cells->shift,
                      32 * event->warp + lane))
            return false;
    }
    return true;
}

void SIM_VARIANT(check_race_access)(sim_checker *checker, const sim_access_event *event,
                                    uint32_t site) {
    check_block *block = checker->current;
    check_order *order = &block->order;
    bool shared = event->space == PTX_SPACE_SHARED;
    check_record flags = flags_of(event);
    check_block *owner = shared ? check_block_at(checker, event->owner) : block;
    uint32_t since = checker->launch_begin;
    if (shared) since = cluster_begin(checker, owner);
    if (flags & CHECK_STRONG) synchronise(checker, event, site);
    uint32_t warp_base = order->warps[event->warp].base;
    bool read_only = !shared && (event->kind == SIM_ACCESS_READ ? check_is_read_only(event->instr)
                                                                : checker->read_only);
    check_pass pass = {.checker = checker,
                       .event = event,
                       .order = order,
                       .cells = shared ? &owner->shared : &checker->global,
                       .origin = shared ? 0 : SIM_GLOBAL_BASE,
                       .floor = (check_record)since << CHECK_TIME_SHIFT,
                       .since = (check_record)checker->current_since << CHECK_TIME_SHIFT,
                       .base = read_only ? 0 : (check_record)order->base << CHECK_TIME_SHIFT,
                       .warp = (check_record)(warp_base > order->base ? warp_base : order->base)
                               << CHECK_TIME_SHIFT,
                       .record = (event->kind == SIM_ACCESS_BEGIN
                                      ? CHECK_PENDING
                                      : (check_record)checker->clock.now << CHECK_TIME_SHIFT) |
                                 (check_record)(32 * event->warp) << CHECK_THREAD_SHIFT |
                                 (check_record)site << CHECK_SITE_SHIFT | flags,
                       .follow = order->knowing || order->seen.count || checker->block_count > 1 ||
                                 checker->run_count > 1,
                       .read_only = read_only,
                       .defers = check_unknown_defers(event),
                       .unknown = shared && check_unknown_may_store(event),
                       .verifies = event->kind == SIM_ACCESS_ATOMIC && verifies(event)};
    if (owner != block) note_remote(checker, owner, &pass);
    if (!shared && !flags && puts_back(&pass)) return;
    if (event->kind != SIM_ACCESS_READ) overwrite(&pass, owner);
    judge(&pass);
    if (pass.defers) check_unknown_defer(&pass);
}
