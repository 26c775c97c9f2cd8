// Launches: handing blocks to workers, the order in which they may touch what others see, and
// adding up what they leave behind. The virtual schedule is the order of linear block indices; a
// block runs freely until its first ordering operation (global atomic, device-wide fence, volatile
// or acquiring access), and then waits until every earlier block has finished. The earliest
// unfinished block never waits, so this cannot deadlock. A fault ends its block only: the others
// run to their end, so that memory, counts and the fault that is reported (that of the first block)
// do not depend on who ran ahead. Under an observer or a debugger, and where blocks would not end,
// it ends the launch. Where blocks that are on the card at the same time draw tickets from a
// counter in device memory, each when it is done with one, and a launch is timed or nothing is
// counted, all are alive at once and draw in the order of the instructions that they have executed:
// else the first one would draw all.
#include "grids/grids.h"
#include "ops/ops.h"
#include "warps/split.h"

enum {
    CHUNKS_A_WORKER = 16,
    CHUNK_MAX = 64,
    RESIDENT_KEPT = 512, // blocks: more than a cooperative launch of one block an SM has
    DRAWS_A_BLOCK = 256, // after so many of each on average blocks draw without order
    QUIET_ROUNDS = 16 // without a change of memory, after which a grid that waits lets others run
};

// ---- Handing out blocks ----

// The next blocks of this worker: [*out_first, return). Equal: none are left.
static uint64_t take_chunk(sim_worker *worker, uint64_t *out_first) {
    sim_job *job = worker->job;
    uint64_t first;
    if (job->orders_blocks) {
        pthread_mutex_lock(&job->lock);
        first = atomic_fetch_add_explicit(&job->next, job->chunk, memory_order_relaxed);
        worker->current = first < job->block_count ? first : UINT64_MAX;
        pthread_cond_broadcast(&job->progressed);
        pthread_mutex_unlock(&job->lock);
    } else {
        first = atomic_fetch_add_explicit(&job->next, job->chunk, memory_order_relaxed);
    }
    uint64_t end = first + job->chunk;
    *out_first = first < job->block_count ? first : job->block_count;
    return end < job->block_count ? end : job->block_count;
}

// This worker will finish no block any more.
static void stop_waiting_for(sim_worker *worker) {
    pthread_mutex_lock(&worker->job->lock);
    worker->current = UINT64_MAX;
    pthread_cond_broadcast(&worker->job->progressed);
    pthread_mutex_unlock(&worker->job->lock);
}

// Whether a fault ends the launch.
static bool stops_launch(const sim_job *job, const sim_fault *fault) {
    return job->grid->observer || job->grid->stepper || fault->kind == SIM_RUNAWAY ||
           fault->kind == SIM_OUT_OF_MEMORY;
}

static void record_fault(sim_job *job, sim_block *block) {
    pthread_mutex_lock(&job->lock);
    if (block->index < job->failed_block) {
        job->fault = block->fault;
        job->failed_block = block->index;
    }
    if (stops_launch(job, &block->fault) &&
        block->index < atomic_load_explicit(&job->stopped_block, memory_order_relaxed))
        atomic_store_explicit(&job->stopped_block, block->index, memory_order_release);
    pthread_cond_broadcast(&job->progressed);
    pthread_mutex_unlock(&job->lock);
}

static void keep_output(sim_worker *worker, const sim_block *block) {
    const sim_output *from = &block->output;
    if (from->bytes == 0 && !from->truncated) return;
    if (!sim_reserve(&worker->segments, &worker->segment_capacity, worker->segment_count,
                     sizeof *worker->segments))
        return;
    size_t offset = worker->output.bytes;
    worker->output.ring_bytes += from->ring_bytes;
    sim_output_append(&worker->output, from->text, from->bytes);
    // What one worker drops lies beyond the cap in the merged output too.
    worker->segments[worker->segment_count++] =
        (sim_segment){.block = block->index,
                      .offset = offset,
                      .bytes = worker->output.bytes - offset,
                      .truncated = from->truncated || worker->output.truncated};
}

static void finish_block(sim_worker *worker, sim_block *block) {
    sim_job *job = worker->job;
    worker->executed += block->executed;
    worker->general += block->general;
    uint64_t total = block->executed + atomic_fetch_add_explicit(&job->executed, block->executed,
                                                                 memory_order_relaxed);
    if (block->fault.kind == SIM_OK && total > block->launch_limit) sim_fault_runaway(block);
    if (block->fault.kind != SIM_OK) record_fault(job, block);
    keep_output(worker, block);
    if (job->grid->mode == SIM_MODE_COUNT) sim_record_block_end(&block->record);
}

static void run_blocks(sim_worker *worker) {
    sim_job *job = worker->job;
    sim_block *block = &worker->block;
    uint64_t block_index, end;
    while ((end = take_chunk(worker, &block_index)) != block_index) {
        for (; block_index < end; block_index++) {
            if (sim_job_stopped_before(job, block_index)) {
                stop_waiting_for(worker);
                return;
            }
            bool ordered = !job->orders_blocks || job->worker_count == 1 || block_index == 0;
            sim_block_run(block, block_index, ordered);
            finish_block(worker, block);
        }
    }
}

static void free_frames(sim_block *block) {
    for (uint32_t i = 0; i < block->warp_capacity; i++) sim_frames_free(&block->warps[i]);
}

// ---- Blocks that wait for each other: cooperative launches, clusters ----

// Of blocks that want a ticket, the one that has executed least may draw. False: none wants one.
static bool let_draw(sim_block *blocks, const bool *done, uint64_t count) {
    sim_block *first = NULL;
    for (uint64_t i = 0; i < count; i++)
        if (!done[i] && blocks[i].wants_draw && (!first || blocks[i].executed < first->executed))
            first = &blocks[i];
    if (!first) return false;
    first->wants_draw = false;
    first->may_draw = true;
    return true;
}

static void stop_order(sim_block *blocks, uint64_t count) {
    for (uint64_t i = 0; i < count; i++) blocks[i].draws_in_order = blocks[i].wants_draw = false;
}

// A block that draws in order goes on until it waits for the next ticket, or for others; a hurried
// one, until it waits for others.
static sim_block_state step_on(sim_block *block) {
    bool goes_on = block->draws_in_order || block->grid->schedule.kind == SIM_SCHEDULE_HURRIED;
    sim_block_state state = sim_block_step(block);
    while (goes_on && !block->wants_draw && state == SIM_BLOCK_GOES_ON &&
           block->fault.kind == SIM_OK && !sim_block_is_endless(block))
        state = sim_block_step(block);
    return state;
}

// The block to tell of when none can go on: one that polls, if any does.
static sim_block *stuck_block(sim_block *blocks, const bool *done, uint64_t count) {
    sim_block *first = NULL;
    for (uint64_t i = 0; i < count; i++) {
        if (done[i]) continue;
        if (!first) first = &blocks[i];
        if (sim_block_polls(&blocks[i])) return &blocks[i];
    }
    return first;
}

static void tell_stuck(sim_block *blocks, const bool *done, uint64_t count, uint64_t next,
                       uint64_t total) {
    sim_block *stuck = stuck_block(blocks, done, count);
    sim_other_blocks others = {.all = total, .ended = next - count, .waiting = total - next};
    for (uint64_t i = count; i-- > 0;) {
        if (!done[i]) continue;
        others.ended++;
        others.first_ended = blocks[i].id;
    }
    if (stuck) sim_fault_stuck(stuck, &others);
}

typedef struct sim_together sim_together;

// Lets blocks that have not run yet, from `next` on, take the place of the cluster that block i is
// of, when all of it have ended. How many have started.
static uint64_t replace(sim_worker *worker, sim_block *blocks, bool *done, uint64_t i,
                        uint64_t next) {
    uint64_t each = sim_launch_cluster_blocks(worker->job->grid->launch), first = i - i % each;
    for (uint64_t k = first; k < first + each; k++)
        if (!done[k]) return 0;
    for (uint64_t k = first; k < first + each; k++) {
        finish_block(worker, &blocks[k]);
        sim_block_begin(&blocks[k], next + k - first, true);
        done[k] = false;
    }
    return each;
}

// Blocks on one host thread.
struct sim_together {
    sim_block *blocks; // [count], of which those are over that are `done`
    bool *done;
    uint64_t count, most; // blocks that are alive at once; that fit beside each other
    uint64_t total, next; // blocks of the grid; that have started
    uint64_t left, draws; // of `count`: not done; tickets drawn
    uint64_t executed;    // by those in `blocks`
    bool moved, stuck;    // in the last iteration a block did more than wait; none ever can
};

// A round of all blocks that are alive, in order; a step ends when all warps of the block wait or
// poll.
static void step_all(sim_worker *worker, sim_together *all) {
    sim_block *blocks = all->blocks;
    all->moved = false;
    all->stuck = true;
    for (uint64_t i = 0; i < all->count && all->left; i++) {
        all->stuck = all->stuck && !(blocks[i].wants_draw && !all->done[i]);
        if (all->done[i] || blocks[i].wants_draw) continue;
        sim_block_state state = SIM_BLOCK_DONE;
        all->executed -= blocks[i].executed;
        if (blocks[i].fault.kind == SIM_OK) state = step_on(&blocks[i]);
        all->executed += blocks[i].executed;
        bool idles = state == SIM_BLOCK_SPINS || state == SIM_BLOCK_WAITS;
        all->moved = all->moved || !idles || blocks[i].wants_draw;
        if (state == SIM_BLOCK_DONE || !sim_block_is_stuck(&blocks[i])) all->stuck = false;
        if (sim_block_is_endless(&blocks[i]) || all->executed > blocks[i].launch_limit)
            sim_fault_runaway(&blocks[i]);
        if (blocks[i].grid->progress) sim_block_report_progress(&blocks[i]);
        if (state != SIM_BLOCK_DONE && blocks[i].fault.kind == SIM_OK) continue;
        sim_block_end(&blocks[i]);
        all->done[i] = true;
        all->left--;
        // The rest of those that wait for each other can no longer be trusted to finish.
        if (blocks[i].fault.kind != SIM_OK && !worker->job->draws_in_order) all->left = 0;
        else if (all->next < all->total) {
            uint64_t begun = replace(worker, blocks, all->done, i, all->next);
            all->next += begun;
            all->left += begun;
        }
    }
}

// Until all have ended or, of a grid that may wait for others, none of them does more than wait.
static sim_grid_state go_on_together(sim_worker *worker, sim_together *all) {
    const bool waits = worker->job->grid->waits;
    while (all->left) {
        step_all(worker, all);
        if (!all->left) break;
        if (all->stuck || sim_blocks_cycle(all->blocks, all->done, all->count)) {
            if (waits) return SIM_GRID_STUCK;
            tell_stuck(all->blocks, all->done, all->count, all->next, all->total);
        }
        if (!all->moved && let_draw(all->blocks, all->done, all->count)) {
            if (++all->draws > DRAWS_A_BLOCK * all->count) stop_order(all->blocks, all->count);
        } else if (waits && (!all->moved || worker->watch.steps > QUIET_ROUNDS * all->count)) {
            return SIM_GRID_IDLES;
        }
    }
    for (uint64_t i = 0; i < all->count; i++) finish_block(worker, &all->blocks[i]);
    free(all->done);
    all->done = NULL;
    return SIM_GRID_ENDED;
}

// `count` blocks from blocks[0] on, of `total`.
static bool begin_together(sim_together *all, sim_block *blocks, uint64_t count, uint64_t most,
                           uint64_t total) {
    *all = (sim_together){.blocks = blocks,
                          .count = count,
                          .most = most,
                          .total = total,
                          .next = count,
                          .left = count,
                          .done = calloc(most, sizeof(bool))};
    return all->done != NULL;
}

// At least `count` blocks: setting up hundreds of them takes longer than most such kernels, so they
// stay from launch to launch. NULL: no host memory.
static sim_block *resident_blocks(sim_executor *executor, uint64_t count, uint64_t stamp) {
    if (executor->resident_stamp != stamp)
        for (uint64_t i = 0; i < executor->resident_count; i++) free_frames(&executor->resident[i]);
    executor->resident_stamp = stamp;
    if (count <= executor->resident_count) return executor->resident;
    sim_block *grown = realloc(executor->resident, count * sizeof *grown);
    if (!grown) return NULL;
    executor->resident = grown;
    for (uint64_t i = executor->resident_count; i < count; i++) {
        memset(&grown[i], 0, sizeof grown[i]);
        grown[i].serial = (i + 1) << 32; // no two blocks share a frame, but keep serials apart too
    }
    executor->resident_count = count;
    return grown;
}

static bool prepare_block(sim_worker *worker, sim_block *block) {
    block->worker = worker;
    block->run_warp = worker->block.run_warp;
    return sim_block_prepare(block, worker->job->grid);
}

// `count` blocks, of whole clusters, from the `first`th of the grid on; how many there is host
// memory for. A block knows its cluster when it begins, as registers then tell of it.
static uint64_t begin_blocks(sim_worker *worker, sim_block *blocks, uint64_t first,
                             uint64_t count) {
    uint32_t each = sim_launch_cluster_blocks(worker->job->grid->launch);
    for (uint64_t begun = 0; begun < count; begun += each) {
        for (uint64_t i = begun; i < begun + each; i++)
            if (!prepare_block(worker, &blocks[i])) return begun;
        if (each > 1) sim_block_join(&blocks[begun], each);
        for (uint64_t i = begun; i < begun + each; i++) {
            sim_block_begin(&blocks[i], first + i, true);
            blocks[i].draws_in_order = worker->job->draws_in_order;
        }
    }
    return count;
}

// False: no host memory, which is the grid's fault.
static bool start_together(sim_worker *worker, sim_together *all) {
    sim_job *job = worker->job;
    const sim_launch *launch = job->grid->launch;
    uint64_t total = job->block_count, fit = launch->resident_blocks, count = total;
    uint32_t each = sim_launch_cluster_blocks(launch);
    bool all_at_once = launch->config.cooperative || job->draws_in_order || job->resident;
    if (fit > total || (all_at_once && !job->resident)) fit = total;
    if (fit < each) fit = each;
    fit -= fit % each;
    count = all_at_once ? fit : each;
    sim_block *blocks = resident_blocks(worker->executor, fit, worker->program_stamp);
    job->unstarted = &all->next;
    if (blocks && begin_together(all, blocks, count, fit, total) &&
        begin_blocks(worker, blocks, 0, count) == count)
        return true;
    worker->block.fault.kind = SIM_OUT_OF_MEMORY;
    snprintf(worker->block.fault.text, sizeof worker->block.fault.text,
             "no host memory to keep all %" PRIu64 " blocks of a launch at once", count);
    record_fault(worker->job, &worker->block);
    return false;
}

static void run_together(sim_worker *worker) {
    sim_together all;
    if (start_together(worker, &all)) go_on_together(worker, &all);
    sim_executor_trim(worker->executor, RESIDENT_KEPT);
}

static void run_clusters(sim_worker *worker) {
    sim_job *job = worker->job;
    uint32_t each = worker->mate_count;
    uint64_t first, end;
    while ((end = take_chunk(worker, &first)) != first) {
        for (; first < end; first += each) {
            if (sim_job_stopped_before(job, first)) {
                stop_waiting_for(worker);
                return;
            }
            bool ordered = !job->orders_blocks || job->worker_count == 1 || first == 0;
            for (uint32_t i = 0; i < each; i++)
                sim_block_begin(&worker->mates[i], first + i, ordered);
            sim_together all;
            if (begin_together(&all, worker->mates, each, each, each)) go_on_together(worker, &all);
        }
    }
}

// ---- A launch ----

static bool prepare_cluster(sim_worker *worker, const sim_grid *grid) {
    uint32_t count = sim_launch_cluster_blocks(grid->launch);
    if (worker->mate_count != count) {
        sim_worker_free_mates(worker);
        worker->mates = calloc(count, sizeof *worker->mates);
        if (!worker->mates) return false;
        worker->mate_count = count;
        for (uint32_t i = 0; i < count; i++) {
            worker->mates[i].worker = worker;
            worker->mates[i].serial = (uint64_t)(i + 1) << 32; // of frames, as no two blocks share
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        worker->mates[i].run_warp = worker->block.run_warp;
        worker->mates[i].output.cap_bytes = worker->output.cap_bytes;
        if (!sim_block_prepare(&worker->mates[i], grid)) return false;
    }
    sim_block_join(worker->mates, count);
    return true;
}

static bool prepare_worker(sim_executor *executor, uint32_t index, uint64_t stamp) {
    sim_worker *worker = &executor->workers[index];
    sim_job *job = &executor->job;
    const sim_grid *grid = job->grid;
    worker->job = job;
    worker->launch_serial = executor->launch_serial;
    worker->executed = worker->general = 0;
    worker->current = UINT64_MAX;
    worker->segment_count = worker->output.bytes = 0;
    worker->output.truncated = false;
    worker->output.ring_bytes = 0;
    worker->output.cap_bytes = grid->output ? grid->output->cap_bytes : 0;
    worker->block.output.cap_bytes = worker->output.cap_bytes;
    worker->block.run_warp = sim_exec_table_for_host()->run_warp;
    if (worker->program_stamp != stamp) {
        free_frames(&worker->block);
        sim_worker_free_mates(worker);
        worker->program_stamp = stamp;
    }
    if (sim_launch_cluster_blocks(grid->launch) > 1 && !prepare_cluster(worker, grid)) return false;
    return sim_block_prepare(&worker->block, grid);
}

static uint64_t stamp_of(sim_executor *executor, const sim_grid *grid) {
    sim_bound *bound = grid->launch->program->functions[0].bound;
    if (bound->owner != executor || bound->program_stamp == 0) {
        bound->owner = executor;
        bound->program_stamp = ++executor->stamp;
    }
    return bound->program_stamp;
}

static bool is_peers(const void *context, uint64_t address) {
    const sim_grid *grid = context;
    return sim_mem_is_peers(grid->memory, address, grid->launch->config.device);
}

static bool begin_record(sim_job *job) {
    const sim_grid *grid = job->grid;
    const sim_launch *launch = grid->launch;
    sim_launch_record *record = &job->record;
    uint64_t threads = sim_launch_threads(launch);
    uint64_t of_sm = sim_blocks_by_threads(launch->device, threads);
    record->program = launch->program;
    record->function = launch->function;
    record->block_count = job->block_count;
    record->warp_count = job->block_count * ((threads + SIM_WARP_LANES - 1) / SIM_WARP_LANES);
    record->blocks_together = (of_sm ? of_sm : 1) * launch->device->sm_count;
    record->high_water = sim_mem_high_water(grid->memory);
    record->writers = sim_mem_writers(grid->memory);
    record->no_lines = grid->no_lines;
    record->traces = grid->traces;
    record->l2_before = grid->l2_before;
    record->peers = (sim_peer_memory){grid->has_peers ? is_peers : NULL, grid};
    record->worker_count = job->worker_count;
    return sim_record_launch_begin(record);
}

static bool draws_in_order(const sim_grid *grid, uint64_t block_count) {
    const sim_launch *launch = grid->launch;
    uint64_t together = sim_blocks_by_threads(launch->device, sim_launch_threads(launch)) *
                        launch->device->sm_count;
    bool timed = grid->mode == SIM_MODE_COUNT && grid->traces;
    return (timed || grid->mode == SIM_MODE_FUNCTIONAL) && !grid->observer && !grid->stepper &&
           launch->function->bound->draws_tickets && sim_launch_cluster_blocks(launch) == 1 &&
           block_count <= together && block_count <= RESIDENT_KEPT;
}

static bool prepare_job(sim_executor *executor, const sim_grid *grid) {
    sim_job *job = &executor->job;
    const sim_launch *launch = grid->launch;
    const sim_bound *bound = launch->function->bound;
    bool cooperative = launch->config.cooperative;
    executor->launch_serial++;
    job->grid = grid;
    job->block_count = sim_launch_blocks(launch);
    job->orders_blocks = bound->orders_blocks;
    job->unstarted = NULL;
    job->cancelled = 0;
    job->resident = !cooperative && grid->resident && (bound->cancels || bound->orders_blocks) &&
                    launch->resident_blocks >= sim_launch_cluster_blocks(launch);
    job->draws_in_order = !cooperative && !job->resident && draws_in_order(grid, job->block_count);
    job->workers = executor->workers;
    job->worker_count = executor->thread_count;
    // Events come in one order, and so does what clocks find in the caches.
    if (cooperative || grid->observer || grid->stepper || grid->clocks || job->draws_in_order ||
        job->resident || grid->waits)
        job->worker_count = 1;
    uint32_t each = sim_launch_cluster_blocks(launch);
    uint64_t units = job->block_count / each; // blocks, or clusters, which stay together
    if (units < job->worker_count) job->worker_count = (uint32_t)units;
    job->chunk = units / ((uint64_t)job->worker_count * CHUNKS_A_WORKER);
    if (job->chunk > CHUNK_MAX) job->chunk = CHUNK_MAX;
    if (job->chunk == 0 || job->orders_blocks) job->chunk = 1;
    job->chunk *= each;
    atomic_store_explicit(&job->next, 0, memory_order_relaxed);
    job->failed_block = UINT64_MAX;
    atomic_store_explicit(&job->stopped_block, UINT64_MAX, memory_order_relaxed);
    atomic_store_explicit(&job->executed, 0, memory_order_relaxed);
    job->fault.kind = SIM_OK;
    uint64_t stamp = stamp_of(executor, grid);
    for (uint32_t i = 0; i < job->worker_count; i++)
        if (!prepare_worker(executor, i, stamp)) return false;
    if (bound->calls_heap && !sim_mem_heap_create(grid->memory)) return false;
    return grid->mode != SIM_MODE_COUNT || begin_record(job);
}

// False: it does not run, which the result says.
static bool prepare(sim_executor *executor, const sim_grid *grid, sim_grid_result *out_result) {
    const sim_launch *launch = grid->launch;
    sim_grid_result_clear(out_result);
    if (launch->refusal) {
        sim_grid_refuse(launch, out_result, launch->refusal);
        return false;
    }
    if (prepare_job(executor, grid)) return true;
    kl_error err;
    sim_fail(&err, SIM_OUT_OF_MEMORY, "no host memory to run blocks of %s", launch->function->name);
    sim_grid_refuse(launch, out_result, &err);
    return false;
}

sim_status sim_grid_run(sim_executor *executor, const sim_grid *grid, sim_grid_result *out_result) {
    const sim_launch *launch = grid->launch;
    if (!prepare(executor, grid, out_result)) return out_result->status;
    const sim_job *job = &executor->job;
    bool together = launch->config.cooperative || job->draws_in_order || job->resident;
    if (together && job->block_count > 1) run_together(&executor->workers[0]);
    else if (sim_launch_cluster_blocks(launch) > 1) sim_executor_run(executor, run_clusters);
    else sim_executor_run(executor, run_blocks);
    sim_grid_collect(executor, out_result);
    return out_result->status;
}

// ---- A grid that waits for others ----

sim_status sim_grid_begin(sim_executor *executor, const sim_grid *grid,
                          sim_grid_result *out_result) {
    if (!prepare(executor, grid, out_result)) return out_result->status;
    if (!executor->together) executor->together = calloc(1, sizeof *executor->together);
    if (executor->together && start_together(&executor->workers[0], executor->together))
        return SIM_OK;
    sim_grid_collect(executor, out_result);
    return out_result->status ? out_result->status : SIM_OUT_OF_MEMORY;
}

// What its warps have looked up may have been freed, and what they poll may have changed.
static void take_up(sim_executor *executor) {
    sim_together *all = executor->together;
    sim_worker *worker = &executor->workers[0];
    worker->watch = (sim_watch){.changes = worker->watch.changes + 1};
    worker->cycle.untracked = true;
    for (uint64_t i = 0; i < all->count; i++)
        if (!all->done[i]) sim_block_take_up(&all->blocks[i]);
}

sim_grid_state sim_grid_go_on(sim_executor *executor, bool others_ran, bool *out_wrote) {
    sim_worker *worker = &executor->workers[0];
    if (others_ran) take_up(executor);
    uint64_t before = worker->watch.changes;
    sim_grid_state state = go_on_together(worker, executor->together);
    *out_wrote = worker->watch.changes != before;
    return state;
}

sim_grid_blocks sim_grid_blocks_of(const sim_executor *executor) {
    const sim_together *all = executor->together;
    uint64_t each = sim_launch_cluster_blocks(executor->job.grid->launch);
    return (sim_grid_blocks){all->next / each, all->most / each, all->count / each};
}

bool sim_grid_widen(sim_executor *executor) {
    sim_together *all = executor->together;
    uint64_t more = all->total - all->next, rest = all->most - all->count;
    if (executor->job.grid->observer && all->total > SIM_WIDEN_CHECKED) return false;
    if (more > rest) more = rest;
    more = begin_blocks(&executor->workers[0], all->blocks + all->count, all->next, more);
    all->count += more;
    all->next += more;
    all->left += more;
    return more > 0;
}

void sim_grid_give_up(sim_executor *executor) {
    sim_together *all = executor->together;
    tell_stuck(all->blocks, all->done, all->count, all->next, all->total);
}

void sim_grid_give_up_beside(sim_executor *executor, const sim_executor *other) {
    const sim_together *all = executor->together, *beside = other->together;
    sim_block *block = stuck_block(all->blocks, all->done, all->count);
    const sim_block *stuck = stuck_block(beside->blocks, beside->done, beside->count);
    if (block && stuck) sim_fault_beside(block, stuck);
}

sim_status sim_grid_end(sim_executor *executor, sim_grid_result *out_result) {
    sim_executor_trim(executor, RESIDENT_KEPT);
    sim_grid_collect(executor, out_result);
    return out_result->status;
}
