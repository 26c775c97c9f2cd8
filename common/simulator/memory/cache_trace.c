// SPDX-License-Identifier: MIT
// Recording for the cache model: growing, thinning and gathering of samples (cache_trace.h).
#include "memory/cache_trace.h"

#include <stdlib.h>
#include <string.h>

uint32_t sim_trace_first_bound(uint64_t warps) {
    uint32_t bound = UINT32_MAX;
    for (uint64_t expected = warps * SIM_TRACE_REQUESTS_A_WARP;
         expected > SIM_TRACE_ENTRIES && bound > UINT32_MAX >> 16; expected /= 2)
        bound >>= 1;
    return bound;
}

uint32_t sim_trace_budget(uint64_t blocks) {
    uint64_t share = SIM_TRACE_ENTRIES / (blocks ? blocks : 1);
    return share < SIM_TRACE_BLOCK_ENTRIES ? SIM_TRACE_BLOCK_ENTRIES : (uint32_t)share;
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

// Blocks that may do far more than the others.
static uint64_t few_of(uint64_t blocks) {
    return blocks / SIM_TRACE_FEW;
}

uint32_t sim_trace_widest(const uint32_t finished[SIM_TRACE_LEVELS], uint64_t blocks) {
    uint64_t narrower = 0;
    for (uint32_t level = SIM_TRACE_LEVELS; level-- > 0;) {
        narrower += finished[level];
        if (narrower > few_of(blocks)) return (uint32_t)((uint64_t)UINT32_MAX >> level);
    }
    return UINT32_MAX;
}

void sim_trace_begin(sim_block_trace *trace, uint32_t bound, uint32_t budget) {
    trace->count = trace->inside = 0;
    trace->bound = trace->narrow = bound;
    trace->budget = budget;
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

// Entries that a block with far more requests than others may keep.
static uint32_t most_of(const sim_block_trace *trace) {
    uint64_t most = (uint64_t)trace->budget * SIM_TRACE_FEW;
    if (most > SIM_TRACE_ENTRIES) most = SIM_TRACE_ENTRIES;
    return most > trace->budget ? (uint32_t)most : trace->budget;
}

// Finds the bound at which the block keeps to its share with one more entry.
static void narrow(sim_block_trace *trace, uint32_t hash) {
    while (trace->inside >= trace->budget && hash <= trace->narrow && trace->narrow > 0) {
        trace->narrow >>= 1; // ends with the lines that hash to 0: line 0 alone
        trace->inside = 0;
        for (uint32_t i = 0; i < trace->count; i++)
            trace->inside += sim_trace_hash(trace->entries[i].line) <= trace->narrow;
    }
}

void sim_trace_add(sim_block_trace *trace, const sim_trace_entry *entry) {
    uint32_t hash = sim_trace_hash(entry->line);
    narrow(trace, hash);
    while (trace->count >= most_of(trace) && hash <= trace->bound && trace->bound > trace->narrow) {
        trace->bound >>= 1;
        trace->count = thin(trace->entries, trace->count, trace->bound);
        if (!trace->watches_all) trace->watched = trace->bound;
    }
    bool within = hash <= trace->narrow;
    if (hash > trace->bound || (within && trace->inside >= trace->budget)) return;
    if (trace->failed || (trace->count == trace->capacity && !grow(trace))) return;
    trace->entries[trace->count++] = *entry;
    trace->inside += within;
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
                                                            .narrow = trace->narrow,
                                                            .duration = duration};
    store->count += trace->count;
}

void sim_trace_append(sim_trace *to, sim_trace *from) {
    to->failed = to->failed || from->failed || !reserve(to, from->count, from->block_count);
    if (!to->failed) {
        if (from->count)
            memcpy(to->entries + to->count, from->entries, from->count * sizeof *to->entries);
        for (uint64_t i = 0; i < from->block_count; i++) {
            to->blocks[to->block_count] = from->blocks[i];
            to->blocks[to->block_count++].first += to->count;
        }
        to->count += from->count;
    }
    from->count = from->block_count = 0;
    from->failed = false;
}

static int by_block(const void *a, const void *b) {
    uint64_t x = ((const sim_trace_block *)a)->block, y = ((const sim_trace_block *)b)->block;
    return (x > y) - (x < y);
}

// The bound of the launch: cache_trace.h.
static uint32_t bound_of(const sim_trace *trace) {
    uint32_t levels[SIM_TRACE_LEVELS] = {0}, narrowest = UINT32_MAX, kept = UINT32_MAX;
    for (uint64_t i = 0; i < trace->block_count; i++) {
        const sim_trace_block *block = &trace->blocks[i];
        levels[sim_trace_level(block->narrow)]++;
        if (block->narrow < narrowest) narrowest = block->narrow;
        if (block->bound < kept) kept = block->bound;
    }
    uint32_t others = sim_trace_widest(levels, trace->block_count);
    uint32_t bound = narrowest >= others >> SIM_TRACE_FAR ? narrowest : others;
    return bound < kept ? bound : kept;
}

uint32_t sim_trace_settle(sim_trace *trace) {
    uint32_t bound = bound_of(trace);
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
