// SPDX-License-Identifier: MIT
// The decoder's containers: see map.c.
#ifndef SIM_DECODE_INSTRUCTION_MAP_H
#define SIM_DECODE_INSTRUCTION_MAP_H

#include <stdbool.h>

#include "base/arena.h"

enum { DECODE_NONE = 0xFFFFFFFFu };

// From interned pointers to numbers; zeroed is empty. Memory comes from the arena and is never
// returned.
typedef struct decode_map {
    const void **keys;
    uint32_t *values;
    uint32_t count, capacity;
} decode_map;

uint32_t decode_map_get(const decode_map *map, const void *key); // DECODE_NONE when absent
bool decode_map_put(sim_arena *arena, decode_map *map, const void *key, uint32_t value);

// Room for one more element of a growing array in an arena; NULL when memory is short.
void *decode_grow(sim_arena *arena, void *array, uint32_t count, uint32_t *capacity,
                  size_t element_bytes);
#define DECODE_PUSH(arena, array, count, capacity)                                                 \
    (((array) = decode_grow((arena), (array), (count), &(capacity), sizeof *(array)))              \
         ? &(array)[(count)++]                                                                     \
         : NULL)

#endif
