// Recording for the cache model: growing, thinning and gathering of samples (traces.h).
#include "record/record.h"

uint32_t sim_trace_first_bound(uint64_t warps) {
    uint32_t bound = UINT32_MAX;
    for (uint64_t expected = warps * SIM_TRACE_REQUESTS_A_WARP;
         expected > SIM_TRACE_ENTRIES && bound > UINT32_MAX >> 16; expected /= 2)
        bound >>= 1;
    return bound;
}

uint32_t sim_trace_most(uint64_t blocks) {
    uint64_t most = (uint64_t)SIM_TRACE_ENTRIES * SIM_TRACE_SHARES / (blocks ? blocks : 1);
    if (most > SIM_TRACE_ENTRIES) return SIM_TRACE_ENTRIES;
    return most > SIM_TRACE_BLOCK_ENTRIES ? (uint32_t)most : SIM_TRACE_BLOCK_ENTRIES;
}

// Drops entries whose lines are not in the sample `bound`; returns how many stay.
static uint32_t thin(sim_trace_entry *entries, uint32_t count, uint32_t bound) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++) {
        entries[kept] = entries[i];
        kept += sim_trace_hash(entries[i].line) <= bound;
    }
    return kept;
}

uint32_t sim_trace_widest(const uint64_t levels[SIM_TRACE_LEVELS]) {
    uint64_t bound = 0, kept = 0; // level 32: the lines that hash to 0, line 0 alone
    for (uint32_t level = SIM_TRACE_LEVELS; level-- > 0;) {
        kept += levels[level];
        if (kept > SIM_TRACE_ENTRIES) break;
        bound = (uint64_t)UINT32_MAX >> level;
    }
    return (uint32_t)bound;
}

void sim_trace_begin(sim_block_trace *trace, uint32_t bound, uint32_t most) {
    trace->count = 0;
    trace->bound = bound;
    trace->most = most;
}

static bool grow(sim_block_trace *trace) {
    uint32_t capacity = trace->capacity ? trace->capacity * 2 : 256;
    sim_trace_entry *grown = realloc(trace->entries, capacity * sizeof *grown);
    trace->failed = !grown;
    if (!grown) return false;
    trace->entries = grown;
    trace->capacity = capacity;
    return true;
}

void sim_trace_grow_and_add(sim_block_trace *trace, const sim_trace_entry *entry) {
    uint32_t hash = sim_trace_hash(entry->line);
    while (trace->count >= trace->most && hash <= trace->bound && trace->bound > 0) {
        trace->bound >>= 1;
        trace->count = thin(trace->entries, trace->count, trace->bound);
    }
    if (hash > trace->bound || trace->count >= trace->most) return;
    if (trace->failed || (trace->count == trace->capacity && !grow(trace))) return;
    trace->entries[trace->count++] = *entry;
}

// Room for `more` entries and one block.
static bool reserve(sim_trace *store, uint64_t more, uint64_t blocks) {
    if (store->count + more > store->capacity) {
        uint64_t capacity = (store->count + more) * 2;
        sim_trace_entry *grown = realloc(store->entries, capacity * sizeof *grown);
        if (!grown) return false;
        store->entries = grown;
        store->capacity = capacity;
    }
    if (store->block_count + blocks > store->block_capacity) {
        uint64_t capacity = (store->block_count + blocks) * 2;
        sim_trace_block *grown = realloc(store->blocks, capacity * sizeof *grown);
        if (!grown) return false;
        store->blocks = grown;
        store->block_capacity = capacity;
    }
    return true;
}

void sim_trace_keep(sim_trace *store, const sim_block_trace *trace, uint64_t block,
                    uint32_t duration) {
    store->failed = store->failed || trace->failed || !reserve(store, trace->count, 1);
    if (store->failed) return;
    if (trace->count)
        memcpy(store->entries + store->count, trace->entries,
               trace->count * sizeof *trace->entries);
    store->blocks[store->block_count++] = (sim_trace_block){.block = block,
                                                            .first = store->count,
                                                            .count = trace->count,
                                                            .bound = trace->bound,
                                                            .duration = duration};
    store->count += trace->count;
    for (uint32_t i = 0; i < trace->count; i++)
        store->levels[sim_trace_level(sim_trace_hash(trace->entries[i].line))]++;
}

// Adds a copy of all of `from` to the end of `to`.
static void append(sim_trace *to, const sim_trace *from) {
    to->failed = to->failed || from->failed || !reserve(to, from->count, from->block_count);
    if (to->failed) return;
    if (from->count)
        memcpy(to->entries + to->count, from->entries, from->count * sizeof *to->entries);
    for (uint64_t i = 0; i < from->block_count; i++) {
        to->blocks[to->block_count] = from->blocks[i];
        to->blocks[to->block_count++].first += to->count;
    }
    to->count += from->count;
    for (uint32_t i = 0; i < SIM_TRACE_LEVELS; i++) to->levels[i] += from->levels[i];
}

static int by_block(const void *a, const void *b) {
    uint64_t x = ((const sim_trace_block *)a)->block, y = ((const sim_trace_block *)b)->block;
    return (x > y) - (x < y);
}

uint32_t sim_trace_settle(sim_trace *trace) {
    uint32_t bound = sim_trace_widest(trace->levels);
    for (uint64_t i = 0; i < trace->block_count; i++)
        if (trace->blocks[i].bound < bound) bound = trace->blocks[i].bound;
    if (trace->block_count)
        qsort(trace->blocks, trace->block_count, sizeof *trace->blocks, by_block);
    for (uint64_t i = 0; i < trace->block_count; i++) {
        sim_trace_block *block = &trace->blocks[i];
        if (block->bound > bound)
            block->count = thin(trace->entries + block->first, block->count, bound);
        block->bound = bound;
    }
    return bound;
}

void sim_trace_free(sim_trace *trace) {
    free(trace->entries);
    free(trace->blocks);
    memset(trace, 0, sizeof *trace);
}

// ---- As a recorder ----

static bool launch_begin(sim_launch_record *launch) {
    uint32_t bound = launch->no_lines ? 0 : sim_trace_first_bound(launch->warp_count);
    atomic_store_explicit(&launch->trace_bound, bound, memory_order_relaxed);
    launch->trace_most = sim_trace_most(launch->block_count);
    for (uint32_t i = 0; i < SIM_TRACE_LEVELS; i++)
        atomic_store_explicit(&launch->trace_levels[i], 0, memory_order_relaxed);
    return true;
}

static bool worker_begin(sim_worker_record *worker) {
    sim_trace *trace = &worker->trace;
    memset(trace->levels, 0, sizeof trace->levels);
    trace->count = trace->block_count = 0;
    trace->failed = false;
    return true;
}

static void block_begin(sim_block_record *block) {
    sim_launch_record *launch = block->worker->launch;
    sim_trace_begin(&block->lines, atomic_load_explicit(&launch->trace_bound, memory_order_relaxed),
                    launch->trace_most);
}

// Warps' requests go on from the same number.
static void barrier(sim_block_record *block, const uint32_t *arrived,
                    const sim_warp_record *running, uint64_t done) {
    (void)running, (void)done;
    uint32_t latest = 0;
    for (uint32_t i = 0; i < block->warp_count; i++)
        if (arrived[i] && block->warps[i]->requests > latest) latest = block->warps[i]->requests;
    for (uint32_t i = 0; i < block->warp_count; i++)
        if (arrived[i]) block->warps[i]->requests = latest;
}

// Narrows the bound of blocks to come, if so many entries are too many for the launch.
static void narrow(sim_launch_record *launch, const uint64_t levels[SIM_TRACE_LEVELS]) {
    uint32_t bound = atomic_load_explicit(&launch->trace_bound, memory_order_relaxed);
    uint32_t widest = sim_trace_widest(levels);
    while (widest < bound &&
           !atomic_compare_exchange_weak_explicit(&launch->trace_bound, &bound, widest,
                                                  memory_order_relaxed, memory_order_relaxed))
        ;
}

static void block_end(sim_block_record *block) {
    sim_launch_record *launch = block->worker->launch;
    uint32_t duration = 0;
    for (uint32_t i = 0; i < block->warp_count; i++)
        if (block->warps[i]->requests > duration) duration = block->warps[i]->requests;
    const uint64_t *kept = block->worker->trace.levels;
    uint64_t before[SIM_TRACE_LEVELS], levels[SIM_TRACE_LEVELS];
    memcpy(before, kept, sizeof before);
    sim_trace_keep(&block->worker->trace, &block->lines, block->index, duration);
    if (block->lines.count == 0) return;
    for (uint32_t i = 0; i < SIM_TRACE_LEVELS; i++) {
        _Atomic uint64_t *level = &launch->trace_levels[i];
        uint64_t more = kept[i] - before[i];
        levels[i] = more + (more ? atomic_fetch_add_explicit(level, more, memory_order_relaxed)
                                 : atomic_load_explicit(level, memory_order_relaxed));
    }
    narrow(launch, levels);
}

static void fold(sim_launch_record *launch, sim_recorded *out_recorded) {
    out_recorded->trace = &launch->workers[0]->trace;
    for (uint32_t i = 1; i < launch->worker_count; i++)
        append(out_recorded->trace, &launch->workers[i]->trace);
}

const sim_recorder sim_recorder_cache_trace = {.launch_begin = launch_begin,
                                               .worker_begin = worker_begin,
                                               .block_begin = block_begin,
                                               .barrier = barrier,
                                               .block_end = block_end,
                                               .fold = fold};
