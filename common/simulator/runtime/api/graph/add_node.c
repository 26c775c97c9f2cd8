// New nodes of a graph, one kind after the other (CUDA Runtime API, "Graph Management").
#include "runtime/api/graph/enter.h"

// Enters a call that adds a node. The work is made by the caller if this succeeds.
static cudaError_t enter_add(const char *call, const cudaGraphNode_t *out_node, cudaGraph_t graph,
                             struct CUgraph_st **out_graph) {
    cudaError_t status = runtime_graph_enter(call, graph, out_graph);
    return !status && !out_node ? cudaErrorInvalidValue : status;
}

static cudaError_t leave_add(cudaError_t status, struct CUgraph_st *graph,
                             const cudaGraphNode_t *before, size_t count, runtime_work *work,
                             cudaGraphNode_t *out_node) {
    struct CUgraphNode_st *node;
    if (!status) status = runtime_graph_add(graph, before, count, work, &node);
    if (!status) *out_node = node;
    return runtime_leave(status);
}

#define RUNTIME_NODE_WORK(add, set, exec_set, type, parameters, make)                              \
    cudaError_t add(cudaGraphNode_t *out_node, cudaGraph_t graph, const cudaGraphNode_t *before,   \
                    size_t count, RUNTIME_NODE_PARAMETERS parameters) {                            \
        struct CUgraph_st *live;                                                                   \
        runtime_work work;                                                                         \
        cudaError_t status = enter_add(#add, out_node, graph, &live);                              \
        if (!status) status = make;                                                                \
        return leave_add(status, live, before, count, &work, out_node);                            \
    }
#include "runtime/api/graph/node_work.def"
#undef RUNTIME_NODE_WORK

cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
                                       const cudaGraphNode_t *pDependencies, size_t numDependencies,
                                       cudaGraph_t childGraph) {
    struct CUgraph_st *live;
    runtime_work work;
    cudaError_t status = enter_add("cudaGraphAddChildGraphNode", pGraphNode, graph, &live);
    if (!status) status = runtime_work_child(runtime_graph_find(childGraph), &work);
    return leave_add(status, live, pDependencies, numDependencies, &work, pGraphNode);
}

cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
                                  const cudaGraphNode_t *pDependencies, size_t numDependencies) {
    struct CUgraph_st *live;
    runtime_work work = {.type = cudaGraphNodeTypeEmpty};
    cudaError_t status = enter_add("cudaGraphAddEmptyNode", pGraphNode, graph, &live);
    return leave_add(status, live, pDependencies, numDependencies, &work, pGraphNode);
}

cudaError_t cudaGraphAddMemAllocNode(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
                                     const cudaGraphNode_t *pDependencies, size_t numDependencies,
                                     struct cudaMemAllocNodeParams *nodeParams) {
    struct CUgraph_st *live;
    runtime_work work;
    cudaError_t status = enter_add("cudaGraphAddMemAllocNode", pGraphNode, graph, &live);
    if (!status) status = runtime_work_allocation(nodeParams, &work);
    if (!status) nodeParams->dptr = work.memory.address;
    return leave_add(status, live, pDependencies, numDependencies, &work, pGraphNode);
}

cudaError_t cudaGraphAddMemFreeNode(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
                                    const cudaGraphNode_t *pDependencies, size_t numDependencies,
                                    void *dptr) {
    struct CUgraph_st *live;
    runtime_work work;
    cudaError_t status = enter_add("cudaGraphAddMemFreeNode", pGraphNode, graph, &live);
    if (!status) status = runtime_work_release(live, dptr, &work);
    return leave_add(status, live, pDependencies, numDependencies, &work, pGraphNode);
}

cudaError_t cudaGraphAddNode_v2(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
                                const cudaGraphNode_t *pDependencies,
                                const cudaGraphEdgeData *dependencyData, size_t numDependencies,
                                struct cudaGraphNodeParams *nodeParams) {
    static const cudaGraphEdgeData plain;
    struct CUgraph_st *live;
    runtime_work work;
    cudaError_t status = enter_add("cudaGraphAddNode", pGraphNode, graph, &live);
    for (size_t i = 0; !status && dependencyData && i < numDependencies; i++)
        if (memcmp(&dependencyData[i], &plain, sizeof plain) != 0) status = cudaErrorInvalidValue;
    if (!status) status = runtime_work_any(nodeParams, live, &work);
    if (!status && work.type == cudaGraphNodeTypeMemAlloc)
        nodeParams->alloc.dptr = work.memory.address;
    status = leave_add(status, live, pDependencies, numDependencies, &work, pGraphNode);
    if (!status && nodeParams->type == cudaGraphNodeTypeGraph)
        nodeParams->graph.graph = (*pGraphNode)->work.graph;
    if (!status && nodeParams->type == cudaGraphNodeTypeConditional)
        nodeParams->conditional.phGraph_out = (*pGraphNode)->work.condition.bodies;
    return status;
}
