// Running one block: its warps run one after the other in a fixed order, each until it has to wait
// or its time slice is over. Decides when waiting lanes are let go early and when a block is
// deadlocked.
#include "warps/split.h"

static bool reserve_shared(sim_block *block, uint32_t bytes) {
    block->shared_bytes = bytes;
    if (bytes <= block->shared_capacity) return true;
    free(block->shared);
    block->shared_capacity = 0;
    uint32_t capacity = (bytes + 1023) / 1024 * 1024;
    block->shared = aligned_alloc(64, capacity + SIM_SHARED_SLACK);
    if (!block->shared) return false;
    block->shared_capacity = capacity;
    return true;
}

// Between blocks: nothing points to a warp then but what its warp has of its own.
static bool reserve_warps(sim_block *block, uint32_t count) {
    if (count <= block->warp_capacity) return true;
    sim_warp *grown = aligned_alloc(_Alignof(sim_warp), count * sizeof *grown);
    if (!grown) return false;
    if (block->warp_capacity) memcpy(grown, block->warps, block->warp_capacity * sizeof *grown);
    memset(grown + block->warp_capacity, 0, (count - block->warp_capacity) * sizeof *grown);
    free(block->warps);
    block->warps = grown;
    block->warp_capacity = count;
    return true;
}

// Blocks of a cooperative launch alternate and share one block's limit.
static uint64_t limit_of_block(const sim_grid *grid, uint64_t launch_limit) {
    uint64_t blocks = sim_launch_blocks(grid->launch);
    uint64_t limit = grid->max_block_instructions;
    if (limit > 0 && grid->launch->config.cooperative) limit = limit / blocks + 1;
    return limit > 0 && limit < launch_limit ? limit : launch_limit;
}

bool sim_block_prepare(sim_block *block, const sim_grid *grid) {
    const sim_function *function = grid->launch->function;
    block->grid = grid;
    block->record.worker = &block->worker->record;
    block->cluster = block;
    block->cluster_rank = 0;
    block->cluster_count = 1;
    block->thread_count = (uint32_t)sim_launch_threads(grid->launch);
    block->warp_count = (block->thread_count + SIM_WARP_LANES - 1) / SIM_WARP_LANES;
    block->launch_limit = grid->max_instructions ? grid->max_instructions : UINT64_C(1) << 40;
    block->limit = limit_of_block(grid, block->launch_limit);
    uint32_t dynamic = grid->launch->config.dynamic_shared_bytes;
    uint32_t statics = dynamic ? function->dynamic_shared_offset : function->shared_bytes;
    if (!reserve_shared(block, statics + dynamic)) return false;
    if (!reserve_warps(block, block->warp_count)) return false;
    block->record.warp_count = block->warp_count;
    for (uint32_t i = 0; i < block->warp_count; i++) sim_warp_prepare(&block->warps[i], block, i);
    return true;
}

void sim_block_join(sim_block *blocks, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        blocks[i].cluster = blocks;
        blocks[i].cluster_rank = i;
        blocks[i].cluster_count = count;
    }
}

void sim_block_destroy(sim_block *block) {
    block->warp_count = 0;
    sim_async_reset(block);
    for (uint32_t i = 0; i < block->warp_capacity; i++) sim_warp_destroy(&block->warps[i]);
    free(block->warps);
    free(block->shared);
    free(block->output.text);
    free(block->errors);
    free(block->clock);
    free(block->tmem);
    sim_record_block_free(&block->record);
}

static void poison_shared(sim_block *block) {
    uint32_t *words = (uint32_t *)block->shared;    // capacity is a multiple of 1024 bytes
    uint32_t count = (block->shared_bytes + 3) / 4; // a variable, so that several go at once
    for (uint32_t i = 0; i < count; i++) words[i] = SIM_POISON;
}

void sim_block_begin(sim_block *block, uint64_t index, bool ordered) {
    const sim_grid *grid = block->grid;
    block->index = index;
    block->all_begun = false;
    block->id = sim_unfold(sim_schedule_block(grid, index), grid->launch->config.grid);
    sim_schedule_warps(block);
    block->serial++;
    block->live_threads = block->thread_count;
    block->executed = block->general = block->reported = block->burden = block->slept = 0;
    block->ordered = ordered;
    block->draws_in_order = block->wants_draw = block->may_draw = false;
    block->fault.kind = SIM_OK;
    block->fault.text[0] = '\0';
    block->output.bytes = 0;
    block->output.truncated = false;
    block->output.ring_bytes = 0;
    if (block->barriers_awaited) memset(block->barriers, 0, sizeof block->barriers);
    block->barriers_awaited = 0;
    block->waiting_splits = 0;
    block->worker->watch.changed = block->worker->cycle.untracked = true;
    free(block->errors);
    block->errors = NULL;
    free(block->tmem);
    block->tmem = NULL;
    sim_async_reset(block);
    poison_shared(block);
    if (grid->observer && grid->observer->notes) grid->observer->notes->shared = block->shared;
    if (grid->observer && grid->observer->block_begin)
        grid->observer->block_begin(grid->observer->context, block->worker->index, index,
                                    block->shared_bytes);
    if (grid->mode == SIM_MODE_COUNT) sim_record_block_begin(&block->record, index);
    for (uint32_t i = 0; i < block->warp_count; i++)
        if (!sim_warp_start(&block->warps[i])) return;
}

// Lanes that wait where they would reconverge are only waiting for performance. When nothing else
// can run they go on alone, as the hardware's forward progress guarantee demands.
static bool release_waiting(sim_block *block) {
    for (uint32_t i = 0; i < block->warp_count; i++)
        if (sim_split_release(&block->warps[i])) return true;
    return false;
}

static bool is_runnable(const sim_warp *warp) { return warp->lanes || warp->ready_count; }

static sim_warp_stop run_slice(sim_block *block, sim_warp *warp) {
    block->slice_begun = block->executed;
    block->running = warp;
    sim_warp_stop stop = block->run_warp(warp);
    block->running = NULL;
    uint64_t done = block->executed - block->slice_begun;
    sim_watch *watch = &block->worker->watch;
    sim_cycle *cycle = &block->worker->cycle;
    watch->changed = watch->changed || warp->polls & SIM_POLL_CHANGED;
    cycle->untracked = cycle->untracked || warp->untracked;
    cycle->memory += warp->memory;
    cycle->instructions += done;
    warp->untracked = false;
    warp->memory = 0;
    if (done) warp->moved = warp->moved_since = true;
    if (done && !warp->repeats) watch->moved = watch->steps;
    warp->record.executed += done;
    if (block->worker->record.marked) sim_record_slice_end(&warp->record, done);
    return stop;
}

// The last of the warps, and some cycles more.
static uint64_t end_of_slices(const sim_block *block) {
    enum { CYCLES_AHEAD = 16 };
    uint64_t least = UINT64_MAX;
    for (uint32_t i = 0; i < block->warp_count; i++) {
        const sim_warp *warp = &block->warps[i];
        if (is_runnable(warp) && warp->cycle < least) least = warp->cycle;
    }
    return least < UINT64_MAX ? least + CYCLES_AHEAD : 0;
}

static sim_block_state step(sim_block *block) {
    bool ran = false, all_spin = true;
    const bool timed = sim_block_keeps_time(block);
    block->slice_end = timed ? end_of_slices(block) : 0;
    for (uint32_t i = 0; i < block->warp_count; i++) {
        sim_warp *warp = &block->warps[block->warp_order[i]];
        if (!is_runnable(warp)) continue;
        if (timed && warp->cycle > block->slice_end) {
            all_spin = all_spin && warp->spun;
            continue;
        }
        sim_warp_stop stop = run_slice(block, warp);
        ran = true;
        if (stop == SIM_WARP_FAULT) return SIM_BLOCK_DONE;
        bool changed = warp->polls & SIM_POLL_CHANGED;
        if (stop != SIM_WARP_SPIN || changed) all_spin = false;
        if (timed) warp->spun = stop == SIM_WARP_SPIN && !changed;
    }
    if (ran && !all_spin) return SIM_BLOCK_GOES_ON;
    if (ran && block->wants_draw) return SIM_BLOCK_SPINS;
    if (!ran && block->live_threads == 0) {
        if (block->tmem) sim_fault_tmem_leak(block);
        return SIM_BLOCK_DONE;
    }
    if (release_waiting(block)) return SIM_BLOCK_GOES_ON;
    if (ran) return SIM_BLOCK_SPINS;
    if (block->cluster_count > 1 && block->barriers[SIM_CLUSTER_BARRIER].waiting_splits)
        return SIM_BLOCK_WAITS;
    sim_fault_deadlock(block, NULL);
    return SIM_BLOCK_DONE;
}

sim_block_state sim_block_step(sim_block *block) {
    sim_watch *watch = &block->worker->watch;
    uint64_t before = block->executed;
    sim_block_state state = step(block);
    watch->steps++;
    watch->instructions += block->executed - before;
    if (watch->changed) *watch = (sim_watch){.changes = watch->changes + 1};
    return state;
}

void sim_block_end(sim_block *block) {
    if (block->grid->progress) sim_block_report_progress(block);
    const sim_stepper *stepper = block->grid->stepper;
    if (stepper && block->fault.kind != SIM_OK) stepper->fault(stepper->context, block);
    const sim_observer *observer = block->grid->observer;
    if (observer && observer->block_end)
        observer->block_end(observer->context, block->worker->index, block->index);
}

void sim_block_report_progress(sim_block *block) {
    atomic_fetch_add_explicit(&block->grid->progress->warp_instructions,
                              block->executed - block->reported, memory_order_relaxed);
    block->reported = block->executed;
}

// Whether earlier blocks may have changed memory since.
static bool wakes(sim_block *block) {
    if (block->ordered || !sim_block_order(block)) return false;
    block->worker->watch.changed = block->worker->cycle.untracked = true;
    return true;
}

// The blocks before it have ended; those behind it have not started.
static void stuck_alone(sim_block *block) {
    const sim_grid *grid = block->grid;
    uint64_t all = sim_launch_blocks(grid->launch);
    sim_other_blocks others = {.all = all, .waiting = all - block->index - 1};
    sim_fault_stuck(block, &others);
}

void sim_block_run(sim_block *block, uint64_t index, bool ordered) {
    sim_block_begin(block, index, ordered);
    while (block->fault.kind == SIM_OK) {
        if (sim_block_step(block) == SIM_BLOCK_DONE) break;
        const bool ended = false;
        if ((sim_block_is_stuck(block) || sim_blocks_cycle(block, &ended, 1)) && !wakes(block))
            stuck_alone(block);
        else if (sim_block_is_endless(block)) sim_fault_runaway(block);
        if (block->grid->progress) sim_block_report_progress(block);
    }
    sim_block_end(block);
}

// ---- a warp before it runs ----------------------------------------------------------------------
// Setting a warp up for a launch and for a block. Running it is ops/run.c.

void sim_warp_destroy(sim_warp *warp) {
    sim_frames_free(warp);
    sim_async_free_warp(warp);
    free(warp->points);
    free(warp->local);
    warp->points = NULL;
    warp->local = NULL;
    warp->point_capacity = warp->local_capacity = 0;
}

// What is known of allocations holds until one comes or goes.
static void renew_sites(sim_warp *warp) {
    const sim_grid *grid = warp->block->grid;
    uint64_t version =
        sim_mem_version(grid->memory) * SIM_MOST_DEVICES + grid->launch->config.device;
    if (warp->sites_version != version) memset(warp->sites, 0, sizeof warp->sites);
    warp->sites_version = version;
}

void sim_block_take_up(sim_block *block) {
    for (uint32_t i = 0; i < block->warp_count; i++) renew_sites(&block->warps[i]);
}

void sim_warp_prepare(sim_warp *warp, sim_block *block, uint32_t index) {
    const sim_grid *grid = block->grid;
    warp->block = block;
    warp->index = index;
    warp->origin = sim_mem_origin(grid->memory);
    warp->shared = block->shared;
    warp->shared_bytes = block->shared_bytes;
    warp->params = grid->launch->params;
    warp->param_bytes = grid->launch->function->entry_param_bytes;
    warp->counting = grid->mode == SIM_MODE_COUNT;
    warp->observing = grid->observer;
    warp->notes = grid->observer ? grid->observer->notes : NULL;
    warp->record = (sim_warp_record){.block = &block->record,
                                     .index = index,
                                     .footprint = &block->record.worker->launch->footprint};
    block->record.warps[index] = &warp->record;
    warp->legacy =
        warp->counting && sim_device_is_older(grid->launch->device) ? grid->launch->device : NULL;
    renew_sites(warp);
    uint32_t first = index * SIM_WARP_LANES;
    uint32_t threads = block->thread_count - first;
    warp->existing = threads >= SIM_WARP_LANES ? SIM_ALL_LANES : (1u << threads) - 1;
}

bool sim_warp_start(sim_warp *warp) {
    const sim_function *function = warp->block->grid->launch->function;
    warp->alive = warp->existing;
    warp->shared_first =
        (uint32_t)(warp->block->cluster_rank * SIM_WINDOW_BYTES + SIM_SHARED_START);
    warp->shared_origin = (uint8_t *)((uintptr_t)warp->shared - warp->shared_first);
    warp->carry = 0;
    warp->interrupt = SIM_INTERRUPT_NONE;
    const sim_grid *grid = warp->block->grid;
    warp->watched = grid->stepper ? SIM_WATCHED_BY_STEPPER : 0;
    if (grid->observer && grid->observer->watches_all) warp->watched |= SIM_WATCHED_BY_OBSERVER;
    warp->polls = 0;
    warp->polled_mbarrier = 0;
    warp->settled_at = 0;
    warp->cycle = 0;
    warp->gave_way = warp->spun = warp->moved = warp->moved_since = warp->repeats = false;
    warp->turned = 0;
    warp->changes_seen = warp->clocks_read = 0;
    warp->repetition = (sim_repetition){.steps = 0};
    warp->apart = 0;
    bool yields = sim_block_keeps_time(warp->block) || sim_block_alternates(warp->block) ||
                  warp->block->grid->waits;
    warp->poll_limit = yields ? 0 : SIM_POLL_LIMIT;
    warp->last_run = NULL;
    memset(warp->recent_polls, 0, sizeof warp->recent_polls);
    sim_frames_reset(warp);
    if (function->local_bytes &&
        !sim_warp_reserve_local(warp, warp->existing, 0, function->local_bytes))
        return false;
    sim_frame *frame = sim_frame_take(warp, function);
    if (frame) sim_observe_entry(warp, frame, warp->existing);
    return frame && sim_split_reset(warp, frame);
}
