// Executable graphs: a copy of a graph with its nodes in an order that respects the edges. Nodes
// are done one after the other; on the virtual clock, what does not depend on each other overlaps.
#include "runtime/graph/graph.h"

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
    if (exec->running) exec->doomed = true;
    else free_exec(exec);
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
    for (size_t i = 0; !status && i < graph->nodes.count; i++) {
        size_t count;
        struct CUgraph_st *const *inside =
            runtime_work_graphs(&graph->nodes.nodes[i]->work, &count);
        for (size_t k = 0; !status && k < count; k++) status = put_in_order(inside[k]);
    }
    return status;
}

// A condition needs a node that looks at it, and its bodies have work of the device only (CUDA C++
// Programming Guide, "Conditional Graph Nodes").
static cudaError_t check_conditions(const struct CUgraph_st *graph, bool in_body) {
    for (size_t i = 0; i < graph->condition_count; i++) {
        if (graph->conditions[i].is_used) continue;
        runtime_say("a conditional handle of the graph belongs to no conditional node");
        return cudaErrorInvalidValue;
    }
    for (size_t i = 0; i < graph->nodes.count; i++) {
        const runtime_work *work = &graph->nodes.nodes[i]->work;
        size_t count;
        struct CUgraph_st *const *inside = runtime_work_graphs(work, &count);
        bool allowed = count || work->type == cudaGraphNodeTypeKernel ||
                       work->type == cudaGraphNodeTypeMemcpy ||
                       work->type == cudaGraphNodeTypeMemset ||
                       work->type == cudaGraphNodeTypeEmpty;
        if (in_body && !allowed) {
            runtime_say("the body of a conditional node has a node that is no kernel, copy, fill, "
                        "graph or condition");
            return cudaErrorInvalidValue;
        }
        for (size_t k = 0; k < count; k++) {
            bool body = in_body || work->type == cudaGraphNodeTypeConditional;
            cudaError_t status = check_conditions(inside[k], body);
            if (status) return status;
        }
    }
    return cudaSuccess;
}

bool runtime_graph_is_for_kernels(const struct CUgraph_st *graph) {
    for (size_t i = 0; i < graph->nodes.count; i++) {
        const runtime_work *work = &graph->nodes.nodes[i]->work;
        bool is_child = work->type == cudaGraphNodeTypeGraph;
        if (is_child ? !runtime_graph_is_for_kernels(work->graph)
                     : work->type > cudaGraphNodeTypeMemset)
            return false;
    }
    return true;
}

static bool has_instance(const struct CUgraph_st *graph) {
    const struct CUgraphExec_st *exec;
    for (size_t at = 0; (exec = runtime_map_next(&runtime.execs, &at));)
        if (exec->source == graph->id) return true;
    return false;
}

// Whether the devices of the nodes that fill memory have access to it (H200).
static bool reaches_fills(const struct CUgraph_st *graph) {
    for (size_t i = 0; runtime.device_count > 1 && i < graph->nodes.count; i++) {
        const struct CUgraphNode_st *node = graph->nodes.nodes[i];
        runtime_use(node->device);
        if (node->work.type == cudaGraphNodeTypeMemset &&
            !runtime_is_reached((uint64_t)(uintptr_t)node->work.fill.start))
            return false;
    }
    return true;
}

cudaError_t runtime_exec_create(const struct CUgraph_st *graph, unsigned long long flags,
                                cudaGraphExec_t *out_exec) {
    if (!graph || !out_exec || (flags & ~known_flags)) return cudaErrorInvalidValue;
    if (flags & cudaGraphInstantiateFlagDeviceLaunch) {
        if (!runtime_graph_is_for_kernels(graph)) return cudaErrorInvalidValue;
        runtime_say("graphs that kernels launch are not supported");
        return cudaErrorNotSupported;
    }
    if (runtime_graph_has_memory(graph) && has_instance(graph)) return cudaErrorNotSupported;
    if (!reaches_fills(graph)) return cudaErrorInvalidValue;
    cudaError_t conditions = check_conditions(graph, false);
    if (conditions) return conditions;
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

static cudaError_t run_graph(struct CUgraph_st *graph, runtime_queue *queue);

// Looks at the condition, and runs the body that it chooses.
static cudaError_t run_condition(const runtime_condition_work *work, runtime_queue *queue) {
    enum { MOST_PASSES = 1 << 20 };
    bool loops = work->kind == RUNTIME_CONDITION_WHILE;
    for (uint32_t passes = 0; !runtime.now->pending; passes++) {
        uint32_t value;
        kl_error err = {0};
        if (sim_condition_get(runtime.engine, work->handle, &value, &err) != SIM_OK)
            return runtime_fail(&err);
        uint32_t chosen = work->kind == RUNTIME_CONDITION_SWITCH ? value : value == 0;
        if (chosen >= work->size) return cudaSuccess;
        if (passes == MOST_PASSES) {
            runtime_say("the body of a while node has run a million times, and its condition does "
                        "not become 0: a kernel of it must call cudaGraphSetConditional");
            return cudaErrorLaunchTimeout;
        }
        cudaError_t status = run_graph(work->bodies[chosen], queue);
        if (status || !loops) return status;
    }
    return cudaSuccess;
}

// Of the graph and all inside it, at a launch.
static cudaError_t assign_conditions(const struct CUgraph_st *graph) {
    kl_error err = {0};
    for (size_t i = 0; i < graph->condition_count; i++) {
        const runtime_condition *condition = &graph->conditions[i];
        if (condition->assigns &&
            sim_condition_set(runtime.engine, condition->handle, condition->value, &err) != SIM_OK)
            return runtime_fail(&err);
    }
    for (size_t i = 0; i < graph->nodes.count; i++) {
        size_t count;
        struct CUgraph_st *const *inside =
            runtime_work_graphs(&graph->nodes.nodes[i]->work, &count);
        for (size_t k = 0; k < count; k++) {
            cudaError_t status = assign_conditions(inside[k]);
            if (status) return status;
        }
    }
    return cudaSuccess;
}

// Each node has a queue of its own, which is free when all nodes before it are done.
static cudaError_t run_graph(struct CUgraph_st *graph, runtime_queue *queue) {
    runtime_moment begin = runtime_clock_ready(&runtime.clock, queue), end = begin;
    bool ordered = runtime_order_is_told() && !is_chain(graph);
    sim_queue start = ordered ? runtime_order_name(SIM_QUEUE_EVENT) : 0;
    if (ordered) runtime_order_after(start, queue->order);
    for (size_t i = 0; i < graph->nodes.count; i++) {
        struct CUgraphNode_st *node = graph->nodes.nodes[i];
        runtime_queue own = {.ready = begin,
                             .in_graph = true,
                             .device = (uint8_t)node->device,
                             .stream = queue->stream,
                             .order = queue->order};
        if (runtime.clock.has_sm_times) own.ready.us += (double)i * RUNTIME_NODE_US;
        for (size_t k = 0; k < node->before.count; k++)
            if (node->before.nodes[k]->end_of_run.us > own.ready.us)
                own.ready = node->before.nodes[k]->end_of_run;
        if (ordered) {
            order_node(node, start);
            own.order = node->line;
        }
        cudaError_t status = cudaSuccess;
        runtime_use(node->device);
        if (node->work.type == cudaGraphNodeTypeGraph) status = run_graph(node->work.graph, &own);
        else if (node->work.type == cudaGraphNodeTypeConditional)
            status = run_condition(&node->work.condition, &own);
        else if (!node->disabled) status = runtime_work_run(&node->work, &own);
        if (status) return status;
        node->end_of_run = (runtime_moment){own.ready.us, own.ready.span, SIM_CAUSE_GRAPH};
        if (ordered) runtime_order_after(node->end, node->line);
        if (own.ready.us > end.us) end = own.ready;
    }
    queue->ready = end;
    for (size_t i = 0; ordered && i < graph->nodes.count; i++)
        if (!graph->nodes.nodes[i]->has_next)
            runtime_order_after(queue->order, graph->nodes.nodes[i]->end);
    runtime_order_gone(start);
    return cudaSuccess;
}

cudaError_t runtime_exec_launch(struct CUgraphExec_st *exec, struct CUstream_st *stream,
                                cudaStream_t handle) {
    if (runtime.now->pending) return cudaSuccess;
    if (exec->running) return cudaErrorInvalidValue; // from one of its own host functions
    cudaError_t ready = runtime_graph_memory_ready(
        exec->graph, exec->flags & cudaGraphInstantiateFlagAutoFreeOnLaunch);
    if (!ready) ready = assign_conditions(exec->graph);
    if (ready) return ready;
    runtime_clock_graph(&runtime.clock, sim_engine_device(runtime.engine));
    runtime_queue queue = {.ready = runtime_clock_ready(&runtime.clock, &stream->queue),
                           .in_graph = true,
                           .device = stream->queue.device,
                           .stream = stream->queue.stream,
                           .order = stream->queue.order};
    exec->running = true;
    cudaError_t status = run_graph(exec->graph, &queue);
    exec->running = false;
    if (exec->doomed) free_exec(exec);
    stream = runtime_stream_find(handle);
    queue.ready.cause = SIM_CAUSE_STREAM;
    if (stream) runtime_clock_wait(&runtime.clock, &stream->queue, queue.ready);
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
    cudaError_t status = cudaSuccess;
    struct CUkern_st *kernel;
    if (work->type == cudaGraphNodeTypeKernel) {
        memcpy(work->kernel->attributes, node->work.kernel->attributes,
               sizeof work->kernel->attributes);
        runtime_cluster_keep(node->work.kernel, work->kernel, live->work.kernel->launch.cluster);
        status = runtime_launch_check(&work->kernel->launch, &kernel);
    }
    if (status) {
        runtime_work_free(work);
        return status;
    }
    runtime_work_free(&node->work);
    node->work = *work;
    return cudaSuccess;
}
