// Parameters of a graph's nodes, one kind after the other (CUDA Runtime API, "Graph Management").
// New ones are checked like those of a new node.
#include "runtime/api/graph/enter.h"

// Takes `work` over. A kernel's attributes stay when its parameters change.
static cudaError_t leave_set(cudaError_t status, struct CUgraphNode_st *node,
                             const runtime_work *work) {
    if (status) return runtime_leave(status);
    if (work->type == cudaGraphNodeTypeKernel)
        memcpy(work->kernel->attributes, node->work.kernel->attributes,
               sizeof work->kernel->attributes);
    runtime_work_free(&node->work);
    node->work = *work;
    return runtime_leave(cudaSuccess);
}

#define RUNTIME_NODE_WORK(add, set, exec_set, type, parameters, make)                              \
    cudaError_t set(cudaGraphNode_t node, RUNTIME_NODE_PARAMETERS parameters) {                    \
        struct CUgraphNode_st *live;                                                               \
        runtime_work work;                                                                         \
        cudaError_t status = runtime_node_enter_type(#set, node, cudaGraphNodeType##type, &live);  \
        if (!status) status = make;                                                                \
        return leave_set(status, live, &work);                                                     \
    }
#include "runtime/api/graph/node_work.def"
#undef RUNTIME_NODE_WORK

// What a node's work is.
#define ANSWER(call, type, answer, ...)                                                            \
    cudaError_t call(cudaGraphNode_t node, answer *out) {                                          \
        struct CUgraphNode_st *live;                                                               \
        cudaError_t status = runtime_node_enter_type(#call, node, cudaGraphNodeType##type, &live); \
        if (!status && !out) status = cudaErrorInvalidValue;                                       \
        const runtime_work *work = status ? NULL : &live->work;                                    \
        if (work) *out = __VA_ARGS__;                                                              \
        return runtime_leave(status);                                                              \
    }

ANSWER(cudaGraphKernelNodeGetParams, Kernel, struct cudaKernelNodeParams,
       (struct cudaKernelNodeParams){.func = (void *)(uintptr_t)work->kernel->launch.function,
                                     .gridDim = work->kernel->launch.grid,
                                     .blockDim = work->kernel->launch.block,
                                     .sharedMemBytes = (unsigned)work->kernel->launch.shared_bytes,
                                     .kernelParams = work->kernel->launch.arguments})
ANSWER(cudaGraphMemcpyNodeGetParams, Memcpy, struct cudaMemcpy3DParms, work->copy.params)
ANSWER(cudaGraphMemsetNodeGetParams, Memset, struct cudaMemsetParams,
       (struct cudaMemsetParams){.dst = work->fill.start,
                                 .pitch = work->fill.pitch,
                                 .value = work->fill.value,
                                 .elementSize = work->fill.element_bytes,
                                 .width = work->fill.width,
                                 .height = work->fill.height})
ANSWER(cudaGraphHostNodeGetParams, Host, struct cudaHostNodeParams, work->host)
ANSWER(cudaGraphChildGraphNodeGetGraph, Graph, cudaGraph_t, work->graph)
ANSWER(cudaGraphEventRecordNodeGetEvent, EventRecord, cudaEvent_t, work->event)
ANSWER(cudaGraphEventWaitNodeGetEvent, WaitEvent, cudaEvent_t, work->event)
ANSWER(cudaGraphMemAllocNodeGetParams, MemAlloc, struct cudaMemAllocNodeParams,
       (struct cudaMemAllocNodeParams){
           .poolProps = {.allocType = cudaMemAllocationTypePinned,
                         .location = {.type = cudaMemLocationTypeDevice}},
           .bytesize = work->memory.bytes,
           .dptr = work->memory.address})

cudaError_t cudaGraphMemFreeNodeGetParams(cudaGraphNode_t node, void *dptr_out) {
    struct CUgraphNode_st *live;
    cudaError_t status = runtime_node_enter_type("cudaGraphMemFreeNodeGetParams", node,
                                                 cudaGraphNodeTypeMemFree, &live);
    if (!status && !dptr_out) status = cudaErrorInvalidValue;
    if (!status) *(void **)dptr_out = live->work.memory.address;
    return runtime_leave(status);
}

static bool is_attribute(cudaLaunchAttributeID attribute) {
    return (unsigned)attribute < RUNTIME_LAUNCH_ATTRIBUTES &&
           attribute != cudaLaunchAttributeProgrammaticEvent &&
           attribute != cudaLaunchAttributeLaunchCompletionEvent;
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
        if (attr == cudaLaunchAttributeClusterDimension)
            live->work.kernel->launch.cluster =
                (dim3){value->clusterDim.x, value->clusterDim.y, value->clusterDim.z};
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

cudaError_t cudaGraphNodeSetParams(cudaGraphNode_t node, struct cudaGraphNodeParams *nodeParams) {
    struct CUgraphNode_st *live;
    runtime_work work;
    cudaError_t status = runtime_node_enter_type(
        "cudaGraphNodeSetParams", node,
        nodeParams ? nodeParams->type : (enum cudaGraphNodeType) - 1, &live);
    if (!status) status = runtime_work_any(nodeParams, NULL, &work);
    return leave_set(status, live, &work);
}
