// Executable graphs: made, launched, destroyed, updated, and parts of them switched off (CUDA
// Runtime API, "Graph Management").
#include "runtime/api/graph/enter.h"
#include "runtime/submit/submit.h"

cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *pGraphExec, cudaGraph_t graph,
                                          unsigned long long flags) {
    cudaError_t status =
        runtime_enter(RUNTIME_DEVICE, "cudaGraphInstantiate(%p, %llu)", (void *)graph, flags);
    if (!status && (flags & cudaGraphInstantiateFlagUpload)) status = cudaErrorInvalidValue;
    if (!status) status = runtime_exec_create(runtime_graph_find(graph), flags, pGraphExec);
    return runtime_leave(status);
}

cudaError_t cudaGraphInstantiateWithParams(cudaGraphExec_t *pGraphExec, cudaGraph_t graph,
                                           cudaGraphInstantiateParams *instantiateParams) {
    cudaError_t status =
        runtime_enter(RUNTIME_DEVICE, "cudaGraphInstantiateWithParams(%p)", (void *)graph);
    if (!status && !instantiateParams) status = cudaErrorInvalidValue;
    if (!status) {
        status =
            runtime_exec_create(runtime_graph_find(graph), instantiateParams->flags, pGraphExec);
        instantiateParams->errNode_out = NULL;
        const struct CUgraph_st *live = runtime_graph_find(graph);
        bool wrong_node = (instantiateParams->flags & cudaGraphInstantiateFlagDeviceLaunch) &&
                          live && !runtime_graph_is_for_kernels(live);
        instantiateParams->result_out = !status      ? cudaGraphInstantiateSuccess
                                        : wrong_node ? cudaGraphInstantiateNodeOperationNotSupported
                                                     : cudaGraphInstantiateError;
    }
    return runtime_leave(status);
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t graphExec) {
    struct CUgraphExec_st *exec;
    cudaError_t status = runtime_exec_enter("cudaGraphExecDestroy", graphExec, &exec);
    if (!status) runtime_exec_destroy(exec);
    return runtime_leave(status);
}

cudaError_t cudaGraphExecGetFlags(cudaGraphExec_t graphExec, unsigned long long *flags) {
    struct CUgraphExec_st *exec;
    cudaError_t status = runtime_exec_enter("cudaGraphExecGetFlags", graphExec, &exec);
    if (!status && !flags) status = cudaErrorInvalidValue;
    // An H200 tells no other flag.
    if (!status) *flags = exec->flags & cudaGraphInstantiateFlagAutoFreeOnLaunch;
    return runtime_leave(status);
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t graphExec, cudaStream_t stream) {
    struct CUgraphExec_st *exec;
    bool captured;
    cudaError_t status = runtime_exec_enter("cudaGraphLaunch", graphExec, &exec);
    struct CUstream_st *found = status ? NULL : runtime_stream_find(stream);
    if (!status && !found) status = cudaErrorInvalidResourceHandle;
    if (!status)
        status =
            found->capture ? runtime_capture_no_stream(found) : runtime_capturing(found, &captured);
    if (!status) status = runtime_exec_launch(exec, found, stream);
    return runtime_leave(status);
}

// A device would keep the graph's commands; there is nothing to do here.
cudaError_t cudaGraphUpload(cudaGraphExec_t graphExec, cudaStream_t stream) {
    struct CUgraphExec_st *exec;
    cudaError_t status = runtime_exec_enter("cudaGraphUpload", graphExec, &exec);
    struct CUstream_st *live = status ? NULL : runtime_stream_find(stream);
    if (!status && !live) status = cudaErrorInvalidResourceHandle;
    if (!status && live->capture) status = runtime_capture_no_stream(live);
    return runtime_leave(status);
}

// ---- updates ------------------------------------------------------------------------------------

cudaError_t runtime_exec_update(cudaGraphExec_t hGraphExec, cudaGraph_t hGraph,
                                cudaGraphExecUpdateResultInfo *resultInfo) {
    struct CUgraphExec_st *exec;
    cudaError_t status = runtime_exec_enter("cudaGraphExecUpdate", hGraphExec, &exec);
    const struct CUgraph_st *graph = status ? NULL : runtime_graph_find(hGraph);
    cudaGraphExecUpdateResultInfo found = {.result = cudaGraphExecUpdateSuccess};
    if (!status && (!graph || !resultInfo)) status = cudaErrorInvalidValue;
    if (!status) {
        status = runtime_graph_update(exec->graph, graph, &found);
        *resultInfo = found;
    }
    return runtime_leave(status);
}

// The node of the executable graph that was made from `node`; NULL when there is none.
static struct CUgraphNode_st *find_twin(const struct CUgraphExec_st *exec, cudaGraphNode_t node) {
    const struct CUgraphNode_st *live = runtime_node_find(node);
    return live ? runtime_graph_twin(exec->graph, live) : NULL;
}

cudaError_t cudaGraphExecChildGraphNodeSetParams(cudaGraphExec_t hGraphExec, cudaGraphNode_t node,
                                                 cudaGraph_t childGraph) {
    struct CUgraphExec_st *exec;
    cudaError_t status =
        runtime_exec_enter("cudaGraphExecChildGraphNodeSetParams", hGraphExec, &exec);
    const struct CUgraphNode_st *twin = status ? NULL : find_twin(exec, node);
    const struct CUgraph_st *child = status ? NULL : runtime_graph_find(childGraph);
    cudaGraphExecUpdateResultInfo found;
    if (!status && (!twin || twin->work.type != cudaGraphNodeTypeGraph || !child))
        status = cudaErrorInvalidValue;
    if (!status) status = runtime_graph_update(twin->work.graph, child, &found);
    return runtime_leave(status);
}

// ---- switches -----------------------------------------------------------------------------------

// Enters a call about a node that can be switched off: kernels, copies and fills.
static cudaError_t enter_switch(const char *call, cudaGraphExec_t handle, cudaGraphNode_t node,
                                struct CUgraphNode_st **out_node) {
    struct CUgraphExec_st *exec;
    cudaError_t status = runtime_exec_enter(call, handle, &exec);
    *out_node = status ? NULL : find_twin(exec, node);
    if (!status && (!*out_node || (*out_node)->work.type > cudaGraphNodeTypeMemset))
        status = cudaErrorInvalidValue;
    return status;
}

cudaError_t cudaGraphNodeSetEnabled(cudaGraphExec_t hGraphExec, cudaGraphNode_t hNode,
                                    unsigned int isEnabled) {
    struct CUgraphNode_st *node;
    cudaError_t status = enter_switch("cudaGraphNodeSetEnabled", hGraphExec, hNode, &node);
    if (!status) node->disabled = !isEnabled;
    return runtime_leave(status);
}

cudaError_t cudaGraphNodeGetEnabled(cudaGraphExec_t hGraphExec, cudaGraphNode_t hNode,
                                    unsigned int *isEnabled) {
    struct CUgraphNode_st *node;
    cudaError_t status = enter_switch("cudaGraphNodeGetEnabled", hGraphExec, hNode, &node);
    if (!status && !isEnabled) status = cudaErrorInvalidValue;
    if (!status) *isEnabled = !node->disabled;
    return runtime_leave(status);
}

// -------------------------------------------------------------------------------------------------
// New parameters for the nodes of executable graphs (CUDA Runtime API, "Graph Management").

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
