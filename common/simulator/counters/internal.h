// Sets of cache lines with least-recently-used replacement, for the cache model: every line ever
// met has a record, found by its key; those that are in a cache are in that cache's list of
// recency. Real caches are set-associative with replacement rules that are not public; this is
// their limit of full associativity.
#pragma once

#include "counters/counters.h"

#define SIM_NO_LINE UINT32_MAX

typedef struct sim_cache_line {
    uint64_t key;
    uint32_t newer, older; // in the list of its cache
    bool resident;
    uint8_t valid, dirty; // bit s: sector s
    uint8_t whole;        // sectors of which a part was stored and that are whole by now
    uint8_t parts[4];     // stores of parts of sector s since parts_since
    // Of the L2 alone; records of others end before.
    uint8_t begun;           // sectors of which a part was stored ever
    uint8_t merged;          // sectors that the groups below asked for
    uint16_t merge_sm;       // that asked last
    uint32_t merge_time;     // see cache_model.c
    uint32_t parts_since[4]; // when a part of sector s was stored that was not whole
    uint32_t filled_time;    // when device memory was asked last, plus 1; 0: never
    uint64_t merge_groups;
} sim_cache_line;
enum { SIM_LINE_SHORT = 5, SIM_LINE_FULL = 6 }; // bytes of a record, as a power of two

typedef struct sim_cache {
    uint32_t newest, oldest, count, capacity;
} sim_cache;

// Of the hash table. Most lines that have come to another's bucket are told apart by their tags,
// so that their records, mostly in no cache of this machine, are not read.
typedef struct sim_cache_bucket {
    uint32_t place; // of its line, plus 1; 0: none
    uint32_t tag;   // all bits of its key's hash
} sim_cache_bucket;

typedef struct sim_cache_lines {
    uint8_t *lines; // [capacity] records of 1 << `shift` bytes
    uint32_t count, capacity, shift;
    sim_cache_bucket *buckets; // linear probing
    uint32_t bucket_mask;      // of those in use: a power of two, at least twice the lines
} sim_cache_lines;

// Forgets all lines and makes room for `capacity` different keys, each with a record of 1 << shift
// bytes; false: no host memory. `lines` is zero or has been used before, with the same shift. A
// launch often meets a small part of its keys: so only as many buckets are used as its lines need,
// and memory that is not used is not touched.
bool sim_cache_lines_begin(sim_cache_lines *lines, uint64_t capacity, uint32_t shift);
void sim_cache_lines_free(sim_cache_lines *lines);
// Begins to fetch what a find of this key will read: the first call its bucket, the second one,
// some finds later, its record; false: it has none yet.
void sim_cache_expect(const sim_cache_lines *lines, uint64_t key);
bool sim_cache_expect_soon(const sim_cache_lines *lines, uint64_t key);
// The record of this key, made when there is none.
sim_cache_line *sim_cache_find(sim_cache_lines *lines, uint64_t key);
void sim_cache_clear(sim_cache *cache, uint32_t capacity);
// Makes `line` the newest of `cache`. What had to leave for it loses its valid sectors; returns the
// number of its dirty ones.
uint32_t sim_cache_touch(sim_cache_lines *lines, sim_cache *cache, sim_cache_line *line);
