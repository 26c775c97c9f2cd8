// SPDX-License-Identifier: MIT
// Hash table from pointer to pointer: open addressing, linear probing, grows at half load.
// Used for live handles and for registered host functions; keys are never NULL.
#ifndef SIM_RUNTIME_BASE_MAP_H
#define SIM_RUNTIME_BASE_MAP_H

#include <stdbool.h>
#include <stddef.h>

typedef struct runtime_map_entry {
    const void *key; // NULL: free; RUNTIME_MAP_REMOVED: was used
    void *value;
} runtime_map_entry;

typedef struct runtime_map { // all zero: empty
    runtime_map_entry *entries;
    size_t capacity, used, live; // used counts removed entries too
} runtime_map;

// false when memory is short; an existing key gets the new value.
bool runtime_map_put(runtime_map *map, const void *key, void *value);
// NULL when there is no such key.
void *runtime_map_get(const runtime_map *map, const void *key);
void runtime_map_remove(runtime_map *map, const void *key);
// The value at or after position *position, which moves past it; NULL at the end. For walking.
void *runtime_map_next(const runtime_map *map, size_t *position);
void runtime_map_free(runtime_map *map);

#endif
