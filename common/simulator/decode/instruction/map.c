// SPDX-License-Identifier: MIT
// The decoder's containers: a map from interned pointers to numbers, and arrays that grow inside an
// arena. Nothing is ever removed; an arena that dies takes everything along.
#include "decode/instruction/map.h"

#include <string.h>

static uint32_t hash_pointer(const void *key) {
    uint64_t bits = (uint64_t)(uintptr_t)key;
    return (uint32_t)((bits * UINT64_C(0x9E3779B97F4A7C15)) >> 32);
}

static uint32_t find_cell(const decode_map *map, const void *key) {
    uint32_t mask = map->capacity - 1;
    uint32_t cell = hash_pointer(key) & mask;
    while (map->keys[cell] && map->keys[cell] != key) cell = (cell + 1) & mask;
    return cell;
}

uint32_t decode_map_get(const decode_map *map, const void *key) {
    if (map->count == 0) return DECODE_NONE;
    uint32_t cell = find_cell(map, key);
    return map->keys[cell] ? map->values[cell] : DECODE_NONE;
}

static bool grow_map(sim_arena *arena, decode_map *map) {
    decode_map larger = {.capacity = map->capacity ? map->capacity * 2 : 64, .count = map->count};
    larger.keys = sim_arena_array(arena, larger.capacity, sizeof *larger.keys);
    larger.values = sim_arena_array(arena, larger.capacity, sizeof *larger.values);
    if (!larger.keys || !larger.values) return false;
    for (uint32_t i = 0; i < map->capacity; i++) {
        if (!map->keys[i]) continue;
        uint32_t cell = find_cell(&larger, map->keys[i]);
        larger.keys[cell] = map->keys[i];
        larger.values[cell] = map->values[i];
    }
    *map = larger;
    return true;
}

bool decode_map_put(sim_arena *arena, decode_map *map, const void *key, uint32_t value) {
    if (map->count * 2 >= map->capacity && !grow_map(arena, map)) return false;
    uint32_t cell = find_cell(map, key);
    if (!map->keys[cell]) map->count++;
    map->keys[cell] = key;
    map->values[cell] = value;
    return true;
}

void *decode_grow(sim_arena *arena, void *array, uint32_t count, uint32_t *capacity,
                  size_t element_bytes) {
    if (array && count < *capacity) return array;
    if (count > UINT32_MAX / 4) return NULL;
    uint32_t larger = count < 8 ? 16 : count * 2;
    void *copy = sim_arena_array(arena, larger, element_bytes);
    if (!copy) return NULL;
    if (count) memcpy(copy, array, (size_t)count * element_bytes);
    *capacity = larger;
    return copy;
}
