// SPDX-License-Identifier: MIT
// What a block asks of the memory system, kept for the cache model: one entry a 128-byte line that
// a warp-level access touches. Only lines whose hash is small enough are kept, and the bound is
// halved whenever the blocks that are done keep more than the launch may; so a long kernel is
// represented by a fixed sample of its lines, each with its whole history: the widest one with no
// more than SIM_TRACE_ENTRIES entries. What is kept in the end depends on the launch alone, never
// on host threads or the order of blocks: a block may start at a bound that the launch will not
// exceed.
#ifndef SIM_RECORD_CACHE_TRACE_H
#define SIM_RECORD_CACHE_TRACE_H

#include <stdbool.h>
#include <stdint.h>

enum {
    SIM_LINE_BYTES = 128,
    SIM_LINE_SECTORS = 4,
    SIM_TRACE_ENTRIES = 1 << 19,       // that a launch keeps at most
    SIM_TRACE_BLOCK_ENTRIES = 1 << 10, // that a block may keep at least
    SIM_TRACE_SHARES = 64,             // of an equal share of them that a block may keep
    SIM_TRACE_REQUESTS_A_WARP = 8,     // guess that the first sample is chosen by
    SIM_TRACE_LEVELS = 33              // bounds: UINT32_MAX >> level
};

// What a request does, as far as the caches tell it apart.
typedef enum sim_trace_kind {
    SIM_TRACE_LOAD,
    SIM_TRACE_LOAD_PAST_L1, // .cg, .cv, volatile and other strong loads: nothing hits in the L1
    SIM_TRACE_LOAD_ONCE,    // .lu, .L1::no_allocate: what the L1 lacks does not stay there
    SIM_TRACE_STORE,
    SIM_TRACE_ATOMIC,
    SIM_TRACE_TEXTURE // only on cards with a texture cache of its own: others count no hits of them
} sim_trace_kind;

// One line that one request touched.
typedef struct sim_trace_entry {
    uint32_t line;   // global: from SIM_GLOBAL_BASE; local: sim_trace_local_line
    uint32_t time;   // requests that the warp had made before, made equal at barriers
    uint32_t site;   // sim_trace_site: the instruction
    uint16_t warp;   // in the block
    uint8_t sectors; // low half: bit s, sector s was touched; high half: written as a whole
    uint8_t kind;    // sim_trace_kind, SIM_TRACE_LOCAL
} sim_trace_entry;
enum { SIM_TRACE_LOCAL = 0x80, SIM_TRACE_LONGEST = 0x40, SIM_TRACE_KIND = 0x3f };

// Recording of the running block.
typedef struct sim_block_trace {
    sim_trace_entry *entries; // in the order of execution, [count]
    uint32_t count, capacity; // of `entries`: recorded, and allocated
    uint32_t bound;           // a line is kept when its hash is not above this: UINT32_MAX >> n
    uint32_t most;            // entries that the block may keep
    bool failed;              // host memory ran out: nothing is kept any more
} sim_block_trace;

// Where a finished block's entries are, and what it would take to compare them with others'.
typedef struct sim_trace_block {
    uint64_t block;        // linear index
    uint64_t first;        // of its entries
    uint32_t count, bound; // entries; the narrowest bound that held
    uint32_t duration;     // requests of its longest warp
} sim_trace_block;

// Recordings of finished blocks, of one worker or of a whole launch.
typedef struct sim_trace {
    sim_trace_entry *entries;             // of all blocks, [count]
    uint64_t count, capacity;             // of `entries`: used, and allocated
    sim_trace_block *blocks;              // [block_count]
    uint64_t block_count, block_capacity; // of `blocks`: used, and allocated
    uint64_t levels[SIM_TRACE_LEVELS];    // entries by sim_trace_level of their lines' hashes
    bool failed;                          // host memory ran out: entries are missing
} sim_trace;

static inline uint32_t sim_trace_hash(uint32_t line) {
    return line * UINT32_C(0x9E3779B1); // golden ratio: neighbours and strides spread evenly
}
static inline uint32_t sim_trace_site(uint32_t function, uint32_t pc) {
    return function << 20 | (pc < 0xFFFFF ? pc : 0xFFFFF);
}
// Row `row` of 32 words of a warp's local memory.
static inline uint32_t sim_trace_local_line(uint32_t warp, uint32_t row) {
    return warp << 13 | (row & 0x1FFF);
}

// The first bound of the sample of a launch with so many warps, and what each of its blocks may
// keep.
uint32_t sim_trace_first_bound(uint64_t warps);
uint32_t sim_trace_most(uint64_t blocks);

// The narrowest of the bounds UINT32_MAX >> level that has this hash.
static inline uint32_t sim_trace_level(uint32_t hash) {
    return hash ? (uint32_t)__builtin_clz(hash) : SIM_TRACE_LEVELS - 1;
}
// The widest bound that the launch can come to, whose finished blocks kept so many entries of each
// level.
uint32_t sim_trace_widest(const uint64_t levels[SIM_TRACE_LEVELS]);

// Begins a block.
void sim_trace_begin(sim_block_trace *trace, uint32_t bound, uint32_t most);
// Adds an entry where memory must grow, or the block has too many and the sample is narrowed.
void sim_trace_grow_and_add(sim_block_trace *trace, const sim_trace_entry *entry);
// Adds an entry if its line is in the sample.
static inline void sim_trace_add(sim_block_trace *trace, const sim_trace_entry *entry) {
    bool fits = trace->count < trace->most && trace->count < trace->capacity;
    if (fits && !trace->failed && sim_trace_hash(entry->line) <= trace->bound)
        trace->entries[trace->count++] = *entry;
    else
        sim_trace_grow_and_add(trace, entry);
}
// Copies a finished block's entries to `store`.
void sim_trace_keep(sim_trace *store, const sim_block_trace *trace, uint64_t block,
                    uint32_t duration);
// Orders blocks by index and brings all of them to the launch's sample; returns its bound.
uint32_t sim_trace_settle(sim_trace *trace);
void sim_trace_free(sim_trace *trace);

#endif
