// Executable graphs: a copy of a graph with its nodes in an order that respects the edges. Nodes
// are done one after the other; on the virtual clock, what does not depend on each other overlaps.
#include "runtime/graph/graph.h"

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
    if (exec->running || exec->last) exec->doomed = true;
    else free_exec(exec);
}

// A launch of it has ended.
static void free_if_doomed(struct CUgraphExec_st *exec) {
    if (exec->doomed) runtime_exec_destroy(exec);
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
    if (!graph)
        return runtime_invalid("what it was given is no graph (cudaStreamEndCapture() or "
                               "cudaGraphCreate() makes one)");
    if (!out_exec || (flags & ~known_flags)) return cudaErrorInvalidValue;
    if (flags & cudaGraphInstantiateFlagDeviceLaunch) {
        bool alone = !(flags & (cudaGraphInstantiateFlagAutoFreeOnLaunch |
                                cudaGraphInstantiateFlagUseNodePriority));
        if (!alone || !runtime_graph_is_for_kernels(graph)) return cudaErrorInvalidValue;
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

static cudaError_t run_graph(struct CUgraph_st *graph, runtime_queue *queue, runtime_task *start,
                             runtime_task **out_end);

// A body: the next look at the condition comes when it is done.
static cudaError_t run_body(struct CUgraph_st *graph, runtime_queue *queue) {
    runtime_task *end;
    cudaError_t status = run_graph(graph, queue, NULL, &end);
    if (!status && end) status = runtime_task_wait(end);
    return status;
}

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
        cudaError_t status = run_body(work->bodies[chosen], queue);
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

// What is to be done when all that the node waits for is done. *out_held false: it is. A condition
// is looked at by the host, which waits for that here.
static cudaError_t hold_node(struct CUgraphNode_st *node, const runtime_queue *own,
                             runtime_task *start, sim_queue first, bool *out_held) {
    runtime_work work = {.type = cudaGraphNodeTypeEmpty};
    bool is_condition = node->work.type == cudaGraphNodeTypeConditional;
    *out_held = start && node->before.count == 0;
    for (size_t i = 0; i < node->before.count; i++)
        *out_held |= node->before.nodes[i]->task != NULL;
    node->task = NULL;
    if (!*out_held) return cudaSuccess;
    bool is_graph = node->work.type == cudaGraphNodeTypeGraph;
    cudaError_t status = cudaSuccess;
    if (!is_graph && !is_condition && !node->disabled)
        status = runtime_work_copied(&node->work, &work);
    runtime_task *task = status ? NULL : runtime_task_of(&work, own);
    if (!task) return status ? status : cudaErrorMemoryAllocation;
    if (node->before.count == 0) runtime_task_after(task, start);
    for (size_t i = 0; i < node->before.count; i++)
        runtime_task_after(task, node->before.nodes[i]->task);
    if (is_condition) {
        *out_held = false;
        return runtime_task_wait(task);
    }
    runtime_task *end = task;
    runtime_task_begins(task, node, first);
    if (is_graph) {
        runtime_queue inner = *own;
        if (first) inner.order = node->own_line;
        status = run_graph(node->work.graph, &inner, task, &end);
    }
    runtime_task_of_node(end, node, first);
    return status;
}

static cudaError_t run_node(struct CUgraphNode_st *node, runtime_queue *own, sim_queue first) {
    runtime_held held = {.number = 0};
    runtime_task *end = NULL;
    cudaError_t status = cudaSuccess;
    if (node->work.type == cudaGraphNodeTypeGraph)
        status = run_graph(node->work.graph, own, NULL, &end);
    else if (node->work.type == cudaGraphNodeTypeConditional)
        status = run_condition(&node->work.condition, own);
    else if (!node->disabled) status = runtime_work_run(&node->work, own, RUNTIME_IN_GRAPH, &held);
    if (!status && held.number) {
        end = runtime_task_held(&held, own);
        if (!end) status = cudaErrorMemoryAllocation;
    }
    if (end) runtime_task_of_node(end, node, first);
    node->end_of_run = (runtime_moment){own->ready.us, own->ready.span, SIM_CAUSE_GRAPH};
    return status;
}

// NULL: all nodes are done.
static cudaError_t end_graph(const struct CUgraph_st *graph, runtime_moment end,
                             runtime_task *start, runtime_task **out_end) {
    bool any = start != NULL;
    *out_end = NULL;
    for (size_t i = 0; i < graph->nodes.count; i++) any |= graph->nodes.nodes[i]->task != NULL;
    if (!any) return cudaSuccess;
    *out_end = runtime_task_start(end);
    if (!*out_end) return cudaErrorMemoryAllocation;
    runtime_task_after(*out_end, start);
    for (size_t i = 0; i < graph->nodes.count; i++)
        runtime_task_after(*out_end, graph->nodes.nodes[i]->task);
    return cudaSuccess;
}

// Each node has a queue of its own, which is free when all nodes before it are done. start: what
// has to be done before the first; NULL: nothing. *out_end: with it all of the graph is done; NULL:
// it is.
static cudaError_t run_graph(struct CUgraph_st *graph, runtime_queue *queue, runtime_task *start,
                             runtime_task **out_end) {
    runtime_moment begin = runtime_clock_ready(&runtime.clock, queue), end = begin;
    bool ordered = !start && runtime_order_is_told() && !is_chain(graph);
    sim_queue first = ordered ? runtime_order_name(SIM_QUEUE_EVENT) : 0;
    *out_end = NULL;
    if (ordered) runtime_order_after(first, queue->order);
    for (size_t i = 0; i < graph->nodes.count; i++) {
        struct CUgraphNode_st *node = graph->nodes.nodes[i];
        bool held;
        runtime_queue own = {.ready = begin,
                             .in_graph = true,
                             .device = (uint8_t)node->device,
                             .stream = queue->stream,
                             .order = queue->order};
        if (runtime.clock.has_sm_times) own.ready.us += (double)i * RUNTIME_NODE_US;
        for (size_t k = 0; k < node->before.count; k++)
            if (node->before.nodes[k]->end_of_run.us > own.ready.us)
                own.ready = node->before.nodes[k]->end_of_run;
        runtime_use(node->device);
        cudaError_t status = hold_node(node, &own, start, first, &held);
        if (status) return status;
        if (held) continue;
        if (ordered) {
            runtime_node_order(node, first);
            own.order = node->line;
        }
        status = run_node(node, &own, first);
        if (status) return status;
        if (ordered && !node->task) runtime_order_after(node->end, node->line);
        if (own.ready.us > end.us) end = own.ready;
    }
    queue->ready = end;
    cudaError_t status = end_graph(graph, end, start, out_end);
    if (*out_end) runtime_task_ends(*out_end, graph, queue->order, first);
    else runtime_graph_order(graph, queue->order, first);
    return status;
}

// What has to be done before the graph begins; *out_start NULL: nothing. Memory and conditions of
// the graph are those of one launch at a time.
static cudaError_t wait_for_earlier(const struct CUgraphExec_st *exec, struct CUstream_st *stream,
                                    runtime_task **out_start) {
    cudaError_t status = cudaSuccess;
    *out_start = NULL;
    if (exec->last && (runtime_graph_has_memory(exec->graph) || exec->graph->condition_count))
        status = runtime_task_wait(exec->last);
    if (status || (!exec->last && !runtime_stream_is_held(stream))) return status;
    *out_start = runtime_task_start(runtime_clock_ready(&runtime.clock, &stream->queue));
    if (!*out_start) return cudaErrorMemoryAllocation;
    runtime_task_after(*out_start, exec->last);
    runtime_task_in_stream(*out_start, stream);
    return cudaSuccess;
}

cudaError_t runtime_exec_launch(struct CUgraphExec_st *exec, struct CUstream_st *stream,
                                cudaStream_t handle) {
    if (runtime.now->pending) return cudaSuccess;
    if (exec->running) return cudaErrorInvalidValue; // from one of its own host functions
    runtime_task *start, *end = NULL;
    cudaError_t ready = wait_for_earlier(exec, stream, &start);
    if (ready) return ready;
    ready = runtime_graph_memory_ready(exec->graph,
                                       exec->flags & cudaGraphInstantiateFlagAutoFreeOnLaunch);
    if (!ready) ready = assign_conditions(exec->graph);
    if (ready) return ready;
    runtime_clock_graph(&runtime.clock, sim_engine_device(runtime.engine));
    runtime_queue queue = {.ready = runtime_clock_ready(&runtime.clock, &stream->queue),
                           .in_graph = true,
                           .device = stream->queue.device,
                           .stream = stream->queue.stream,
                           .order = stream->queue.order};
    exec->running = true;
    cudaError_t status = run_graph(exec->graph, &queue, start, &end);
    exec->running = false;
    stream = runtime_stream_find(handle);
    queue.ready.cause = SIM_CAUSE_STREAM;
    if (end) runtime_task_ends_graph(end, exec, free_if_doomed);
    else free_if_doomed(exec);
    if (stream && end) runtime_task_in_stream(end, stream);
    else if (stream) runtime_clock_wait(&runtime.clock, &stream->queue, queue.ready);
    runtime_tasks_go_on(SIM_WAIT_NOT);
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
