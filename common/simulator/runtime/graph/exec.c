// SPDX-License-Identifier: MIT
// Executable graphs: a copy of a graph with its nodes in an order that respects the edges, launched as
// often as the program likes; its nodes may get new parameters (CUDA Runtime API, "Graph Management").
// Nodes are done one after the other; on the virtual clock, what does not depend on each other overlaps.
#include "runtime/graph/graph.h"

#include <stdlib.h>
#include <string.h>

static const unsigned long long known_flags =
    cudaGraphInstantiateFlagAutoFreeOnLaunch | cudaGraphInstantiateFlagUpload |
    cudaGraphInstantiateFlagDeviceLaunch | cudaGraphInstantiateFlagUseNodePriority;

struct CUgraphExec_st *runtime_exec_find(cudaGraphExec_t exec) {
    return exec ? runtime_map_get(&runtime.execs, exec) : NULL;
}

static void free_exec(struct CUgraphExec_st *exec) {
    runtime_map_remove(&runtime.execs, exec);
    runtime_graph_free(exec->graph);
    free(exec);
}

void runtime_execs_reset(void) {
    struct CUgraphExec_st *exec;
    for (size_t at = 0; (exec = runtime_map_next(&runtime.execs, &at));) {
        if (exec->running)
            exec->doomed = true;
        else
            free_exec(exec);
    }
}

// ---- instantiation ------------------------------------------------------------------------------

// Puts the nodes of a graph, and of the graphs inside it, into an order of execution.
static cudaError_t put_in_order(struct CUgraph_st *graph) {
    struct CUgraphNode_st **order;
    cudaError_t status = runtime_graph_sort(graph, &order);
    if (status) return status;
    if (graph->nodes.count) memcpy(graph->nodes.nodes, order, graph->nodes.count * sizeof(void *));
    free(order);
    for (size_t i = 0; !status && i < graph->nodes.count; i++)
        if (graph->nodes.nodes[i]->work.type == cudaGraphNodeTypeGraph)
            status = put_in_order(graph->nodes.nodes[i]->work.graph);
    return status;
}

static bool has_instance(const struct CUgraph_st *graph) {
    const struct CUgraphExec_st *exec;
    for (size_t at = 0; (exec = runtime_map_next(&runtime.execs, &at));)
        if (exec->source == graph->id) return true;
    return false;
}

static cudaError_t instantiate(const struct CUgraph_st *graph, unsigned long long flags,
                               cudaGraphExec_t *out_exec) {
    if (!graph || !out_exec || (flags & ~known_flags)) return cudaErrorInvalidValue;
    if (flags & cudaGraphInstantiateFlagDeviceLaunch) {
        runtime_say("graphs that kernels launch are not supported");
        return cudaErrorNotSupported;
    }
    if (runtime_graph_has_memory(graph) && has_instance(graph)) return cudaErrorNotSupported;
    struct CUgraphExec_st *exec = calloc(1, sizeof *exec);
    if (!exec) return cudaErrorMemoryAllocation;
    exec->flags = flags;
    exec->source = graph->id;
    exec->graph = runtime_graph_copied(graph);
    cudaError_t status = exec->graph ? put_in_order(exec->graph) : cudaErrorMemoryAllocation;
    if (!status && !runtime_map_put(&runtime.execs, exec, exec)) status = cudaErrorMemoryAllocation;
    if (status) {
        runtime_graph_free(exec->graph);
        free(exec);
        return status;
    }
    exec->graph->is_child = true; // nobody else destroys it
    *out_exec = exec;
    return cudaSuccess;
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t *pGraphExec, cudaGraph_t graph,
                                 unsigned long long flags) {
    cudaError_t status =
        runtime_enter(RUNTIME_DEVICE, "cudaGraphInstantiate(%p, %llu)", (void *)graph, flags);
    if (!status) status = instantiate(runtime_graph_find(graph), flags, pGraphExec);
    return runtime_leave(status);
}

cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *pGraphExec, cudaGraph_t graph,
                                          unsigned long long flags) {
    return cudaGraphInstantiate(pGraphExec, graph, flags);
}

cudaError_t cudaGraphInstantiateWithParams(cudaGraphExec_t *pGraphExec, cudaGraph_t graph,
                                           cudaGraphInstantiateParams *instantiateParams) {
    cudaError_t status =
        runtime_enter(RUNTIME_DEVICE, "cudaGraphInstantiateWithParams(%p)", (void *)graph);
    if (!status && !instantiateParams) status = cudaErrorInvalidValue;
    if (!status) {
        status = instantiate(runtime_graph_find(graph), instantiateParams->flags, pGraphExec);
        instantiateParams->errNode_out = NULL;
        instantiateParams->result_out =
            status ? cudaGraphInstantiateError : cudaGraphInstantiateSuccess;
    }
    return runtime_leave(status);
}

// Enters a call that names an executable graph and finds it.
static cudaError_t enter_exec(const char *call, cudaGraphExec_t handle,
                              struct CUgraphExec_st **out_exec) {
    cudaError_t status = runtime_enter(RUNTIME_DEVICE, "%s(%p)", call, (void *)handle);
    *out_exec = status ? NULL : runtime_exec_find(handle);
    if (!status && !*out_exec) status = cudaErrorInvalidValue;
    return status;
}

// A graph that another thread runs just now goes when it is done.
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t graphExec) {
    struct CUgraphExec_st *exec;
    cudaError_t status = enter_exec("cudaGraphExecDestroy", graphExec, &exec);
    if (!status && exec->running)
        exec->doomed = true;
    else if (!status)
        free_exec(exec);
    return runtime_leave(status);
}

cudaError_t cudaGraphExecGetFlags(cudaGraphExec_t graphExec, unsigned long long *flags) {
    struct CUgraphExec_st *exec;
    cudaError_t status = enter_exec("cudaGraphExecGetFlags", graphExec, &exec);
    if (!status && !flags) status = cudaErrorInvalidValue;
    if (!status) *flags = exec->flags;
    return runtime_leave(status);
}

// ---- launches -----------------------------------------------------------------------------------

// Each node has a queue of its own, which is free when all nodes before it are done.
static cudaError_t run_graph(struct CUgraph_st *graph, runtime_queue *queue) {
    double start_us = runtime_clock_ready(&runtime.clock, queue), end_us = start_us;
    for (size_t i = 0; i < graph->nodes.count; i++) {
        struct CUgraphNode_st *node = graph->nodes.nodes[i];
        runtime_queue own = {.ready_us = start_us};
        for (size_t k = 0; k < node->before.count; k++)
            if (node->before.nodes[k]->end_us > own.ready_us)
                own.ready_us = node->before.nodes[k]->end_us;
        cudaError_t status = cudaSuccess;
        if (node->work.type == cudaGraphNodeTypeGraph)
            status = run_graph(node->work.graph, &own);
        else if (!node->disabled)
            status = runtime_work_run(&node->work, &own);
        if (status) return status;
        node->end_us = own.ready_us;
        if (own.ready_us > end_us) end_us = own.ready_us;
    }
    queue->ready_us = end_us;
    return cudaSuccess;
}

// The stream is looked up again: host functions run without the lock.
static cudaError_t launch(struct CUgraphExec_st *exec, struct CUstream_st *stream,
                          cudaStream_t handle) {
    if (runtime.pending) return cudaSuccess;
    if (exec->running) return cudaErrorInvalidValue; // from one of its own host functions
    cudaError_t ready = runtime_graph_memory_ready(
        exec->graph, exec->flags & cudaGraphInstantiateFlagAutoFreeOnLaunch);
    if (ready) return ready;
    runtime_clock_graph(&runtime.clock, sim_engine_device(runtime.engine));
    runtime_queue queue = {.ready_us = runtime_clock_ready(&runtime.clock, &stream->queue)};
    exec->running = true;
    cudaError_t status = run_graph(exec->graph, &queue);
    exec->running = false;
    if (exec->doomed) free_exec(exec);
    stream = runtime_stream_find(handle);
    if (stream) runtime_clock_wait(&runtime.clock, &stream->queue, queue.ready_us);
    return status;
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t graphExec, cudaStream_t stream) {
    struct CUgraphExec_st *exec;
    bool captured;
    cudaError_t status = enter_exec("cudaGraphLaunch", graphExec, &exec);
    struct CUstream_st *found = status ? NULL : runtime_stream_find(stream);
    if (!status && !found) status = cudaErrorInvalidResourceHandle;
    if (!status)
        status =
            found->capture ? runtime_capture_no_stream(found) : runtime_capturing(found, &captured);
    if (!status) status = launch(exec, found, stream);
    return runtime_leave(status);
}

// A device would keep the graph's commands; there is nothing to do here.
cudaError_t cudaGraphUpload(cudaGraphExec_t graphExec, cudaStream_t stream) {
    struct CUgraphExec_st *exec;
    cudaError_t status = enter_exec("cudaGraphUpload", graphExec, &exec);
    if (!status && !runtime_stream_find(stream)) status = cudaErrorInvalidResourceHandle;
    return runtime_leave(status);
}

// ---- new parameters -----------------------------------------------------------------------------

// What an H100 allows to change without a new instance: everything of a kernel and a host function,
// the places and values of copies and fills as long as their kind and shape stay.
bool runtime_work_may_become(const runtime_work *now, const runtime_work *then) {
    if (now->type != then->type) return false;
    if (now->type == cudaGraphNodeTypeMemcpy) {
        bool one_row = now->copy.box.height == 1 && now->copy.box.depth == 1;
        bool still = then->copy.box.height == 1 && then->copy.box.depth == 1;
        return one_row == still && now->copy.box.kind == then->copy.box.kind;
    }
    if (now->type == cudaGraphNodeTypeMemAlloc || now->type == cudaGraphNodeTypeMemFree)
        return now->memory.address == then->memory.address;
    if (now->type == cudaGraphNodeTypeMemset)
        return (now->fill.height == 1) == (then->fill.height == 1);
    return true;
}

// Replaces the work of the node made from `original`; takes `work` over.
static cudaError_t leave_set(cudaError_t status, struct CUgraphExec_st *exec,
                             cudaGraphNode_t original, runtime_work *work) {
    if (status) return runtime_leave(status);
    const struct CUgraphNode_st *live = runtime_node_find(original);
    struct CUgraphNode_st *node = live ? runtime_graph_twin(exec->graph, live) : NULL;
    if (node && runtime_work_may_become(&node->work, work)) {
        if (work->type == cudaGraphNodeTypeKernel)
            memcpy(work->kernel->attributes, node->work.kernel->attributes,
                   sizeof work->kernel->attributes);
        runtime_work_free(&node->work);
        node->work = *work;
    } else {
        runtime_work_free(work);
        status = cudaErrorInvalidValue;
    }
    return runtime_leave(status);
}

cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t hGraphExec, cudaGraphNode_t node,
                                             const struct cudaKernelNodeParams *pNodeParams) {
    struct CUgraphExec_st *exec;
    runtime_work work;
    cudaError_t status = enter_exec("cudaGraphExecKernelNodeSetParams", hGraphExec, &exec);
    if (!status) status = runtime_work_kernel(pNodeParams, &work);
    return leave_set(status, exec, node, &work);
}

cudaError_t cudaGraphExecMemcpyNodeSetParams(cudaGraphExec_t hGraphExec, cudaGraphNode_t node,
                                             const struct cudaMemcpy3DParms *pNodeParams) {
    struct CUgraphExec_st *exec;
    runtime_work work;
    cudaError_t status = enter_exec("cudaGraphExecMemcpyNodeSetParams", hGraphExec, &exec);
    if (!status) status = runtime_work_copy(pNodeParams, &work);
    return leave_set(status, exec, node, &work);
}

cudaError_t cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t hGraphExec, cudaGraphNode_t node,
                                               void *dst, const void *src, size_t count,
                                               enum cudaMemcpyKind kind) {
    struct CUgraphExec_st *exec;
    runtime_work work;
    cudaError_t status = enter_exec("cudaGraphExecMemcpyNodeSetParams1D", hGraphExec, &exec);
    if (!status) status = runtime_work_row(dst, src, count, kind, &work);
    return leave_set(status, exec, node, &work);
}

cudaError_t cudaGraphExecMemcpyNodeSetParamsToSymbol(cudaGraphExec_t hGraphExec,
                                                     cudaGraphNode_t node, const void *symbol,
                                                     const void *src, size_t count, size_t offset,
                                                     enum cudaMemcpyKind kind) {
    struct CUgraphExec_st *exec;
    runtime_work work;
    cudaError_t status = enter_exec("cudaGraphExecMemcpyNodeSetParamsToSymbol", hGraphExec, &exec);
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
        enter_exec("cudaGraphExecMemcpyNodeSetParamsFromSymbol", hGraphExec, &exec);
    if (!status) status = runtime_work_from_symbol(dst, symbol, count, offset, kind, &work);
    return leave_set(status, exec, node, &work);
}

cudaError_t cudaGraphExecMemsetNodeSetParams(cudaGraphExec_t hGraphExec, cudaGraphNode_t node,
                                             const struct cudaMemsetParams *pNodeParams) {
    struct CUgraphExec_st *exec;
    runtime_work work;
    cudaError_t status = enter_exec("cudaGraphExecMemsetNodeSetParams", hGraphExec, &exec);
    if (!status) status = runtime_work_fill(pNodeParams, &work);
    return leave_set(status, exec, node, &work);
}

cudaError_t cudaGraphExecHostNodeSetParams(cudaGraphExec_t hGraphExec, cudaGraphNode_t node,
                                           const struct cudaHostNodeParams *pNodeParams) {
    struct CUgraphExec_st *exec;
    runtime_work work;
    cudaError_t status = enter_exec("cudaGraphExecHostNodeSetParams", hGraphExec, &exec);
    if (!status) status = runtime_work_host(pNodeParams, &work);
    return leave_set(status, exec, node, &work);
}

cudaError_t cudaGraphExecEventRecordNodeSetEvent(cudaGraphExec_t hGraphExec, cudaGraphNode_t hNode,
                                                 cudaEvent_t event) {
    struct CUgraphExec_st *exec;
    runtime_work work;
    cudaError_t status = enter_exec("cudaGraphExecEventRecordNodeSetEvent", hGraphExec, &exec);
    if (!status) status = runtime_work_event(cudaGraphNodeTypeEventRecord, event, &work);
    return leave_set(status, exec, hNode, &work);
}

cudaError_t cudaGraphExecEventWaitNodeSetEvent(cudaGraphExec_t hGraphExec, cudaGraphNode_t hNode,
                                               cudaEvent_t event) {
    struct CUgraphExec_st *exec;
    runtime_work work;
    cudaError_t status = enter_exec("cudaGraphExecEventWaitNodeSetEvent", hGraphExec, &exec);
    if (!status) status = runtime_work_event(cudaGraphNodeTypeWaitEvent, event, &work);
    return leave_set(status, exec, hNode, &work);
}

cudaError_t cudaGraphExecNodeSetParams(cudaGraphExec_t graphExec, cudaGraphNode_t node,
                                       struct cudaGraphNodeParams *nodeParams) {
    struct CUgraphExec_st *exec;
    runtime_work work;
    cudaError_t status = enter_exec("cudaGraphExecNodeSetParams", graphExec, &exec);
    if (!status) status = runtime_work_any(nodeParams, NULL, &work);
    return leave_set(status, exec, node, &work);
}
