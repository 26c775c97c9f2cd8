// The beginnings of calls about graphs.
#include "runtime/api/graph/enter.h"

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
    if (!status && !*out_exec) status = cudaErrorInvalidValue;
    return status;
}
