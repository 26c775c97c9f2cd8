// SPDX-License-Identifier: MIT
// Nodes of a graph and their parameters, one kind after the other (CUDA Runtime API, "Graph
// Management"). A node's new parameters are checked like those of a new node.
#include "runtime/graph/graph.h"

#include <string.h>

// ---- adding -------------------------------------------------------------------------------------

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

// ---- parameters ---------------------------------------------------------------------------------

cudaError_t runtime_node_enter(const char *call, cudaGraphNode_t handle,
                               enum cudaGraphNodeType type, struct CUgraphNode_st **out_node) {
    cudaError_t status = runtime_enter(RUNTIME_DEVICE, "%s(%p)", call, (void *)handle);
    *out_node = status ? NULL : runtime_node_find(handle);
    if (!status && (!*out_node || (*out_node)->work.type != type)) status = cudaErrorInvalidValue;
    return status;
}

static cudaError_t leave_set(cudaError_t status, struct CUgraphNode_st *node,
                             const runtime_work *work) {
    if (!status) {
        runtime_work_free(&node->work);
        node->work = *work;
    }
    return runtime_leave(status);
}

// Attributes stay when parameters change.
static cudaError_t leave_set_kernel(cudaError_t status, struct CUgraphNode_st *node,
                                    const runtime_work *work) {
    if (!status)
        memcpy(work->kernel->attributes, node->work.kernel->attributes,
               sizeof work->kernel->attributes);
    return leave_set(status, node, work);
}

cudaError_t cudaGraphKernelNodeGetParams(cudaGraphNode_t node,
                                         struct cudaKernelNodeParams *pNodeParams) {
    struct CUgraphNode_st *live;
    cudaError_t status =
        runtime_node_enter("cudaGraphKernelNodeGetParams", node, cudaGraphNodeTypeKernel, &live);
    if (!status && !pNodeParams) status = cudaErrorInvalidValue;
    if (!status) {
        const runtime_launch *launch = &live->work.kernel->launch;
        *pNodeParams =
            (struct cudaKernelNodeParams){.func = (void *)(uintptr_t)launch->function,
                                          .gridDim = launch->grid,
                                          .blockDim = launch->block,
                                          .sharedMemBytes = (unsigned)launch->shared_bytes,
                                          .kernelParams = launch->arguments};
    }
    return runtime_leave(status);
}

cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t node,
                                         const struct cudaKernelNodeParams *pNodeParams) {
    struct CUgraphNode_st *live;
    runtime_work work;
    cudaError_t status =
        runtime_node_enter("cudaGraphKernelNodeSetParams", node, cudaGraphNodeTypeKernel, &live);
    if (!status) status = runtime_work_kernel(pNodeParams, &work);
    return leave_set_kernel(status, live, &work);
}

static bool is_attribute(cudaLaunchAttributeID attribute) {
    return (unsigned)attribute < RUNTIME_LAUNCH_ATTRIBUTES;
}

cudaError_t cudaGraphKernelNodeGetAttribute(cudaGraphNode_t hNode, cudaLaunchAttributeID attr,
                                            cudaLaunchAttributeValue *value_out) {
    struct CUgraphNode_st *live;
    cudaError_t status = runtime_node_enter("cudaGraphKernelNodeGetAttribute", hNode,
                                            cudaGraphNodeTypeKernel, &live);
    if (!status && (!value_out || !is_attribute(attr))) status = cudaErrorInvalidValue;
    if (!status) *value_out = live->work.kernel->attributes[attr];
    return runtime_leave(status);
}

cudaError_t cudaGraphKernelNodeSetAttribute(cudaGraphNode_t hNode, cudaLaunchAttributeID attr,
                                            const cudaLaunchAttributeValue *value) {
    struct CUgraphNode_st *live;
    cudaError_t status = runtime_node_enter("cudaGraphKernelNodeSetAttribute", hNode,
                                            cudaGraphNodeTypeKernel, &live);
    if (!status && (!value || !is_attribute(attr))) status = cudaErrorInvalidValue;
    if (!status) {
        live->work.kernel->attributes[attr] = *value;
        if (attr == cudaLaunchAttributeCooperative)
            live->work.kernel->launch.cooperative = value->cooperative != 0;
    }
    return runtime_leave(status);
}

cudaError_t cudaGraphKernelNodeCopyAttributes(cudaGraphNode_t hDst, cudaGraphNode_t hSrc) {
    struct CUgraphNode_st *to;
    cudaError_t status =
        runtime_node_enter("cudaGraphKernelNodeCopyAttributes", hDst, cudaGraphNodeTypeKernel, &to);
    const struct CUgraphNode_st *from = status ? NULL : runtime_node_find(hSrc);
    if (!status && (!from || from->work.type != cudaGraphNodeTypeKernel))
        status = cudaErrorInvalidValue;
    if (!status && from != to) {
        memcpy(to->work.kernel->attributes, from->work.kernel->attributes,
               sizeof to->work.kernel->attributes);
        to->work.kernel->launch.cooperative = from->work.kernel->launch.cooperative;
    }
    return runtime_leave(status);
}

cudaError_t cudaGraphMemcpyNodeGetParams(cudaGraphNode_t node,
                                         struct cudaMemcpy3DParms *pNodeParams) {
    struct CUgraphNode_st *live;
    cudaError_t status =
        runtime_node_enter("cudaGraphMemcpyNodeGetParams", node, cudaGraphNodeTypeMemcpy, &live);
    if (!status && !pNodeParams) status = cudaErrorInvalidValue;
    if (!status) *pNodeParams = live->work.copy.params;
    return runtime_leave(status);
}

cudaError_t cudaGraphMemcpyNodeSetParams(cudaGraphNode_t node,
                                         const struct cudaMemcpy3DParms *pNodeParams) {
    struct CUgraphNode_st *live;
    runtime_work work;
    cudaError_t status =
        runtime_node_enter("cudaGraphMemcpyNodeSetParams", node, cudaGraphNodeTypeMemcpy, &live);
    if (!status) status = runtime_work_copy(pNodeParams, &work);
    return leave_set(status, live, &work);
}

cudaError_t cudaGraphMemcpyNodeSetParams1D(cudaGraphNode_t node, void *dst, const void *src,
                                           size_t count, enum cudaMemcpyKind kind) {
    struct CUgraphNode_st *live;
    runtime_work work;
    cudaError_t status =
        runtime_node_enter("cudaGraphMemcpyNodeSetParams1D", node, cudaGraphNodeTypeMemcpy, &live);
    if (!status) status = runtime_work_row(dst, src, count, kind, &work);
    return leave_set(status, live, &work);
}

cudaError_t cudaGraphMemcpyNodeSetParamsToSymbol(cudaGraphNode_t node, const void *symbol,
                                                 const void *src, size_t count, size_t offset,
                                                 enum cudaMemcpyKind kind) {
    struct CUgraphNode_st *live;
    runtime_work work;
    cudaError_t status = runtime_node_enter("cudaGraphMemcpyNodeSetParamsToSymbol", node,
                                            cudaGraphNodeTypeMemcpy, &live);
    if (!status) status = runtime_work_to_symbol(symbol, src, count, offset, kind, &work);
    return leave_set(status, live, &work);
}

cudaError_t cudaGraphMemcpyNodeSetParamsFromSymbol(cudaGraphNode_t node, void *dst,
                                                   const void *symbol, size_t count, size_t offset,
                                                   enum cudaMemcpyKind kind) {
    struct CUgraphNode_st *live;
    runtime_work work;
    cudaError_t status = runtime_node_enter("cudaGraphMemcpyNodeSetParamsFromSymbol", node,
                                            cudaGraphNodeTypeMemcpy, &live);
    if (!status) status = runtime_work_from_symbol(dst, symbol, count, offset, kind, &work);
    return leave_set(status, live, &work);
}

cudaError_t cudaGraphMemsetNodeGetParams(cudaGraphNode_t node,
                                         struct cudaMemsetParams *pNodeParams) {
    struct CUgraphNode_st *live;
    cudaError_t status =
        runtime_node_enter("cudaGraphMemsetNodeGetParams", node, cudaGraphNodeTypeMemset, &live);
    if (!status && !pNodeParams) status = cudaErrorInvalidValue;
    if (!status) {
        const runtime_filling *fill = &live->work.fill;
        *pNodeParams = (struct cudaMemsetParams){.dst = fill->start,
                                                 .pitch = fill->pitch,
                                                 .value = fill->value,
                                                 .elementSize = fill->element_bytes,
                                                 .width = fill->width,
                                                 .height = fill->height};
    }
    return runtime_leave(status);
}

cudaError_t cudaGraphMemsetNodeSetParams(cudaGraphNode_t node,
                                         const struct cudaMemsetParams *pNodeParams) {
    struct CUgraphNode_st *live;
    runtime_work work;
    cudaError_t status =
        runtime_node_enter("cudaGraphMemsetNodeSetParams", node, cudaGraphNodeTypeMemset, &live);
    if (!status) status = runtime_work_fill(pNodeParams, &work);
    return leave_set(status, live, &work);
}

cudaError_t cudaGraphHostNodeGetParams(cudaGraphNode_t node,
                                       struct cudaHostNodeParams *pNodeParams) {
    struct CUgraphNode_st *live;
    cudaError_t status =
        runtime_node_enter("cudaGraphHostNodeGetParams", node, cudaGraphNodeTypeHost, &live);
    if (!status && !pNodeParams) status = cudaErrorInvalidValue;
    if (!status) *pNodeParams = live->work.host;
    return runtime_leave(status);
}

cudaError_t cudaGraphHostNodeSetParams(cudaGraphNode_t node,
                                       const struct cudaHostNodeParams *pNodeParams) {
    struct CUgraphNode_st *live;
    runtime_work work;
    cudaError_t status =
        runtime_node_enter("cudaGraphHostNodeSetParams", node, cudaGraphNodeTypeHost, &live);
    if (!status) status = runtime_work_host(pNodeParams, &work);
    return leave_set(status, live, &work);
}

cudaError_t cudaGraphChildGraphNodeGetGraph(cudaGraphNode_t node, cudaGraph_t *pGraph) {
    struct CUgraphNode_st *live;
    cudaError_t status =
        runtime_node_enter("cudaGraphChildGraphNodeGetGraph", node, cudaGraphNodeTypeGraph, &live);
    if (!status && !pGraph) status = cudaErrorInvalidValue;
    if (!status) *pGraph = live->work.graph;
    return runtime_leave(status);
}

static cudaError_t get_event(const char *call, cudaGraphNode_t node, enum cudaGraphNodeType type,
                             cudaEvent_t *out_event) {
    struct CUgraphNode_st *live;
    cudaError_t status = runtime_node_enter(call, node, type, &live);
    if (!status && !out_event) status = cudaErrorInvalidValue;
    if (!status) *out_event = live->work.event;
    return runtime_leave(status);
}

static cudaError_t set_event(const char *call, cudaGraphNode_t node, enum cudaGraphNodeType type,
                             cudaEvent_t event) {
    struct CUgraphNode_st *live;
    runtime_work work;
    cudaError_t status = runtime_node_enter(call, node, type, &live);
    if (!status) status = runtime_work_event(type, event, &work);
    return leave_set(status, live, &work);
}

cudaError_t cudaGraphEventRecordNodeGetEvent(cudaGraphNode_t node, cudaEvent_t *event_out) {
    return get_event("cudaGraphEventRecordNodeGetEvent", node, cudaGraphNodeTypeEventRecord,
                     event_out);
}

cudaError_t cudaGraphEventRecordNodeSetEvent(cudaGraphNode_t node, cudaEvent_t event) {
    return set_event("cudaGraphEventRecordNodeSetEvent", node, cudaGraphNodeTypeEventRecord, event);
}

cudaError_t cudaGraphEventWaitNodeGetEvent(cudaGraphNode_t node, cudaEvent_t *event_out) {
    return get_event("cudaGraphEventWaitNodeGetEvent", node, cudaGraphNodeTypeWaitEvent, event_out);
}

cudaError_t cudaGraphEventWaitNodeSetEvent(cudaGraphNode_t node, cudaEvent_t event) {
    return set_event("cudaGraphEventWaitNodeSetEvent", node, cudaGraphNodeTypeWaitEvent, event);
}

cudaError_t cudaGraphNodeSetParams(cudaGraphNode_t node, struct cudaGraphNodeParams *nodeParams) {
    struct CUgraphNode_st *live;
    runtime_work work;
    cudaError_t status =
        runtime_node_enter("cudaGraphNodeSetParams", node,
                           nodeParams ? nodeParams->type : (enum cudaGraphNodeType) - 1, &live);
    if (!status) status = runtime_work_any(nodeParams, NULL, &work);
    if (!status && work.type == cudaGraphNodeTypeKernel)
        return leave_set_kernel(status, live, &work);
    return leave_set(status, live, &work);
}
