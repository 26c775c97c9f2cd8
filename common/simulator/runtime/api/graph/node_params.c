// SPDX-License-Identifier: MIT
// Parameters of a graph's nodes, one kind after the other (CUDA Runtime API, "Graph Management").
// New ones are checked like those of a new node.
#include <string.h>

#include "runtime/api/graph/enter.h"

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
    cudaError_t status = runtime_node_enter_type("cudaGraphKernelNodeGetParams", node,
                                                 cudaGraphNodeTypeKernel, &live);
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
    cudaError_t status = runtime_node_enter_type("cudaGraphKernelNodeSetParams", node,
                                                 cudaGraphNodeTypeKernel, &live);
    if (!status) status = runtime_work_kernel(pNodeParams, &work);
    return leave_set_kernel(status, live, &work);
}

static bool is_attribute(cudaLaunchAttributeID attribute) {
    return (unsigned)attribute < RUNTIME_LAUNCH_ATTRIBUTES;
}

cudaError_t cudaGraphKernelNodeGetAttribute(cudaGraphNode_t hNode, cudaLaunchAttributeID attr,
                                            cudaLaunchAttributeValue *value_out) {
    struct CUgraphNode_st *live;
    cudaError_t status = runtime_node_enter_type("cudaGraphKernelNodeGetAttribute", hNode,
                                                 cudaGraphNodeTypeKernel, &live);
    if (!status && (!value_out || !is_attribute(attr))) status = cudaErrorInvalidValue;
    if (!status) *value_out = live->work.kernel->attributes[attr];
    return runtime_leave(status);
}

cudaError_t cudaGraphKernelNodeSetAttribute(cudaGraphNode_t hNode, cudaLaunchAttributeID attr,
                                            const cudaLaunchAttributeValue *value) {
    struct CUgraphNode_st *live;
    cudaError_t status = runtime_node_enter_type("cudaGraphKernelNodeSetAttribute", hNode,
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
    cudaError_t status = runtime_node_enter_type("cudaGraphKernelNodeCopyAttributes", hDst,
                                                 cudaGraphNodeTypeKernel, &to);
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
    cudaError_t status = runtime_node_enter_type("cudaGraphMemcpyNodeGetParams", node,
                                                 cudaGraphNodeTypeMemcpy, &live);
    if (!status && !pNodeParams) status = cudaErrorInvalidValue;
    if (!status) *pNodeParams = live->work.copy.params;
    return runtime_leave(status);
}

cudaError_t cudaGraphMemcpyNodeSetParams(cudaGraphNode_t node,
                                         const struct cudaMemcpy3DParms *pNodeParams) {
    struct CUgraphNode_st *live;
    runtime_work work;
    cudaError_t status = runtime_node_enter_type("cudaGraphMemcpyNodeSetParams", node,
                                                 cudaGraphNodeTypeMemcpy, &live);
    if (!status) status = runtime_work_copy(pNodeParams, &work);
    return leave_set(status, live, &work);
}

cudaError_t cudaGraphMemcpyNodeSetParams1D(cudaGraphNode_t node, void *dst, const void *src,
                                           size_t count, enum cudaMemcpyKind kind) {
    struct CUgraphNode_st *live;
    runtime_work work;
    cudaError_t status = runtime_node_enter_type("cudaGraphMemcpyNodeSetParams1D", node,
                                                 cudaGraphNodeTypeMemcpy, &live);
    if (!status) status = runtime_work_row(dst, src, count, kind, &work);
    return leave_set(status, live, &work);
}

cudaError_t cudaGraphMemcpyNodeSetParamsToSymbol(cudaGraphNode_t node, const void *symbol,
                                                 const void *src, size_t count, size_t offset,
                                                 enum cudaMemcpyKind kind) {
    struct CUgraphNode_st *live;
    runtime_work work;
    cudaError_t status = runtime_node_enter_type("cudaGraphMemcpyNodeSetParamsToSymbol", node,
                                                 cudaGraphNodeTypeMemcpy, &live);
    if (!status) status = runtime_work_to_symbol(symbol, src, count, offset, kind, &work);
    return leave_set(status, live, &work);
}

cudaError_t cudaGraphMemcpyNodeSetParamsFromSymbol(cudaGraphNode_t node, void *dst,
                                                   const void *symbol, size_t count, size_t offset,
                                                   enum cudaMemcpyKind kind) {
    struct CUgraphNode_st *live;
    runtime_work work;
    cudaError_t status = runtime_node_enter_type("cudaGraphMemcpyNodeSetParamsFromSymbol", node,
                                                 cudaGraphNodeTypeMemcpy, &live);
    if (!status) status = runtime_work_from_symbol(dst, symbol, count, offset, kind, &work);
    return leave_set(status, live, &work);
}

cudaError_t cudaGraphMemsetNodeGetParams(cudaGraphNode_t node,
                                         struct cudaMemsetParams *pNodeParams) {
    struct CUgraphNode_st *live;
    cudaError_t status = runtime_node_enter_type("cudaGraphMemsetNodeGetParams", node,
                                                 cudaGraphNodeTypeMemset, &live);
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
    cudaError_t status = runtime_node_enter_type("cudaGraphMemsetNodeSetParams", node,
                                                 cudaGraphNodeTypeMemset, &live);
    if (!status) status = runtime_work_fill(pNodeParams, &work);
    return leave_set(status, live, &work);
}

cudaError_t cudaGraphHostNodeGetParams(cudaGraphNode_t node,
                                       struct cudaHostNodeParams *pNodeParams) {
    struct CUgraphNode_st *live;
    cudaError_t status =
        runtime_node_enter_type("cudaGraphHostNodeGetParams", node, cudaGraphNodeTypeHost, &live);
    if (!status && !pNodeParams) status = cudaErrorInvalidValue;
    if (!status) *pNodeParams = live->work.host;
    return runtime_leave(status);
}

cudaError_t cudaGraphHostNodeSetParams(cudaGraphNode_t node,
                                       const struct cudaHostNodeParams *pNodeParams) {
    struct CUgraphNode_st *live;
    runtime_work work;
    cudaError_t status =
        runtime_node_enter_type("cudaGraphHostNodeSetParams", node, cudaGraphNodeTypeHost, &live);
    if (!status) status = runtime_work_host(pNodeParams, &work);
    return leave_set(status, live, &work);
}

cudaError_t cudaGraphChildGraphNodeGetGraph(cudaGraphNode_t node, cudaGraph_t *pGraph) {
    struct CUgraphNode_st *live;
    cudaError_t status = runtime_node_enter_type("cudaGraphChildGraphNodeGetGraph", node,
                                                 cudaGraphNodeTypeGraph, &live);
    if (!status && !pGraph) status = cudaErrorInvalidValue;
    if (!status) *pGraph = live->work.graph;
    return runtime_leave(status);
}

static cudaError_t get_event(const char *call, cudaGraphNode_t node, enum cudaGraphNodeType type,
                             cudaEvent_t *out_event) {
    struct CUgraphNode_st *live;
    cudaError_t status = runtime_node_enter_type(call, node, type, &live);
    if (!status && !out_event) status = cudaErrorInvalidValue;
    if (!status) *out_event = live->work.event;
    return runtime_leave(status);
}

static cudaError_t set_event(const char *call, cudaGraphNode_t node, enum cudaGraphNodeType type,
                             cudaEvent_t event) {
    struct CUgraphNode_st *live;
    runtime_work work;
    cudaError_t status = runtime_node_enter_type(call, node, type, &live);
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
    cudaError_t status = runtime_node_enter_type(
        "cudaGraphNodeSetParams", node,
        nodeParams ? nodeParams->type : (enum cudaGraphNodeType) - 1, &live);
    if (!status) status = runtime_work_any(nodeParams, NULL, &work);
    if (!status && work.type == cudaGraphNodeTypeKernel)
        return leave_set_kernel(status, live, &work);
    return leave_set(status, live, &work);
}

cudaError_t cudaGraphMemAllocNodeGetParams(cudaGraphNode_t node,
                                           struct cudaMemAllocNodeParams *params_out) {
    struct CUgraphNode_st *live;
    cudaError_t status = runtime_node_enter_type("cudaGraphMemAllocNodeGetParams", node,
                                                 cudaGraphNodeTypeMemAlloc, &live);
    if (!status && !params_out) status = cudaErrorInvalidValue;
    if (!status)
        *params_out = (struct cudaMemAllocNodeParams){
            .poolProps = {.allocType = cudaMemAllocationTypePinned,
                          .location = {.type = cudaMemLocationTypeDevice}},
            .bytesize = live->work.memory.bytes,
            .dptr = live->work.memory.address};
    return runtime_leave(status);
}

cudaError_t cudaGraphMemFreeNodeGetParams(cudaGraphNode_t node, void *dptr_out) {
    struct CUgraphNode_st *live;
    cudaError_t status = runtime_node_enter_type("cudaGraphMemFreeNodeGetParams", node,
                                                 cudaGraphNodeTypeMemFree, &live);
    if (!status && !dptr_out) status = cudaErrorInvalidValue;
    if (!status) *(void **)dptr_out = live->work.memory.address;
    return runtime_leave(status);
}
