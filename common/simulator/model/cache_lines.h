// SPDX-License-Identifier: MIT
// Sets of cache lines with least-recently-used replacement, for the cache model: every line ever
// met has a record, found by its key; those that are in a cache are in that cache's list of
// recency. Real caches are set-associative with replacement rules that are not public; this is
// their limit of full associativity.
#ifndef SIM_MODEL_CACHE_LINES_H
#define SIM_MODEL_CACHE_LINES_H

#include <stdbool.h>
#include <stdint.h>

#define SIM_NO_LINE UINT32_MAX

typedef struct sim_cache_line {
    uint64_t key;
    uint32_t newer, older; // in the list of its cache
    bool resident;
    uint8_t valid, dirty; // bit s: sector s
    uint8_t merged;       // sectors that the groups below asked for
    uint32_t merge_time;  // see cache_model.c
    uint64_t merge_groups;
} sim_cache_line;

typedef struct sim_cache {
    uint32_t newest, oldest, count, capacity;
} sim_cache;

typedef struct sim_cache_lines {
    sim_cache_line *lines;
    uint32_t count, capacity;
    uint32_t *buckets; // index + 1, linear probing; a power of two of them
    uint32_t bucket_mask;
} sim_cache_lines;

// Room for `capacity` different keys; false: no host memory.
bool sim_cache_lines_new(sim_cache_lines *lines, uint64_t capacity);
void sim_cache_lines_free(sim_cache_lines *lines);
// The record of this key, made when there is none.
sim_cache_line *sim_cache_find(sim_cache_lines *lines, uint64_t key);
void sim_cache_clear(sim_cache *cache, uint32_t capacity);
// Makes `line` the newest of `cache`. What had to leave for it loses its valid sectors; returns the
// number of its dirty ones.
uint32_t sim_cache_touch(sim_cache_lines *lines, sim_cache *cache, sim_cache_line *line);

#endif
