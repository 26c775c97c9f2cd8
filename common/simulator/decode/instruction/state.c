// What every stage asks of a module that is being decoded: to report an error, and its functions by
// name.
#include "decode/instruction/instruction.h"

sim_status decode_fail(const decode_module *module, ptx_place place, sim_status status,
                       const char *format, ...) {
    char message[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    return ptx_fail(module->text, module->text_bytes, place, status, module->err, "%s", message);
}

sim_status decode_no_memory(const decode_module *module) {
    return sim_fail(module->err, SIM_OUT_OF_MEMORY, "out of memory while decoding PTX");
}

uint32_t decode_find_function(const decode_module *module, const char *name) {
    // An alias of an alias is not PTX, but a loop of them must not hang.
    for (int depth = 0; depth < 8; depth++) {
        uint32_t index = decode_map_get(&module->functions, name);
        if (index != DECODE_NONE) return index;
        uint32_t alias = decode_map_get(&module->aliases, name);
        if (alias == DECODE_NONE) return DECODE_NONE;
        name = module->syntax->aliases[alias].target;
    }
    return DECODE_NONE;
}

// -------------------------------------------------------------------------------------------------
// The decoder's containers: a map from interned pointers to numbers, and arrays that grow inside an
// arena. Nothing is ever removed; an arena that dies takes everything along.

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
