// Graphs as structures: made, copied, asked about; nodes are made in add_node.c (CUDA Runtime API,
// "Graph Management").
#include "runtime/api/graph/enter.h"
#include "runtime/graph/graph.h"
#include <limits.h>

cudaError_t cudaGraphCreate(cudaGraph_t *pGraph, unsigned int flags) {
    cudaError_t status = runtime_enter(RUNTIME_DEVICE, "cudaGraphCreate(%u)", flags);
    if (!status && (!pGraph || flags != 0)) status = cudaErrorInvalidValue;
    if (!status) {
        struct CUgraph_st *graph = runtime_graph_new();
        if (graph) *pGraph = graph;
        else status = cudaErrorMemoryAllocation;
    }
    return runtime_leave(status);
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
    struct CUgraph_st *live;
    cudaError_t status = runtime_graph_enter("cudaGraphDestroy", graph, &live);
    if (!status && live->is_child) status = cudaErrorInvalidValue;
    if (!status) runtime_graph_free(live);
    return runtime_leave(status);
}

cudaError_t cudaGraphClone(cudaGraph_t *pGraphClone, cudaGraph_t originalGraph) {
    struct CUgraph_st *live;
    cudaError_t status = runtime_graph_enter("cudaGraphClone", originalGraph, &live);
    if (!status && !pGraphClone) status = cudaErrorInvalidValue;
    if (!status && (runtime_graph_has_memory(live) || live->condition_count))
        status = cudaErrorNotSupported;
    if (!status && !(*pGraphClone = runtime_graph_copied(live))) status = cudaErrorMemoryAllocation;
    return runtime_leave(status);
}

cudaError_t cudaGraphNodeFindInClone(cudaGraphNode_t *pNode, cudaGraphNode_t originalNode,
                                     cudaGraph_t clonedGraph) {
    struct CUgraph_st *clone;
    cudaError_t status = runtime_graph_enter("cudaGraphNodeFindInClone", clonedGraph, &clone);
    const struct CUgraphNode_st *node = status ? NULL : runtime_node_find(originalNode);
    if (!status && (!pNode || !node)) status = cudaErrorInvalidValue;
    if (!status) {
        struct CUgraphNode_st *twin = runtime_graph_twin(clone, node);
        if (twin) *pNode = twin;
        else status = cudaErrorInvalidValue;
    }
    return runtime_leave(status);
}

cudaError_t cudaGraphDestroyNode(cudaGraphNode_t node) {
    struct CUgraphNode_st *live;
    cudaError_t status = runtime_node_enter("cudaGraphDestroyNode", node, &live);
    if (!status && runtime_graph_has_memory(live->graph)) status = cudaErrorNotSupported;
    if (!status) runtime_graph_remove(live);
    return runtime_leave(status);
}

cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, enum cudaGraphNodeType *pType) {
    struct CUgraphNode_st *live;
    cudaError_t status = runtime_node_enter("cudaGraphNodeGetType", node, &live);
    if (!status && !pType) status = cudaErrorInvalidValue;
    if (!status) *pType = live->work.type;
    return runtime_leave(status);
}

cudaError_t cudaGraphDebugDotPrint(cudaGraph_t graph, const char *path, unsigned int flags) {
    struct CUgraph_st *live;
    cudaError_t status = runtime_graph_enter("cudaGraphDebugDotPrint", graph, &live);
    if (!status && !path) status = cudaErrorInvalidValue;
    FILE *file = status ? NULL : fopen(path, "w");
    if (!status && !file) status = cudaErrorOperatingSystem;
    if (file) {
        runtime_graph_print(file, live, flags);
        bool failed = ferror(file) != 0;
        if (fclose(file) != 0 || failed) status = cudaErrorOperatingSystem;
    }
    return runtime_leave(status);
}

// ---- names (since 13.1) -------------------------------------------------------------------------
// Those that cudaGraphDebugDotPrint writes.

cudaError_t cudaGraphGetId(cudaGraph_t graph, unsigned int *graphID) {
    struct CUgraph_st *live;
    cudaError_t status = runtime_graph_enter("cudaGraphGetId", graph, &live);
    if (!status && !graphID) status = cudaErrorInvalidValue;
    if (!status) *graphID = (unsigned)live->id;
    return runtime_leave(status);
}

cudaError_t cudaGraphExecGetId(cudaGraphExec_t exec, unsigned int *graphID) {
    struct CUgraphExec_st *live;
    cudaError_t status = runtime_exec_enter("cudaGraphExecGetId", exec, &live);
    if (!status && !graphID) status = cudaErrorInvalidValue;
    if (!status) *graphID = (unsigned)live->graph->id;
    return runtime_leave(status);
}

cudaError_t cudaGraphNodeGetContainingGraph(cudaGraphNode_t node, cudaGraph_t *phGraph) {
    struct CUgraphNode_st *live;
    cudaError_t status = runtime_node_enter("cudaGraphNodeGetContainingGraph", node, &live);
    if (!status && !phGraph) status = cudaErrorInvalidValue;
    if (!status) *phGraph = live->graph;
    return runtime_leave(status);
}

cudaError_t cudaGraphNodeGetLocalId(cudaGraphNode_t node, unsigned int *nodeId) {
    struct CUgraphNode_st *live;
    cudaError_t status = runtime_node_enter("cudaGraphNodeGetLocalId", node, &live);
    if (!status && !nodeId) status = cudaErrorInvalidValue;
    if (!status) *nodeId = (unsigned)live->id;
    return runtime_leave(status);
}

cudaError_t cudaGraphNodeGetToolsId(cudaGraphNode_t node, unsigned long long *toolsNodeId) {
    struct CUgraphNode_st *live;
    cudaError_t status = runtime_node_enter("cudaGraphNodeGetToolsId", node, &live);
    if (!status && !toolsNodeId) status = cudaErrorInvalidValue;
    if (!status) *toolsNodeId = live->serial;
    return runtime_leave(status);
}

// ---- lists --------------------------------------------------------------------------------------

// Answers with as many nodes as the program has room for, the rest of it empty; without a
// list, with their number.
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
    cudaError_t status = runtime_graph_enter("cudaGraphGetNodes", graph, &live);
    if (!status) status = answer(&live->nodes, nodes, NULL, numNodes);
    return runtime_leave(status);
}

cudaError_t cudaGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t *pRootNodes,
                                  size_t *pNumRootNodes) {
    struct CUgraph_st *live;
    runtime_node_set roots = {0};
    cudaError_t status = runtime_graph_enter("cudaGraphGetRootNodes", graph, &live);
    for (size_t i = 0; !status && i < live->nodes.count; i++)
        if (live->nodes.nodes[i]->before.count == 0 &&
            !runtime_set_add(&roots, live->nodes.nodes[i]))
            status = cudaErrorMemoryAllocation;
    if (!status) status = answer(&roots, pRootNodes, NULL, pNumRootNodes);
    runtime_set_free(&roots);
    return runtime_leave(status);
}

cudaError_t cudaGraphNodeGetDependencies_v2(cudaGraphNode_t node, cudaGraphNode_t *pDependencies,
                                            cudaGraphEdgeData *edgeData, size_t *pNumDependencies) {
    struct CUgraphNode_st *live;
    cudaError_t status = runtime_node_enter("cudaGraphNodeGetDependencies", node, &live);
    if (!status) status = answer(&live->before, pDependencies, edgeData, pNumDependencies);
    return runtime_leave(status);
}

cudaError_t cudaGraphNodeGetDependentNodes_v2(cudaGraphNode_t node,
                                              cudaGraphNode_t *pDependentNodes,
                                              cudaGraphEdgeData *edgeData,
                                              size_t *pNumDependentNodes) {
    struct CUgraphNode_st *live;
    runtime_node_set after = {0};
    cudaError_t status = runtime_node_enter("cudaGraphNodeGetDependentNodes", node, &live);
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

cudaError_t cudaGraphGetEdges_v2(cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to,
                                 cudaGraphEdgeData *edgeData, size_t *numEdges) {
    struct CUgraph_st *live;
    runtime_node_set starts = {0}, ends = {0};
    cudaError_t status = runtime_graph_enter("cudaGraphGetEdges", graph, &live);
    if (!status && (!numEdges || !from != !to)) status = cudaErrorInvalidValue;
    for (size_t i = 0; !status && i < live->nodes.count; i++)
        if (!edges_from(live->nodes.nodes[i], &starts, &ends)) status = cudaErrorMemoryAllocation;
    size_t capacity = status ? 0 : *numEdges;
    if (!status) status = answer(&starts, from, edgeData, numEdges);
    if (!status && to) status = answer(&ends, to, NULL, &capacity);
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

cudaError_t cudaGraphAddDependencies_v2(cudaGraph_t graph, const cudaGraphNode_t *from,
                                        const cudaGraphNode_t *to,
                                        const cudaGraphEdgeData *edgeData, size_t numDependencies) {
    struct CUgraph_st *live;
    struct CUgraphNode_st *first, *second;
    cudaError_t status = runtime_graph_enter("cudaGraphAddDependencies", graph, &live);
    for (size_t i = 0; !status && i < numDependencies; i++) {
        status = edge_at(live, from, to, edgeData, i, &first, &second);
        if (!status && runtime_set_has(&second->before, first)) status = cudaErrorInvalidValue;
        if (!status && !runtime_set_add(&second->before, first)) status = cudaErrorMemoryAllocation;
    }
    return runtime_leave(status);
}

cudaError_t cudaGraphRemoveDependencies_v2(cudaGraph_t graph, const cudaGraphNode_t *from,
                                           const cudaGraphNode_t *to,
                                           const cudaGraphEdgeData *edgeData,
                                           size_t numDependencies) {
    struct CUgraph_st *live;
    struct CUgraphNode_st *first, *second;
    cudaError_t status = runtime_graph_enter("cudaGraphRemoveDependencies", graph, &live);
    if (!status && numDependencies && runtime_graph_has_memory(live))
        status = cudaErrorNotSupported;
    for (size_t i = 0; !status && i < numDependencies; i++) {
        status = edge_at(live, from, to, edgeData, i, &first, &second);
        if (!status && !runtime_set_remove(&second->before, first)) status = cudaErrorInvalidValue;
    }
    return runtime_leave(status);
}

cudaError_t cudaGraphConditionalHandleCreate(cudaGraphConditionalHandle *pHandle_out,
                                             cudaGraph_t graph, unsigned int defaultLaunchValue,
                                             unsigned int flags) {
    enum { ASSIGN_DEFAULT = 1 }; // cudaGraphCondAssignDefault
    struct CUgraph_st *live;
    cudaError_t status = runtime_graph_enter("cudaGraphConditionalHandleCreate", graph, &live);
    if (!status && (!pHandle_out || (flags & ~ASSIGN_DEFAULT))) status = cudaErrorInvalidValue;
    if (!status)
        status =
            runtime_condition_add(live, defaultLaunchValue, flags & ASSIGN_DEFAULT, pHandle_out);
    return runtime_leave(status);
}

// ---- enter --------------------------------------------------------------------------------------
// The beginnings of calls about graphs.

cudaError_t runtime_graph_enter(const char *call, cudaGraph_t handle,
                                struct CUgraph_st **out_graph) {
    cudaError_t status = runtime_enter(RUNTIME_DEVICE, "%s(%p)", call, (void *)handle);
    *out_graph = status ? NULL : runtime_graph_find(handle);
    if (!status && !*out_graph) status = cudaErrorInvalidValue;
    return status;
}

cudaError_t runtime_node_enter(const char *call, cudaGraphNode_t handle,
                               struct CUgraphNode_st **out_node) {
    cudaError_t status = runtime_enter(RUNTIME_DEVICE, "%s(%p)", call, (void *)handle);
    *out_node = status ? NULL : runtime_node_find(handle);
    if (!status && !*out_node) status = cudaErrorInvalidValue;
    return status;
}

cudaError_t runtime_node_enter_type(const char *call, cudaGraphNode_t handle,
                                    enum cudaGraphNodeType type, struct CUgraphNode_st **out_node) {
    cudaError_t status = runtime_node_enter(call, handle, out_node);
    return !status && (*out_node)->work.type != type ? cudaErrorInvalidValue : status;
}

cudaError_t runtime_exec_enter(const char *call, cudaGraphExec_t handle,
                               struct CUgraphExec_st **out_exec) {
    cudaError_t status = runtime_enter(RUNTIME_DEVICE, "%s(%p)", call, (void *)handle);
    *out_exec = status ? NULL : runtime_exec_find(handle);
    if (!status && !*out_exec)
        status = runtime_invalid("what it was given is no graph that can be launched "
                                 "(cudaGraphInstantiate() makes one of a graph)");
    return status;
}

// ---- user objects, and the references that graphs hold to them ----------------------------------

static bool is_count(unsigned count) { return count > 0 && count <= INT_MAX; }

cudaError_t cudaUserObjectCreate(cudaUserObject_t *object_out, void *ptr, cudaHostFn_t destroy,
                                 unsigned int initialRefcount, unsigned int flags) {
    cudaError_t status = runtime_enter(RUNTIME_DEVICE, "cudaUserObjectCreate(%u)", initialRefcount);
    if (!status && (!object_out || !destroy || !is_count(initialRefcount) ||
                    flags != cudaUserObjectNoDestructorSync))
        status = cudaErrorInvalidValue;
    struct CUuserObject_st *made = status ? NULL : calloc(1, sizeof *made);
    if (!status && (!made || !runtime_map_put(&runtime.user_objects, made, made))) {
        free(made);
        status = cudaErrorMemoryAllocation;
    }
    if (!status) {
        *made = (struct CUuserObject_st){.destructor = {.destroy = destroy, .data = ptr},
                                         .references = initialRefcount};
        *object_out = made;
    }
    return runtime_leave(status);
}

cudaError_t cudaUserObjectRetain(cudaUserObject_t object, unsigned int count) {
    cudaError_t status = runtime_enter(RUNTIME_DEVICE, "cudaUserObjectRetain(%u)", count);
    struct CUuserObject_st *live = status ? NULL : runtime_user_object_find(object);
    if (!status && (!live || !is_count(count))) status = cudaErrorInvalidValue;
    if (!status) live->references += count;
    return runtime_leave(status);
}

cudaError_t cudaUserObjectRelease(cudaUserObject_t object, unsigned int count) {
    cudaError_t status = runtime_enter(RUNTIME_DEVICE, "cudaUserObjectRelease(%u)", count);
    struct CUuserObject_st *live = status ? NULL : runtime_user_object_find(object);
    if (!status && (!live || !is_count(count))) status = cudaErrorInvalidValue;
    if (!status) runtime_user_object_give_back(live, count);
    return runtime_leave(status);
}

// ---- references of graphs -----------------------------------------------------------------------

cudaError_t cudaGraphRetainUserObject(cudaGraph_t graph, cudaUserObject_t object,
                                      unsigned int count, unsigned int flags) {
    cudaError_t status =
        runtime_enter(RUNTIME_DEVICE, "cudaGraphRetainUserObject(%p, %u)", (void *)graph, count);
    struct CUgraph_st *live = status ? NULL : runtime_graph_find(graph);
    struct CUuserObject_st *user = status ? NULL : runtime_user_object_find(object);
    if (!status &&
        (!live || !user || !is_count(count) || (flags & ~(unsigned)cudaGraphUserObjectMove)))
        status = cudaErrorInvalidValue;
    if (!status && !runtime_user_reference_add(live, user, count))
        status = cudaErrorMemoryAllocation;
    if (!status && !(flags & cudaGraphUserObjectMove)) user->references += count;
    return runtime_leave(status);
}

cudaError_t cudaGraphReleaseUserObject(cudaGraph_t graph, cudaUserObject_t object,
                                       unsigned int count) {
    cudaError_t status =
        runtime_enter(RUNTIME_DEVICE, "cudaGraphReleaseUserObject(%p, %u)", (void *)graph, count);
    struct CUgraph_st *live = status ? NULL : runtime_graph_find(graph);
    struct CUuserObject_st *user = status ? NULL : runtime_user_object_find(object);
    runtime_user_reference *held = live && user ? runtime_user_reference_find(live, user) : NULL;
    if (!status && (!live || !user || !is_count(count) || (held && count > held->count)))
        status = cudaErrorInvalidValue;
    if (!status && held) { // of what the graph does not hold, nothing is given back
        held->count -= count;
        if (held->count == 0) *held = live->users[--live->user_count];
        runtime_user_object_give_back(user, count);
    }
    return runtime_leave(status);
}
