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

void sim_trace_make_room_and_add(sim_block_trace *trace, const sim_trace_entry *entry) {
    uint32_t hash = sim_trace_hash(entry->line);
    while (trace->count >= trace->most && hash <= trace->bound && trace->bound > 0) {
        trace->bound >>= 1;
        trace->count = thin(trace->entries, trace->count, trace->bound);
        if (!trace->watches_all) trace->watched = trace->bound;
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

void sim_trace_append(sim_trace *to, const sim_trace *from) {
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

void sim_trace_clear(sim_trace *trace) {
    memset(trace->levels, 0, sizeof trace->levels);
    trace->count = trace->block_count = 0;
    trace->failed = false;
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
