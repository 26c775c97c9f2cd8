// Hash table from pointer to pointer (Knuth, TAOCP 6.4, algorithm L with tombstones).
#include "runtime/base/base.h"

static const char removed_marker;
#define RUNTIME_MAP_REMOVED ((const void *)&removed_marker)

enum { FIRST_CAPACITY = 64 };

// Pointers are aligned, so the low bits say little: multiply and take the high bits (Fibonacci).
static size_t slot_of(const runtime_map *map, const void *key) {
    uint64_t hash = (uint64_t)(uintptr_t)key * UINT64_C(0x9E3779B97F4A7C15);
    return (size_t)(hash >> 20) & (map->capacity - 1);
}

static runtime_map_entry *find(const runtime_map *map, const void *key) {
    if (map->capacity == 0 || !key) return NULL;
    for (size_t i = slot_of(map, key); map->entries[i].key; i = (i + 1) & (map->capacity - 1))
        if (map->entries[i].key == key) return &map->entries[i];
    return NULL;
}

static void insert_new(runtime_map *map, const void *key, void *value) {
    size_t i = slot_of(map, key);
    while (map->entries[i].key) i = (i + 1) & (map->capacity - 1);
    map->entries[i] = (runtime_map_entry){key, value};
    map->used++;
    map->live++;
}

static bool grow(runtime_map *map) {
    size_t capacity = FIRST_CAPACITY;
    while (capacity < 4 * (map->live + 1)) capacity *= 2;
    runtime_map larger = {calloc(capacity, sizeof *larger.entries), capacity, 0, 0};
    if (!larger.entries) return false;
    for (size_t i = 0; i < map->capacity; i++) {
        const void *key = map->entries[i].key;
        if (key && key != RUNTIME_MAP_REMOVED) insert_new(&larger, key, map->entries[i].value);
    }
    free(map->entries);
    *map = larger;
    return true;
}

bool runtime_map_put(runtime_map *map, const void *key, void *value) {
    runtime_map_entry *entry = find(map, key);
    if (entry) {
        entry->value = value;
        return true;
    }
    if (2 * (map->used + 1) > map->capacity && !grow(map)) return false;
    insert_new(map, key, value);
    return true;
}

void *runtime_map_get(const runtime_map *map, const void *key) {
    runtime_map_entry *entry = find(map, key);
    return entry ? entry->value : NULL;
}

void runtime_map_remove(runtime_map *map, const void *key) {
    runtime_map_entry *entry = find(map, key);
    if (!entry) return;
    *entry = (runtime_map_entry){RUNTIME_MAP_REMOVED, NULL};
    map->live--;
}

void *runtime_map_next(const runtime_map *map, size_t *position) {
    while (*position < map->capacity) {
        const runtime_map_entry *entry = &map->entries[(*position)++];
        if (entry->key && entry->key != RUNTIME_MAP_REMOVED) return entry->value;
    }
    return NULL;
}

void runtime_map_free(runtime_map *map) {
    free(map->entries);
    *map = (runtime_map){0};
}

// -------------------------------------------------------------------------------------------------
// Lists of nodes of a graph; those of real programs are short, so that they are searched from the
// start.

bool runtime_set_add(runtime_node_set *set, struct CUgraphNode_st *node) {
    if (!sim_reserve(&set->nodes, &set->capacity, set->count, sizeof(void *))) return false;
    set->nodes[set->count++] = node;
    return true;
}

bool runtime_set_has(const runtime_node_set *set, const struct CUgraphNode_st *node) {
    for (size_t i = 0; i < set->count; i++)
        if (set->nodes[i] == node) return true;
    return false;
}

bool runtime_set_copy(const runtime_node_set *from, runtime_node_set *out_set) {
    runtime_node_set made = {0};
    for (size_t i = 0; i < from->count; i++)
        if (!runtime_set_add(&made, from->nodes[i])) {
            runtime_set_free(&made);
            return false;
        }
    runtime_set_free(out_set);
    *out_set = made;
    return true;
}

bool runtime_set_remove(runtime_node_set *set, const struct CUgraphNode_st *node) {
    for (size_t i = 0; i < set->count; i++) {
        if (set->nodes[i] != node) continue;
        set->count--;
        memmove(set->nodes + i, set->nodes + i + 1, (set->count - i) * sizeof(void *));
        return true;
    }
    return false;
}

void runtime_set_free(runtime_node_set *set) {
    free(set->nodes);
    *set = (runtime_node_set){0};
}
