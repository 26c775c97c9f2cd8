// SPDX-License-Identifier: MIT
// New parameters for the nodes of executable graphs (CUDA Runtime API, "Graph Management").
#include "runtime/api/graph/enter.h"

// Replaces the work of the node made from `original`; takes `work` over.
static cudaError_t leave_set(cudaError_t status, struct CUgraphExec_st *exec,
                             cudaGraphNode_t original, runtime_work *work) {
    if (!status) status = runtime_exec_set_work(exec, original, work);
    return runtime_leave(status);
}

cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t hGraphExec, cudaGraphNode_t node,
                                             const struct cudaKernelNodeParams *pNodeParams) {
    struct CUgraphExec_st *exec;
    runtime_work work;
    cudaError_t status = runtime_exec_enter("cudaGraphExecKernelNodeSetParams", hGraphExec, &exec);
    if (!status) status = runtime_work_kernel(pNodeParams, &work);
    return leave_set(status, exec, node, &work);
}

cudaError_t cudaGraphExecMemcpyNodeSetParams(cudaGraphExec_t hGraphExec, cudaGraphNode_t node,
                                             const struct cudaMemcpy3DParms *pNodeParams) {
    struct CUgraphExec_st *exec;
    runtime_work work;
    cudaError_t status = runtime_exec_enter("cudaGraphExecMemcpyNodeSetParams", hGraphExec, &exec);
    if (!status) status = runtime_work_copy(pNodeParams, &work);
    return leave_set(status, exec, node, &work);
}

cudaError_t cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t hGraphExec, cudaGraphNode_t node,
                                               void *dst, const void *src, size_t count,
                                               enum cudaMemcpyKind kind) {
    struct CUgraphExec_st *exec;
    runtime_work work;
    cudaError_t status =
        runtime_exec_enter("cudaGraphExecMemcpyNodeSetParams1D", hGraphExec, &exec);
    if (!status) status = runtime_work_row(dst, src, count, kind, &work);
    return leave_set(status, exec, node, &work);
}

cudaError_t cudaGraphExecMemcpyNodeSetParamsToSymbol(cudaGraphExec_t hGraphExec,
                                                     cudaGraphNode_t node, const void *symbol,
                                                     const void *src, size_t count, size_t offset,
                                                     enum cudaMemcpyKind kind) {
    struct CUgraphExec_st *exec;
    runtime_work work;
    cudaError_t status =
        runtime_exec_enter("cudaGraphExecMemcpyNodeSetParamsToSymbol", hGraphExec, &exec);
    if (!status) status = runtime_work_to_symbol(symbol, src, count, offset, kind, &work);
    return leave_set(status, exec, node, &work);
}

cudaError_t cudaGraphExecMemcpyNodeSetParamsFromSymbol(cudaGraphExec_t hGraphExec,
                                                       cudaGraphNode_t node, void *dst,
                                                       const void *symbol, size_t count,
                                                       size_t offset, enum cudaMemcpyKind kind) {
    struct CUgraphExec_st *exec;
    runtime_work work;
    cudaError_t status =
        runtime_exec_enter("cudaGraphExecMemcpyNodeSetParamsFromSymbol", hGraphExec, &exec);
    if (!status) status = runtime_work_from_symbol(dst, symbol, count, offset, kind, &work);
    return leave_set(status, exec, node, &work);
}

cudaError_t cudaGraphExecMemsetNodeSetParams(cudaGraphExec_t hGraphExec, cudaGraphNode_t node,
                                             const struct cudaMemsetParams *pNodeParams) {
    struct CUgraphExec_st *exec;
    runtime_work work;
    cudaError_t status = runtime_exec_enter("cudaGraphExecMemsetNodeSetParams", hGraphExec, &exec);
    if (!status) status = runtime_work_fill(pNodeParams, &work);
    return leave_set(status, exec, node, &work);
}

cudaError_t cudaGraphExecHostNodeSetParams(cudaGraphExec_t hGraphExec, cudaGraphNode_t node,
                                           const struct cudaHostNodeParams *pNodeParams) {
    struct CUgraphExec_st *exec;
    runtime_work work;
    cudaError_t status = runtime_exec_enter("cudaGraphExecHostNodeSetParams", hGraphExec, &exec);
    if (!status) status = runtime_work_host(pNodeParams, &work);
    return leave_set(status, exec, node, &work);
}

cudaError_t cudaGraphExecEventRecordNodeSetEvent(cudaGraphExec_t hGraphExec, cudaGraphNode_t hNode,
                                                 cudaEvent_t event) {
    struct CUgraphExec_st *exec;
    runtime_work work;
    cudaError_t status =
        runtime_exec_enter("cudaGraphExecEventRecordNodeSetEvent", hGraphExec, &exec);
    if (!status) status = runtime_work_event(cudaGraphNodeTypeEventRecord, event, &work);
    return leave_set(status, exec, hNode, &work);
}

cudaError_t cudaGraphExecEventWaitNodeSetEvent(cudaGraphExec_t hGraphExec, cudaGraphNode_t hNode,
                                               cudaEvent_t event) {
    struct CUgraphExec_st *exec;
    runtime_work work;
    cudaError_t status =
        runtime_exec_enter("cudaGraphExecEventWaitNodeSetEvent", hGraphExec, &exec);
    if (!status) status = runtime_work_event(cudaGraphNodeTypeWaitEvent, event, &work);
    return leave_set(status, exec, hNode, &work);
}

cudaError_t cudaGraphExecNodeSetParams(cudaGraphExec_t graphExec, cudaGraphNode_t node,
                                       struct cudaGraphNodeParams *nodeParams) {
    struct CUgraphExec_st *exec;
    runtime_work work;
    cudaError_t status = runtime_exec_enter("cudaGraphExecNodeSetParams", graphExec, &exec);
    if (!status) status = runtime_work_any(nodeParams, NULL, &work);
    return leave_set(status, exec, node, &work);
}
