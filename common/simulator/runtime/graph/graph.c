// SPDX-License-Identifier: MIT
// Graphs as structures: nodes, what each waits for, copies, and the questions about them (CUDA Runtime
// API, "Graph Management"). Nodes are made in runtime_graph_nodes.c.
#include "runtime/graph/graph.h"

#include <stdlib.h>
#include <string.h>

// ---- sets of nodes ------------------------------------------------------------------------------

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

// ---- graphs and nodes ---------------------------------------------------------------------------

struct CUgraph_st *runtime_graph_find(cudaGraph_t graph) {
    return graph ? runtime_map_get(&runtime.graphs, graph) : NULL;
}

struct CUgraphNode_st *runtime_node_find(cudaGraphNode_t node) {
    return node ? runtime_map_get(&runtime.nodes, node) : NULL;
}

struct CUgraph_st *runtime_graph_new(void) {
    struct CUgraph_st *graph = calloc(1, sizeof *graph);
    if (!graph || !runtime_map_put(&runtime.graphs, graph, graph)) {
        free(graph);
        return NULL;
    }
    graph->id = ++runtime.next_graph_id;
    return graph;
}

static void free_node(struct CUgraphNode_st *node) {
    runtime_map_remove(&runtime.nodes, node);
    runtime_work_free(&node->work);
    runtime_set_free(&node->before);
    free(node);
}

void runtime_graph_free(struct CUgraph_st *graph) {
    if (!graph) return;
    runtime_map_remove(&runtime.graphs, graph);
    for (size_t i = 0; i < graph->nodes.count; i++) free_node(graph->nodes.nodes[i]);
    runtime_set_free(&graph->nodes);
    runtime_users_release(graph);
    free(graph);
}

// Graphs inside others go with those.
void runtime_graphs_reset(void) {
    runtime_execs_reset();
    for (bool found = true; found;) {
        struct CUgraph_st *graph;
        found = false;
        for (size_t at = 0; !found && (graph = runtime_map_next(&runtime.graphs, &at));)
            found = !graph->is_child;
        if (found) runtime_graph_free(graph);
    }
    runtime_map_free(&runtime.graphs);
    runtime_map_free(&runtime.nodes);
}

static cudaError_t check_before(const struct CUgraph_st *graph, const cudaGraphNode_t *before,
                                size_t count) {
    if (count && !before) return cudaErrorInvalidValue;
    for (size_t i = 0; i < count; i++) {
        const struct CUgraphNode_st *node = runtime_node_find(before[i]);
        if (!node || node->graph != graph) return cudaErrorInvalidValue;
        for (size_t k = 0; k < i; k++)
            if (before[k] == before[i]) return cudaErrorInvalidValue;
    }
    return cudaSuccess;
}

static struct CUgraphNode_st *new_node(struct CUgraph_st *graph, const cudaGraphNode_t *before,
                                       size_t count) {
    struct CUgraphNode_st *node = calloc(1, sizeof *node);
    if (!node) return NULL;
    node->graph = graph;
    node->work.type = cudaGraphNodeTypeEmpty;
    bool whole = runtime_map_put(&runtime.nodes, node, node);
    for (size_t i = 0; i < count && whole; i++) whole = runtime_set_add(&node->before, before[i]);
    if (!whole || !runtime_set_add(&graph->nodes, node)) {
        free_node(node);
        return NULL;
    }
    node->id = graph->next_node_id++;
    node->serial = ++runtime.next_node_serial;
    return node;
}

cudaError_t runtime_graph_add(struct CUgraph_st *graph, const cudaGraphNode_t *before, size_t count,
                              runtime_work *work, struct CUgraphNode_st **out_node) {
    cudaError_t status = check_before(graph, before, count);
    struct CUgraphNode_st *node = status ? NULL : new_node(graph, before, count);
    if (!status && !node) status = cudaErrorMemoryAllocation;
    if (status) {
        runtime_work_free(work);
        return status;
    }
    node->work = *work;
    *out_node = node;
    return cudaSuccess;
}

struct CUgraphNode_st *runtime_graph_twin(const struct CUgraph_st *clone,
                                          const struct CUgraphNode_st *node) {
    for (size_t i = 0; i < clone->nodes.count; i++) {
        struct CUgraphNode_st *copy = clone->nodes.nodes[i];
        if (copy->twin_of == node->serial) return copy;
        if (copy->work.type != cudaGraphNodeTypeGraph) continue;
        struct CUgraphNode_st *inside = runtime_graph_twin(copy->work.graph, node);
        if (inside) return inside;
    }
    return NULL;
}

// Nodes first: an edge may lead to a node that was added later.
static bool copy_nodes(const struct CUgraph_st *from, struct CUgraph_st *to) {
    for (size_t i = 0; i < from->nodes.count; i++) {
        const struct CUgraphNode_st *node = from->nodes.nodes[i];
        struct CUgraphNode_st *copy = new_node(to, NULL, 0);
        if (!copy || runtime_work_copied(&node->work, &copy->work)) return false;
        copy->twin_of = node->serial;
    }
    for (size_t i = 0; i < from->nodes.count; i++) {
        const runtime_node_set *before = &from->nodes.nodes[i]->before;
        for (size_t k = 0; k < before->count; k++)
            if (!runtime_set_add(&to->nodes.nodes[i]->before,
                                 runtime_graph_twin(to, before->nodes[k])))
                return false;
    }
    return true;
}

struct CUgraph_st *runtime_graph_copied(const struct CUgraph_st *from) {
    struct CUgraph_st *to = runtime_graph_new();
    if (!to) return NULL;
    if (copy_nodes(from, to) && runtime_users_copy(from, to)) return to;
    runtime_graph_free(to);
    return NULL;
}

static bool is_ready(const struct CUgraphNode_st *node) {
    for (size_t i = 0; i < node->before.count; i++)
        if (node->before.nodes[i]->waiting) return false;
    return true;
}

// Rounds over the nodes in the order in which they were added, which mostly is a right one already.
cudaError_t runtime_graph_sort(const struct CUgraph_st *graph, struct CUgraphNode_st ***out_order) {
    size_t count = graph->nodes.count, placed = 0, last_round;
    struct CUgraphNode_st **order = malloc((count + 1) * sizeof(void *));
    if (!order) return cudaErrorMemoryAllocation;
    for (size_t i = 0; i < count; i++) graph->nodes.nodes[i]->waiting = 1;
    do {
        last_round = placed;
        for (size_t i = 0; i < count; i++) {
            struct CUgraphNode_st *node = graph->nodes.nodes[i];
            if (!node->waiting || !is_ready(node)) continue;
            node->waiting = 0;
            order[placed++] = node;
        }
    } while (placed > last_round);
    if (placed == count) {
        *out_order = order;
        return cudaSuccess;
    }
    free(order);
    return cudaErrorInvalidValue;
}

cudaError_t cudaGraphCreate(cudaGraph_t *pGraph, unsigned int flags) {
    cudaError_t status = runtime_enter(RUNTIME_DEVICE, "cudaGraphCreate(%u)", flags);
    if (!status && (!pGraph || flags != 0)) status = cudaErrorInvalidValue;
    if (!status) {
        struct CUgraph_st *graph = runtime_graph_new();
        if (graph)
            *pGraph = graph;
        else
            status = cudaErrorMemoryAllocation;
    }
    return runtime_leave(status);
}

// Enters a call that names a graph and finds it.
static cudaError_t enter_graph(const char *call, cudaGraph_t handle,
                               struct CUgraph_st **out_graph) {
    cudaError_t status = runtime_enter(RUNTIME_DEVICE, "%s(%p)", call, (void *)handle);
    *out_graph = status ? NULL : runtime_graph_find(handle);
    if (!status && !*out_graph) status = cudaErrorInvalidValue;
    return status;
}

static cudaError_t enter_node(const char *call, cudaGraphNode_t handle,
                              struct CUgraphNode_st **out_node) {
    cudaError_t status = runtime_enter(RUNTIME_DEVICE, "%s(%p)", call, (void *)handle);
    *out_node = status ? NULL : runtime_node_find(handle);
    if (!status && !*out_node) status = cudaErrorInvalidValue;
    return status;
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
    struct CUgraph_st *live;
    cudaError_t status = enter_graph("cudaGraphDestroy", graph, &live);
    if (!status && live->is_child) status = cudaErrorInvalidValue;
    if (!status) runtime_graph_free(live);
    return runtime_leave(status);
}

cudaError_t cudaGraphClone(cudaGraph_t *pGraphClone, cudaGraph_t originalGraph) {
    struct CUgraph_st *live;
    cudaError_t status = enter_graph("cudaGraphClone", originalGraph, &live);
    if (!status && !pGraphClone) status = cudaErrorInvalidValue;
    if (!status && runtime_graph_has_memory(live)) status = cudaErrorNotSupported;
    if (!status && !(*pGraphClone = runtime_graph_copied(live))) status = cudaErrorMemoryAllocation;
    return runtime_leave(status);
}

cudaError_t cudaGraphNodeFindInClone(cudaGraphNode_t *pNode, cudaGraphNode_t originalNode,
                                     cudaGraph_t clonedGraph) {
    struct CUgraph_st *clone;
    cudaError_t status = enter_graph("cudaGraphNodeFindInClone", clonedGraph, &clone);
    const struct CUgraphNode_st *node = status ? NULL : runtime_node_find(originalNode);
    if (!status && (!pNode || !node)) status = cudaErrorInvalidValue;
    if (!status) {
        struct CUgraphNode_st *twin = runtime_graph_twin(clone, node);
        if (twin)
            *pNode = twin;
        else
            status = cudaErrorInvalidValue;
    }
    return runtime_leave(status);
}

cudaError_t cudaGraphDestroyNode(cudaGraphNode_t node) {
    struct CUgraphNode_st *live;
    cudaError_t status = enter_node("cudaGraphDestroyNode", node, &live);
    if (!status && runtime_graph_has_memory(live->graph)) status = cudaErrorNotSupported;
    if (!status) {
        const runtime_node_set *all = &live->graph->nodes;
        for (size_t i = 0; i < all->count; i++) runtime_set_remove(&all->nodes[i]->before, live);
        runtime_set_remove(&live->graph->nodes, live);
        free_node(live);
    }
    return runtime_leave(status);
}

cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, enum cudaGraphNodeType *pType) {
    struct CUgraphNode_st *live;
    cudaError_t status = enter_node("cudaGraphNodeGetType", node, &live);
    if (!status && !pType) status = cudaErrorInvalidValue;
    if (!status) *pType = live->work.type;
    return runtime_leave(status);
}

// ---- lists --------------------------------------------------------------------------------------

// Answers with as many nodes as the program has room for, the rest of the room empty; without a list,
// with their number.
static cudaError_t answer(const runtime_node_set *found, cudaGraphNode_t *out_nodes,
                          cudaGraphEdgeData *out_edges, size_t *count) {
    if (!count) return cudaErrorInvalidValue;
    if (!out_nodes) {
        *count = found->count;
        return cudaSuccess;
    }
    for (size_t i = 0; i < *count; i++) {
        out_nodes[i] = i < found->count ? found->nodes[i] : NULL;
        if (out_edges) memset(&out_edges[i], 0, sizeof *out_edges);
    }
    if (*count > found->count) *count = found->count;
    return cudaSuccess;
}

cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *numNodes) {
    struct CUgraph_st *live;
    cudaError_t status = enter_graph("cudaGraphGetNodes", graph, &live);
    if (!status) status = answer(&live->nodes, nodes, NULL, numNodes);
    return runtime_leave(status);
}

cudaError_t cudaGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t *pRootNodes,
                                  size_t *pNumRootNodes) {
    struct CUgraph_st *live;
    runtime_node_set roots = {0};
    cudaError_t status = enter_graph("cudaGraphGetRootNodes", graph, &live);
    for (size_t i = 0; !status && i < live->nodes.count; i++)
        if (live->nodes.nodes[i]->before.count == 0 &&
            !runtime_set_add(&roots, live->nodes.nodes[i]))
            status = cudaErrorMemoryAllocation;
    if (!status) status = answer(&roots, pRootNodes, NULL, pNumRootNodes);
    runtime_set_free(&roots);
    return runtime_leave(status);
}

cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t *pDependencies,
                                         cudaGraphEdgeData *edgeData, size_t *pNumDependencies) {
    struct CUgraphNode_st *live;
    cudaError_t status = enter_node("cudaGraphNodeGetDependencies", node, &live);
    if (!status) status = answer(&live->before, pDependencies, edgeData, pNumDependencies);
    return runtime_leave(status);
}

cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t node, cudaGraphNode_t *pDependentNodes,
                                           cudaGraphEdgeData *edgeData,
                                           size_t *pNumDependentNodes) {
    struct CUgraphNode_st *live;
    runtime_node_set after = {0};
    cudaError_t status = enter_node("cudaGraphNodeGetDependentNodes", node, &live);
    for (size_t i = 0; !status && i < live->graph->nodes.count; i++) {
        struct CUgraphNode_st *other = live->graph->nodes.nodes[i];
        if (runtime_set_has(&other->before, live) && !runtime_set_add(&after, other))
            status = cudaErrorMemoryAllocation;
    }
    if (!status) status = answer(&after, pDependentNodes, edgeData, pNumDependentNodes);
    runtime_set_free(&after);
    return runtime_leave(status);
}

static bool edges_from(struct CUgraphNode_st *node, runtime_node_set *starts,
                       runtime_node_set *ends) {
    const runtime_node_set *all = &node->graph->nodes;
    for (size_t i = 0; i < all->count; i++) {
        if (!runtime_set_has(&all->nodes[i]->before, node)) continue;
        if (!runtime_set_add(starts, node) || !runtime_set_add(ends, all->nodes[i])) return false;
    }
    return true;
}

cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to,
                              cudaGraphEdgeData *edgeData, size_t *numEdges) {
    struct CUgraph_st *live;
    runtime_node_set starts = {0}, ends = {0};
    cudaError_t status = enter_graph("cudaGraphGetEdges", graph, &live);
    if (!status && (!numEdges || !from != !to)) status = cudaErrorInvalidValue;
    for (size_t i = 0; !status && i < live->nodes.count; i++)
        if (!edges_from(live->nodes.nodes[i], &starts, &ends)) status = cudaErrorMemoryAllocation;
    size_t room = status ? 0 : *numEdges;
    if (!status) status = answer(&starts, from, edgeData, numEdges);
    if (!status && to) status = answer(&ends, to, NULL, &room);
    runtime_set_free(&starts);
    runtime_set_free(&ends);
    return runtime_leave(status);
}

// ---- edges --------------------------------------------------------------------------------------

// Both ends of edge `i` as live nodes of `graph`.
static cudaError_t edge_at(const struct CUgraph_st *graph, const cudaGraphNode_t *from,
                           const cudaGraphNode_t *to, const cudaGraphEdgeData *data, size_t i,
                           struct CUgraphNode_st **out_from, struct CUgraphNode_st **out_to) {
    static const cudaGraphEdgeData plain;
    if (!from || !to) return cudaErrorInvalidValue;
    *out_from = runtime_node_find(from[i]);
    *out_to = runtime_node_find(to[i]);
    if (!*out_from || !*out_to || *out_from == *out_to) return cudaErrorInvalidValue;
    if ((*out_from)->graph != graph || (*out_to)->graph != graph) return cudaErrorInvalidValue;
    if (data && memcmp(&data[i], &plain, sizeof plain) != 0) return cudaErrorInvalidValue;
    return cudaSuccess;
}

cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t *from,
                                     const cudaGraphNode_t *to, const cudaGraphEdgeData *edgeData,
                                     size_t numDependencies) {
    struct CUgraph_st *live;
    struct CUgraphNode_st *first, *second;
    cudaError_t status = enter_graph("cudaGraphAddDependencies", graph, &live);
    for (size_t i = 0; !status && i < numDependencies; i++) {
        status = edge_at(live, from, to, edgeData, i, &first, &second);
        if (!status && runtime_set_has(&second->before, first)) status = cudaErrorInvalidValue;
        if (!status && !runtime_set_add(&second->before, first)) status = cudaErrorMemoryAllocation;
    }
    return runtime_leave(status);
}

cudaError_t cudaGraphRemoveDependencies(cudaGraph_t graph, const cudaGraphNode_t *from,
                                        const cudaGraphNode_t *to,
                                        const cudaGraphEdgeData *edgeData, size_t numDependencies) {
    struct CUgraph_st *live;
    struct CUgraphNode_st *first, *second;
    cudaError_t status = enter_graph("cudaGraphRemoveDependencies", graph, &live);
    if (!status && numDependencies && runtime_graph_has_memory(live))
        status = cudaErrorNotSupported;
    for (size_t i = 0; !status && i < numDependencies; i++) {
        status = edge_at(live, from, to, edgeData, i, &first, &second);
        if (!status && !runtime_set_remove(&second->before, first)) status = cudaErrorInvalidValue;
    }
    return runtime_leave(status);
}
