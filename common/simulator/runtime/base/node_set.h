// SPDX-License-Identifier: MIT
// A list of nodes of a graph, in the order in which they came: what a node, a captured stream or an
// event in a capture comes after. Does not look into the nodes.
#ifndef SIM_RUNTIME_BASE_NODE_SET_H
#define SIM_RUNTIME_BASE_NODE_SET_H

#include <stdbool.h>
#include <stddef.h>

struct CUgraphNode_st;

typedef struct runtime_node_set { // all zero: empty
    struct CUgraphNode_st **nodes;
    size_t count, capacity;
} runtime_node_set;

bool runtime_set_add(runtime_node_set *set, struct CUgraphNode_st *node); // false: out of memory
bool runtime_set_has(const runtime_node_set *set, const struct CUgraphNode_st *node);
bool runtime_set_copy(const runtime_node_set *from, runtime_node_set *out_set);
bool runtime_set_remove(runtime_node_set *set, const struct CUgraphNode_st *node);
void runtime_set_free(runtime_node_set *set);

#endif
