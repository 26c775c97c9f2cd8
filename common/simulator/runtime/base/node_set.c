// SPDX-License-Identifier: MIT
// Lists of nodes of a graph; those of real programs are short, so that they are searched from the
// start.
#include "runtime/base/node_set.h"

#include <stdlib.h>
#include <string.h>

bool runtime_set_add(runtime_node_set *set, struct CUgraphNode_st *node) {
    if (set->count == set->capacity) {
        size_t capacity = set->capacity ? 2 * set->capacity : 4;
        struct CUgraphNode_st **larger = realloc(set->nodes, capacity * sizeof(void *));
        if (!larger) return false;
        set->nodes = larger;
        set->capacity = capacity;
    }
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
