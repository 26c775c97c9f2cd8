// Line records, their hash table and the lists of recency (internal.h).
#include "counters/internal.h"

enum { FIRST_BUCKETS = 1024 };
_Static_assert(offsetof(sim_cache_line, begun) <= 1 << SIM_LINE_SHORT &&
                   sizeof(sim_cache_line) == 1 << SIM_LINE_FULL,
               "records");

static inline sim_cache_line *line_at(const sim_cache_lines *lines, uint32_t i) {
    return (sim_cache_line *)(lines->lines + ((uint64_t)i << lines->shift));
}

bool sim_cache_lines_begin(sim_cache_lines *lines, uint64_t capacity, uint32_t shift) {
    uint64_t buckets = FIRST_BUCKETS;
    lines->count = 0;
    if (lines->capacity > capacity) {
        memset(lines->buckets, 0, (lines->bucket_mask + UINT64_C(1)) * sizeof *lines->buckets);
        lines->bucket_mask = FIRST_BUCKETS - 1;
        return true;
    }
    sim_cache_lines_free(lines);
    if (capacity >= SIM_NO_LINE / 4) return false;
    while (buckets < 2 * capacity) buckets *= 2;
    lines->shift = shift;
    lines->lines = malloc((capacity + 1) << shift);
    lines->buckets = calloc(buckets, sizeof *lines->buckets);
    lines->capacity = (uint32_t)capacity + 1;
    lines->bucket_mask = FIRST_BUCKETS - 1;
    if (lines->lines && lines->buckets) return true;
    sim_cache_lines_free(lines);
    return false;
}

void sim_cache_lines_free(sim_cache_lines *lines) {
    free(lines->lines);
    free(lines->buckets);
    memset(lines, 0, sizeof *lines);
}

static uint32_t hash_of(uint64_t key) {
    return (uint32_t)((key * UINT64_C(0x9E3779B97F4A7C15)) >> 32);
}

// Uses twice the buckets.
static void use_more(sim_cache_lines *lines) {
    memset(lines->buckets, 0, (lines->bucket_mask + UINT64_C(1)) * sizeof *lines->buckets);
    lines->bucket_mask = 2 * lines->bucket_mask + 1;
    for (uint32_t i = 0; i < lines->count; i++) {
        uint32_t hash = hash_of(line_at(lines, i)->key), at = hash & lines->bucket_mask;
        while (lines->buckets[at].place) at = (at + 1) & lines->bucket_mask;
        lines->buckets[at] = (sim_cache_bucket){i + 1, hash};
    }
}

void sim_cache_expect(const sim_cache_lines *lines, uint64_t key) {
    __builtin_prefetch(&lines->buckets[hash_of(key) & lines->bucket_mask]);
}

bool sim_cache_expect_soon(const sim_cache_lines *lines, uint64_t key) {
    uint32_t hash = hash_of(key), at = hash & lines->bucket_mask;
    while (lines->buckets[at].place && lines->buckets[at].tag != hash)
        at = (at + 1) & lines->bucket_mask;
    uint32_t place = lines->buckets[at].place;
    if (place) __builtin_prefetch(line_at(lines, place - 1));
    return place != 0;
}

sim_cache_line *sim_cache_find(sim_cache_lines *lines, uint64_t key) {
    uint32_t hash = hash_of(key), at = hash & lines->bucket_mask;
    for (; lines->buckets[at].place; at = (at + 1) & lines->bucket_mask) {
        if (lines->buckets[at].tag != hash) continue;
        sim_cache_line *line = line_at(lines, lines->buckets[at].place - 1);
        if (line->key == key) return line;
    }
    sim_cache_line *line = line_at(lines, lines->count++);
    memset(line, 0, (size_t)1 << lines->shift);
    line->key = key;
    line->newer = line->older = SIM_NO_LINE;
    lines->buckets[at] = (sim_cache_bucket){lines->count, hash};
    if (2 * lines->count > lines->bucket_mask + UINT64_C(1)) use_more(lines);
    return line;
}

void sim_cache_clear(sim_cache *cache, uint32_t capacity) {
    *cache = (sim_cache){.newest = SIM_NO_LINE, .oldest = SIM_NO_LINE, .capacity = capacity};
}

static void unlink_line(sim_cache_lines *lines, sim_cache *cache, sim_cache_line *line) {
    if (line->newer != SIM_NO_LINE) line_at(lines, line->newer)->older = line->older;
    else cache->newest = line->older;
    if (line->older != SIM_NO_LINE) line_at(lines, line->older)->newer = line->newer;
    else cache->oldest = line->newer;
    line->resident = false;
    cache->count--;
}

static uint32_t evict_oldest(sim_cache_lines *lines, sim_cache *cache) {
    sim_cache_line *line = line_at(lines, cache->oldest);
    uint32_t dirty = (uint32_t)__builtin_popcount(line->dirty);
    unlink_line(lines, cache, line);
    line->valid = line->dirty = line->whole = 0;
    memset(line->parts, 0, sizeof line->parts);
    return dirty;
}

uint32_t sim_cache_touch(sim_cache_lines *lines, sim_cache *cache, sim_cache_line *line) {
    uint32_t index = (uint32_t)((uint64_t)((uint8_t *)line - lines->lines) >> lines->shift),
             dirty = 0;
    if (cache->newest == index) return 0;
    if (line->resident) unlink_line(lines, cache, line);
    else if (cache->count >= cache->capacity && cache->count > 0)
        dirty = evict_oldest(lines, cache);
    line->older = cache->newest;
    line->newer = SIM_NO_LINE;
    if (cache->newest != SIM_NO_LINE) line_at(lines, cache->newest)->newer = index;
    cache->newest = index;
    if (cache->oldest == SIM_NO_LINE) cache->oldest = index;
    line->resident = true;
    cache->count++;
    return dirty;
}
