// SPDX-License-Identifier: MIT
// New parameters for the nodes of executable graphs (CUDA Runtime API, "Graph Management").
#include "runtime/api/graph/enter.h"

// Replaces the work of the node made from `original`; takes `work` over.
static cudaError_t leave_set(cudaError_t status, struct CUgraphExec_st *exec,
                             cudaGraphNode_t original, runtime_work *work) {
    if (!status) status = runtime_exec_set_work(exec, original, work);
    return runtime_leave(status);
}

#define RUNTIME_NODE_WORK(add, set, exec_set, type, parameters, make)                              \
    cudaError_t exec_set(cudaGraphExec_t handle, cudaGraphNode_t node,                             \
                         RUNTIME_NODE_PARAMETERS parameters) {                                     \
        struct CUgraphExec_st *exec;                                                               \
        runtime_work work;                                                                         \
        cudaError_t status = runtime_exec_enter(#exec_set, handle, &exec);                         \
        if (!status) status = make;                                                                \
        return leave_set(status, exec, node, &work);                                               \
    }
#include "runtime/api/graph/node_work.def"
#undef RUNTIME_NODE_WORK

cudaError_t cudaGraphExecNodeSetParams(cudaGraphExec_t graphExec, cudaGraphNode_t node,
                                       struct cudaGraphNodeParams *nodeParams) {
    struct CUgraphExec_st *exec;
    runtime_work work;
    cudaError_t status = runtime_exec_enter("cudaGraphExecNodeSetParams", graphExec, &exec);
    if (!status) status = runtime_work_any(nodeParams, NULL, &work);
    return leave_set(status, exec, node, &work);
}
