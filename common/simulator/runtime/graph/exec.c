// SPDX-License-Identifier: MIT
// Executable graphs: a copy of a graph with its nodes in an order that respects the edges. Nodes
// are done one after the other; on the virtual clock, what does not depend on each other overlaps.
#include "runtime/graph/graph.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/state/state.h"

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

void runtime_exec_destroy(struct CUgraphExec_st *exec) {
    if (exec->running)
        exec->doomed = true;
    else
        free_exec(exec);
}

void runtime_execs_reset(void) {
    struct CUgraphExec_st *exec;
    for (size_t at = 0; (exec = runtime_map_next(&runtime.execs, &at));) runtime_exec_destroy(exec);
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

cudaError_t runtime_exec_create(const struct CUgraph_st *graph, unsigned long long flags,
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

// ---- launches -----------------------------------------------------------------------------------

// Whether each node waits for the one before it: then the checks see work of the stream like any
// other.
static bool is_chain(const struct CUgraph_st *graph) {
    for (size_t i = 1; i < graph->nodes.count; i++)
        if (!runtime_set_has(&graph->nodes.nodes[i]->before, graph->nodes.nodes[i - 1]))
            return false;
    return true;
}

// The line that a node runs in: that of a node it waits for, which no other one goes on in, or its
// own. It comes after all that it waits for, or what was in the stream before the graph.
static void order_node(struct CUgraphNode_st *node, sim_queue start) {
    if (!node->end) node->end = runtime_order_name(SIM_QUEUE_EVENT);
    struct CUgraphNode_st *follows = NULL;
    for (size_t i = 0; i < node->before.count; i++) {
        node->before.nodes[i]->has_next = true;
        if (!follows && !node->before.nodes[i]->goes_on) follows = node->before.nodes[i];
    }
    node->goes_on = node->has_next = false;
    if (follows) {
        follows->goes_on = true;
        node->line = follows->line;
    } else {
        if (!node->own_line) node->own_line = runtime_order_name(SIM_QUEUE_NODES);
        node->line = node->own_line;
    }
    for (size_t i = 0; i < node->before.count; i++)
        if (node->before.nodes[i] != follows)
            runtime_order_after(node->line, node->before.nodes[i]->end);
    if (node->before.count == 0) runtime_order_after(node->line, start);
}

// Each node has a queue of its own, which is free when all nodes before it are done.
static cudaError_t run_graph(struct CUgraph_st *graph, runtime_queue *queue) {
    double start_us = runtime_clock_ready(&runtime.clock, queue), end_us = start_us;
    bool ordered = runtime_order_is_told() && !is_chain(graph);
    sim_queue start = ordered ? runtime_order_name(SIM_QUEUE_EVENT) : 0;
    if (ordered) runtime_order_after(start, queue->order);
    for (size_t i = 0; i < graph->nodes.count; i++) {
        struct CUgraphNode_st *node = graph->nodes.nodes[i];
        runtime_queue own = {.ready_us = start_us, .order = queue->order};
        for (size_t k = 0; k < node->before.count; k++)
            if (node->before.nodes[k]->end_us > own.ready_us)
                own.ready_us = node->before.nodes[k]->end_us;
        if (ordered) {
            order_node(node, start);
            own.order = node->line;
        }
        cudaError_t status = cudaSuccess;
        if (node->work.type == cudaGraphNodeTypeGraph)
            status = run_graph(node->work.graph, &own);
        else if (!node->disabled)
            status = runtime_work_run(&node->work, &own);
        if (status) return status;
        node->end_us = own.ready_us;
        if (ordered) runtime_order_after(node->end, node->line);
        if (own.ready_us > end_us) end_us = own.ready_us;
    }
    queue->ready_us = end_us;
    for (size_t i = 0; ordered && i < graph->nodes.count; i++)
        if (!graph->nodes.nodes[i]->has_next)
            runtime_order_after(queue->order, graph->nodes.nodes[i]->end);
    runtime_order_gone(start);
    return cudaSuccess;
}

cudaError_t runtime_exec_launch(struct CUgraphExec_st *exec, struct CUstream_st *stream,
                                cudaStream_t handle) {
    if (runtime.pending) return cudaSuccess;
    if (exec->running) return cudaErrorInvalidValue; // from one of its own host functions
    cudaError_t ready = runtime_graph_memory_ready(
        exec->graph, exec->flags & cudaGraphInstantiateFlagAutoFreeOnLaunch);
    if (ready) return ready;
    runtime_clock_graph(&runtime.clock, sim_engine_device(runtime.engine));
    runtime_queue queue = {.ready_us = runtime_clock_ready(&runtime.clock, &stream->queue),
                           .order = stream->queue.order};
    exec->running = true;
    cudaError_t status = run_graph(exec->graph, &queue);
    exec->running = false;
    if (exec->doomed) free_exec(exec);
    stream = runtime_stream_find(handle);
    if (stream) runtime_clock_wait(&runtime.clock, &stream->queue, queue.ready_us);
    return status;
}

// ---- new parameters -----------------------------------------------------------------------------

cudaError_t runtime_exec_set_work(struct CUgraphExec_st *exec, cudaGraphNode_t original,
                                  runtime_work *work) {
    const struct CUgraphNode_st *live = runtime_node_find(original);
    struct CUgraphNode_st *node = live ? runtime_graph_twin(exec->graph, live) : NULL;
    if (!node || !runtime_work_may_become(&node->work, work)) {
        runtime_work_free(work);
        return cudaErrorInvalidValue;
    }
    if (work->type == cudaGraphNodeTypeKernel)
        memcpy(work->kernel->attributes, node->work.kernel->attributes,
               sizeof work->kernel->attributes);
    runtime_work_free(&node->work);
    node->work = *work;
    return cudaSuccess;
}
