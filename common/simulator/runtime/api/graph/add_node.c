// SPDX-License-Identifier: MIT
// New nodes of a graph, one kind after the other (CUDA Runtime API, "Graph Management").
#include <string.h>

#include "runtime/graph/graph.h"
#include "runtime/graph/memory.h"
#include "runtime/state/call.h"

// Enters a call that adds a node. The work is made by the caller if this succeeds.
static cudaError_t enter_add(const char *call, const cudaGraphNode_t *out_node, cudaGraph_t graph,
                             struct CUgraph_st **out_graph) {
    cudaError_t status = runtime_enter(RUNTIME_DEVICE, "%s(%p)", call, (void *)graph);
    *out_graph = status ? NULL : runtime_graph_find(graph);
    if (!status && (!*out_graph || !out_node)) status = cudaErrorInvalidValue;
    return status;
}

static cudaError_t leave_add(cudaError_t status, struct CUgraph_st *graph,
                             const cudaGraphNode_t *before, size_t count, runtime_work *work,
                             cudaGraphNode_t *out_node) {
    struct CUgraphNode_st *node;
    if (!status) status = runtime_graph_add(graph, before, count, work, &node);
    if (!status) *out_node = node;
    return runtime_leave(status);
}

cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
                                   const cudaGraphNode_t *pDependencies, size_t numDependencies,
                                   const struct cudaKernelNodeParams *pNodeParams) {
    struct CUgraph_st *live;
    runtime_work work;
    cudaError_t status = enter_add("cudaGraphAddKernelNode", pGraphNode, graph, &live);
    if (!status) status = runtime_work_kernel(pNodeParams, &work);
    return leave_add(status, live, pDependencies, numDependencies, &work, pGraphNode);
}

cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
                                   const cudaGraphNode_t *pDependencies, size_t numDependencies,
                                   const struct cudaMemcpy3DParms *pCopyParams) {
    struct CUgraph_st *live;
    runtime_work work;
    cudaError_t status = enter_add("cudaGraphAddMemcpyNode", pGraphNode, graph, &live);
    if (!status) status = runtime_work_copy(pCopyParams, &work);
    return leave_add(status, live, pDependencies, numDependencies, &work, pGraphNode);
}

cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
                                     const cudaGraphNode_t *pDependencies, size_t numDependencies,
                                     void *dst, const void *src, size_t count,
                                     enum cudaMemcpyKind kind) {
    struct CUgraph_st *live;
    runtime_work work;
    cudaError_t status = enter_add("cudaGraphAddMemcpyNode1D", pGraphNode, graph, &live);
    if (!status) status = runtime_work_row(dst, src, count, kind, &work);
    return leave_add(status, live, pDependencies, numDependencies, &work, pGraphNode);
}

cudaError_t cudaGraphAddMemcpyNodeToSymbol(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
                                           const cudaGraphNode_t *pDependencies,
                                           size_t numDependencies, const void *symbol,
                                           const void *src, size_t count, size_t offset,
                                           enum cudaMemcpyKind kind) {
    struct CUgraph_st *live;
    runtime_work work;
    cudaError_t status = enter_add("cudaGraphAddMemcpyNodeToSymbol", pGraphNode, graph, &live);
    if (!status) status = runtime_work_to_symbol(symbol, src, count, offset, kind, &work);
    return leave_add(status, live, pDependencies, numDependencies, &work, pGraphNode);
}

cudaError_t cudaGraphAddMemcpyNodeFromSymbol(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
                                             const cudaGraphNode_t *pDependencies,
                                             size_t numDependencies, void *dst, const void *symbol,
                                             size_t count, size_t offset,
                                             enum cudaMemcpyKind kind) {
    struct CUgraph_st *live;
    runtime_work work;
    cudaError_t status = enter_add("cudaGraphAddMemcpyNodeFromSymbol", pGraphNode, graph, &live);
    if (!status) status = runtime_work_from_symbol(dst, symbol, count, offset, kind, &work);
    return leave_add(status, live, pDependencies, numDependencies, &work, pGraphNode);
}

cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
                                   const cudaGraphNode_t *pDependencies, size_t numDependencies,
                                   const struct cudaMemsetParams *pMemsetParams) {
    struct CUgraph_st *live;
    runtime_work work;
    cudaError_t status = enter_add("cudaGraphAddMemsetNode", pGraphNode, graph, &live);
    if (!status) status = runtime_work_fill(pMemsetParams, &work);
    return leave_add(status, live, pDependencies, numDependencies, &work, pGraphNode);
}

cudaError_t cudaGraphAddHostNode(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
                                 const cudaGraphNode_t *pDependencies, size_t numDependencies,
                                 const struct cudaHostNodeParams *pNodeParams) {
    struct CUgraph_st *live;
    runtime_work work;
    cudaError_t status = enter_add("cudaGraphAddHostNode", pGraphNode, graph, &live);
    if (!status) status = runtime_work_host(pNodeParams, &work);
    return leave_add(status, live, pDependencies, numDependencies, &work, pGraphNode);
}

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

cudaError_t cudaGraphAddEventRecordNode(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
                                        const cudaGraphNode_t *pDependencies,
                                        size_t numDependencies, cudaEvent_t event) {
    struct CUgraph_st *live;
    runtime_work work;
    cudaError_t status = enter_add("cudaGraphAddEventRecordNode", pGraphNode, graph, &live);
    if (!status) status = runtime_work_event(cudaGraphNodeTypeEventRecord, event, &work);
    return leave_add(status, live, pDependencies, numDependencies, &work, pGraphNode);
}

cudaError_t cudaGraphAddEventWaitNode(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
                                      const cudaGraphNode_t *pDependencies, size_t numDependencies,
                                      cudaEvent_t event) {
    struct CUgraph_st *live;
    runtime_work work;
    cudaError_t status = enter_add("cudaGraphAddEventWaitNode", pGraphNode, graph, &live);
    if (!status) status = runtime_work_event(cudaGraphNodeTypeWaitEvent, event, &work);
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

cudaError_t cudaGraphAddNode(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
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
    return status;
}
