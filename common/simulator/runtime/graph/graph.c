// Graphs as structures: nodes, what each waits for, and copies. A node's work may be a graph, which
// is copied and freed with it.
#include "runtime/graph/graph.h"

struct CUgraph_st *runtime_graph_find(cudaGraph_t graph) {
    return graph ? runtime_map_get(&runtime.graphs, graph) : NULL;
}

struct CUgraphNode_st *runtime_node_find(cudaGraphNode_t node) {
    return node ? runtime_map_get(&runtime.nodes, node) : NULL;
}

// ---- graphs and nodes ---------------------------------------------------------------------------

struct CUgraph_st *const *runtime_work_graphs(const runtime_work *work, size_t *out_count) {
    *out_count = work->type == cudaGraphNodeTypeGraph         ? 1
                 : work->type == cudaGraphNodeTypeConditional ? work->condition.size
                                                              : 0;
    return work->type == cudaGraphNodeTypeConditional ? work->condition.bodies : &work->graph;
}

void runtime_work_free(runtime_work *work) {
    size_t count;
    struct CUgraph_st *const *inside = runtime_work_graphs(work, &count);
    if (work->type == cudaGraphNodeTypeKernel) runtime_kernel_work_free(work->kernel);
    for (size_t i = 0; i < count; i++) runtime_graph_free(inside[i]);
    if (work->type == cudaGraphNodeTypeConditional) free(work->condition.bodies);
    *work = (runtime_work){.type = cudaGraphNodeTypeEmpty};
}

struct CUgraph_st *runtime_graph_new(void) {
    struct CUgraph_st *graph = calloc(1, sizeof *graph);
    if (!graph || !runtime_map_put(&runtime.graphs, graph, graph)) {
        free(graph);
        return NULL;
    }
    graph->id = ++runtime.next_graph_id;
    return graph;
}

static void free_node(struct CUgraphNode_st *node) {
    runtime_map_remove(&runtime.nodes, node);
    runtime_work_free(&node->work);
    runtime_set_free(&node->before);
    runtime_order_gone(node->end);
    runtime_order_gone(node->own_line);
    free(node);
}

void runtime_graph_free(struct CUgraph_st *graph) {
    if (!graph) return;
    runtime_map_remove(&runtime.graphs, graph);
    for (size_t i = 0; i < graph->nodes.count; i++) free_node(graph->nodes.nodes[i]);
    runtime_set_free(&graph->nodes);
    runtime_users_release(graph);
    free(graph->conditions);
    free(graph);
}

// Graphs inside others go with those.
void runtime_graphs_reset(void) {
    for (bool found = true; found;) {
        struct CUgraph_st *graph;
        found = false;
        for (size_t at = 0; !found && (graph = runtime_map_next(&runtime.graphs, &at));)
            found = !graph->is_child;
        if (found) runtime_graph_free(graph);
    }
    runtime_map_free(&runtime.graphs);
    runtime_map_free(&runtime.nodes);
}

static cudaError_t check_before(const struct CUgraph_st *graph, const cudaGraphNode_t *before,
                                size_t count) {
    if (count && !before) return cudaErrorInvalidValue;
    for (size_t i = 0; i < count; i++) {
        const struct CUgraphNode_st *node = runtime_node_find(before[i]);
        if (!node || node->graph != graph) return cudaErrorInvalidValue;
        for (size_t k = 0; k < i; k++)
            if (before[k] == before[i]) return cudaErrorInvalidValue;
    }
    return cudaSuccess;
}

static struct CUgraphNode_st *new_node(struct CUgraph_st *graph, const cudaGraphNode_t *before,
                                       size_t count) {
    struct CUgraphNode_st *node = calloc(1, sizeof *node);
    if (!node) return NULL;
    node->graph = graph;
    node->device = runtime.device;
    node->work.type = cudaGraphNodeTypeEmpty;
    bool whole = runtime_map_put(&runtime.nodes, node, node);
    for (size_t i = 0; i < count && whole; i++) whole = runtime_set_add(&node->before, before[i]);
    if (!whole || !runtime_set_add(&graph->nodes, node)) {
        free_node(node);
        return NULL;
    }
    node->id = graph->next_node_id++;
    node->serial = ++runtime.next_node_serial;
    return node;
}

// ---- conditions ---------------------------------------------------------------------------------

// Of the graph, or of one that the graph is a body in.
static runtime_condition *find_condition(const struct CUgraph_st *graph,
                                         unsigned long long handle) {
    for (; graph; graph = graph->around)
        for (size_t i = 0; i < graph->condition_count; i++)
            if (graph->conditions[i].handle == handle) return &graph->conditions[i];
    return NULL;
}

static bool put_condition(struct CUgraph_st *graph, runtime_condition condition) {
    runtime_condition *larger =
        realloc(graph->conditions, (graph->condition_count + 1) * sizeof *larger);
    if (!larger) return false;
    graph->conditions = larger;
    graph->conditions[graph->condition_count++] = condition;
    return true;
}

cudaError_t runtime_condition_add(struct CUgraph_st *graph, unsigned value, bool assigns,
                                  unsigned long long *out_handle) {
    kl_error err = {0};
    const runtime_condition made = {
        .handle = runtime.condition_count + 1, .value = value, .assigns = assigns};
    if (sim_condition_set(runtime.engine, made.handle, 0, &err) != SIM_OK)
        return runtime_fail(&err);
    if (!put_condition(graph, made)) return cudaErrorMemoryAllocation;
    *out_handle = made.handle;
    runtime.condition_count++;
    return cudaSuccess;
}

// With new bodies, or with copies of those of `from`.
static cudaError_t make_bodies(runtime_condition_work condition, struct CUgraph_st *const *from,
                               runtime_work *out_work) {
    condition.bodies = calloc(condition.size, sizeof *condition.bodies);
    *out_work = (runtime_work){.type = cudaGraphNodeTypeConditional, .condition = condition};
    bool whole = condition.bodies;
    for (unsigned i = 0; whole && i < condition.size; i++) {
        struct CUgraph_st *body = from ? runtime_graph_copied(from[i]) : runtime_graph_new();
        condition.bodies[i] = body;
        whole = body;
        if (body) body->is_child = true;
    }
    if (whole) return cudaSuccess;
    if (!condition.bodies) out_work->condition.size = 0;
    runtime_work_free(out_work);
    return cudaErrorMemoryAllocation;
}

static cudaError_t work_condition(const struct cudaGraphNodeParams *params,
                                  const struct CUgraph_st *graph, runtime_work *out_work) {
    enum { MOST_BODIES = 1 << 16 };
    const runtime_condition_work asked = {.handle = params->conditional.handle,
                                          .kind = params->conditional.type,
                                          .size = params->conditional.size};
    const unsigned most[] = {2, 1, MOST_BODIES};
    const runtime_condition *condition = graph ? find_condition(graph, asked.handle) : NULL;
    if (!condition || condition->is_used || asked.kind > RUNTIME_CONDITION_SWITCH)
        return cudaErrorInvalidValue;
    if (asked.size == 0 || asked.size > most[asked.kind]) return cudaErrorInvalidValue;
    cudaError_t status = make_bodies(asked, NULL, out_work);
    for (unsigned i = 0; !status && i < asked.size; i++)
        out_work->condition.bodies[i]->around = graph;
    return status;
}

// ---- nodes --------------------------------------------------------------------------------------

cudaError_t runtime_graph_add(struct CUgraph_st *graph, const cudaGraphNode_t *before, size_t count,
                              runtime_work *work, struct CUgraphNode_st **out_node) {
    cudaError_t status = check_before(graph, before, count);
    struct CUgraphNode_st *node = status ? NULL : new_node(graph, before, count);
    if (!status && !node) status = cudaErrorMemoryAllocation;
    if (status) {
        runtime_work_free(work);
        return status;
    }
    node->work = *work;
    if (work->type == cudaGraphNodeTypeConditional)
        find_condition(graph, work->condition.handle)->is_used = true;
    *out_node = node;
    return cudaSuccess;
}

void runtime_graph_remove(struct CUgraphNode_st *node) {
    runtime_node_set *all = &node->graph->nodes;
    for (size_t i = 0; i < all->count; i++) runtime_set_remove(&all->nodes[i]->before, node);
    runtime_set_remove(all, node);
    free_node(node);
}

// ---- copies -------------------------------------------------------------------------------------

struct CUgraphNode_st *runtime_graph_twin(const struct CUgraph_st *clone,
                                          const struct CUgraphNode_st *node) {
    for (size_t i = 0; i < clone->nodes.count; i++) {
        struct CUgraphNode_st *copy = clone->nodes.nodes[i];
        if (copy->twin_of == node->serial) return copy;
        size_t count;
        struct CUgraph_st *const *graphs = runtime_work_graphs(&copy->work, &count);
        for (size_t k = 0; k < count; k++) {
            struct CUgraphNode_st *inside = runtime_graph_twin(graphs[k], node);
            if (inside) return inside;
        }
    }
    return NULL;
}

cudaError_t runtime_work_child(const struct CUgraph_st *child, runtime_work *out_work) {
    if (!child) return cudaErrorInvalidValue;
    if (runtime_graph_has_memory(child) || child->condition_count) return cudaErrorNotSupported;
    struct CUgraph_st *copied = runtime_graph_copied(child);
    if (!copied) return cudaErrorMemoryAllocation;
    copied->is_child = true;
    *out_work = (runtime_work){.type = cudaGraphNodeTypeGraph, .graph = copied};
    return cudaSuccess;
}

cudaError_t runtime_work_copied(const runtime_work *from, runtime_work *out_work) {
    if (from->type == cudaGraphNodeTypeKernel)
        return runtime_kernel_work_copy(from->kernel, out_work);
    if (from->type == cudaGraphNodeTypeGraph) return runtime_work_child(from->graph, out_work);
    if (from->type == cudaGraphNodeTypeConditional)
        return make_bodies(from->condition, from->condition.bodies, out_work);
    *out_work = *from;
    return cudaSuccess;
}

// Nodes first: an edge may lead to a node that was added later.
static bool copy_nodes(const struct CUgraph_st *from, struct CUgraph_st *to) {
    for (size_t i = 0; i < from->nodes.count; i++) {
        const struct CUgraphNode_st *node = from->nodes.nodes[i];
        struct CUgraphNode_st *copy = new_node(to, NULL, 0);
        if (!copy || runtime_work_copied(&node->work, &copy->work)) return false;
        copy->twin_of = node->serial;
        copy->device = node->device;
    }
    for (size_t i = 0; i < from->nodes.count; i++) {
        const runtime_node_set *before = &from->nodes.nodes[i]->before;
        for (size_t k = 0; k < before->count; k++)
            if (!runtime_set_add(&to->nodes.nodes[i]->before,
                                 runtime_graph_twin(to, before->nodes[k])))
                return false;
    }
    return true;
}

struct CUgraph_st *runtime_graph_copied(const struct CUgraph_st *from) {
    struct CUgraph_st *to = runtime_graph_new();
    bool whole = to;
    for (size_t i = 0; whole && i < from->condition_count; i++)
        whole = put_condition(to, from->conditions[i]);
    if (whole && copy_nodes(from, to) && runtime_users_copy(from, to)) return to;
    runtime_graph_free(to);
    return NULL;
}

// ---- order --------------------------------------------------------------------------------------

static bool is_ready(const struct CUgraphNode_st *node) {
    for (size_t i = 0; i < node->before.count; i++)
        if (node->before.nodes[i]->waiting) return false;
    return true;
}

// Rounds over the nodes in the order in which they were added, which mostly is a right one already.
cudaError_t runtime_graph_sort(const struct CUgraph_st *graph, struct CUgraphNode_st ***out_order) {
    size_t count = graph->nodes.count, placed = 0, last_round;
    struct CUgraphNode_st **order = malloc((count + 1) * sizeof(void *));
    if (!order) return cudaErrorMemoryAllocation;
    for (size_t i = 0; i < count; i++) graph->nodes.nodes[i]->waiting = 1;
    do {
        last_round = placed;
        for (size_t i = 0; i < count; i++) {
            struct CUgraphNode_st *node = graph->nodes.nodes[i];
            if (!node->waiting || !is_ready(node)) continue;
            node->waiting = 0;
            order[placed++] = node;
        }
    } while (placed > last_round);
    if (placed == count) {
        *out_order = order;
        return cudaSuccess;
    }
    free(order);
    return cudaErrorInvalidValue;
}

// ---- work from the general structure ------------------------------------------------------------

// The structures of the general functions have the layout of the older ones.
cudaError_t runtime_work_any(const struct cudaGraphNodeParams *params,
                             const struct CUgraph_st *graph, runtime_work *out_work) {
    if (!params) return cudaErrorInvalidValue;
    for (int i = 0; i < 3; i++)
        if (params->reserved0[i]) return cudaErrorInvalidValue;
    if (params->reserved2) return cudaErrorInvalidValue;
    switch (params->type) {
    case cudaGraphNodeTypeKernel:
        return runtime_work_kernel((const struct cudaKernelNodeParams *)&params->kernel, out_work);
    case cudaGraphNodeTypeMemcpy: return runtime_work_copy(&params->memcpy.copyParams, out_work);
    case cudaGraphNodeTypeMemset:
        return runtime_work_fill((const struct cudaMemsetParams *)&params->memset, out_work);
    case cudaGraphNodeTypeHost:
        return runtime_work_host((const struct cudaHostNodeParams *)&params->host, out_work);
    case cudaGraphNodeTypeGraph:
        return runtime_work_child(runtime_graph_find(params->graph.graph), out_work);
    case cudaGraphNodeTypeEmpty:
        *out_work = (runtime_work){.type = cudaGraphNodeTypeEmpty};
        return cudaSuccess;
    case cudaGraphNodeTypeWaitEvent:
        return runtime_work_event(params->type, params->eventWait.event, out_work);
    case cudaGraphNodeTypeEventRecord:
        return runtime_work_event(params->type, params->eventRecord.event, out_work);
    case cudaGraphNodeTypeMemAlloc:
        if (!graph) return cudaErrorInvalidValue;
        return runtime_work_allocation((const struct cudaMemAllocNodeParams *)&params->alloc,
                                       out_work);
    case cudaGraphNodeTypeMemFree:
        if (!graph) return cudaErrorInvalidValue;
        return runtime_work_release(graph, params->free.dptr, out_work);
    case cudaGraphNodeTypeConditional: return work_condition(params, graph, out_work);
    case cudaGraphNodeTypeExtSemaphoreSignal:
    case cudaGraphNodeTypeExtSemaphoreWait:
        runtime_say("graph nodes of this kind (semaphores) are not supported");
        return cudaErrorNotSupported;
    default: return cudaErrorInvalidValue;
    }
}

// -------------------------------------------------------------------------------------------------
// References to user objects. The last one calls the program's destructor, which may not call CUDA.

struct CUuserObject_st *runtime_user_object_find(cudaUserObject_t object) {
    return object ? runtime_map_get(&runtime.user_objects, object) : NULL;
}

void runtime_user_object_give_back(struct CUuserObject_st *object, unsigned count) {
    object->references -= count < object->references ? count : object->references;
    if (object->references) return;
    runtime_map_remove(&runtime.user_objects, object);
    object->destructor.next = runtime.destructors;
    runtime.destructors = &object->destructor;
}

runtime_user_reference *runtime_user_reference_find(const struct CUgraph_st *graph,
                                                    const struct CUuserObject_st *object) {
    for (size_t i = 0; i < graph->user_count; i++)
        if (graph->users[i].object == object) return &graph->users[i];
    return NULL;
}

bool runtime_user_reference_add(struct CUgraph_st *graph, struct CUuserObject_st *object,
                                unsigned count) {
    runtime_user_reference *held = runtime_user_reference_find(graph, object);
    if (held) {
        held->count += count;
        return true;
    }
    runtime_user_reference *larger =
        realloc(graph->users, (graph->user_count + 1) * sizeof *larger);
    if (!larger) return false;
    graph->users = larger;
    graph->users[graph->user_count++] = (runtime_user_reference){object, count};
    return true;
}

bool runtime_users_copy(const struct CUgraph_st *from, struct CUgraph_st *to) {
    for (size_t i = 0; i < from->user_count; i++) {
        if (!runtime_user_reference_add(to, from->users[i].object, 1)) return false;
        from->users[i].object->references++;
    }
    return true;
}

void runtime_users_release(struct CUgraph_st *graph) {
    for (size_t i = 0; i < graph->user_count; i++)
        runtime_user_object_give_back(graph->users[i].object, graph->users[i].count);
    free(graph->users);
    graph->users = NULL;
    graph->user_count = 0;
}
