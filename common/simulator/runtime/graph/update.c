// SPDX-License-Identifier: MIT
// Whole changes of executable graphs: update from another graph, nodes switched off, new children; and
// a graph as text for Graphviz (CUDA Runtime API, "Graph Management").
#include "runtime/graph/graph.h"

#include <stdio.h>
#include <stdlib.h>

// ---- update -------------------------------------------------------------------------------------

typedef cudaGraphExecUpdateResultInfo outcome;

// Which node of the executable graph becomes which one of the other, by the other's order.
typedef struct pairing {
    const struct CUgraph_st *now, *then;
    struct CUgraphNode_st **partners; // of then's nodes; NULL: none yet
    struct CUgraphNode_st **waiting;  // nodes of `then` whose partner is known, to be looked at
    size_t waiting_count;
} pairing;

static bool differ(outcome *out, enum cudaGraphExecUpdateResult result,
                   struct CUgraphNode_st *node) {
    *out = (outcome){.result = result, .errorNode = node};
    return false;
}

// Notes a partner, once: a node that comes up again must have the same one.
static bool pair(pairing *p, struct CUgraphNode_st *now, struct CUgraphNode_st *then) {
    struct CUgraphNode_st **partner = &p->partners[then->waiting];
    if (*partner) return *partner == now;
    *partner = now;
    p->waiting[p->waiting_count++] = then;
    return true;
}

static bool is_leaf(const struct CUgraph_st *graph, const struct CUgraphNode_st *node) {
    for (size_t i = 0; i < graph->nodes.count; i++)
        if (runtime_set_has(&graph->nodes.nodes[i]->before, node)) return false;
    return true;
}

// The next leaf in the order of adding from number *at on; NULL at the end.
static struct CUgraphNode_st *next_leaf(const struct CUgraph_st *graph,
                                        struct CUgraphNode_st *const *by_number, size_t *at) {
    while (*at < graph->nodes.count) {
        struct CUgraphNode_st *node = by_number[(*at)++];
        if (is_leaf(graph, node)) return node;
    }
    return NULL;
}

static bool may_update(const struct CUgraph_st *now, const struct CUgraph_st *then, outcome *out,
                       bool apply);

static bool compare(pairing *p, struct CUgraphNode_st *now, struct CUgraphNode_st *then,
                    outcome *out, bool apply) {
    if (now->before.count != then->before.count)
        return differ(out, cudaGraphExecUpdateErrorTopologyChanged, then);
    if (now->work.type != then->work.type)
        return differ(out, cudaGraphExecUpdateErrorNodeTypeChanged, then);
    if (now->work.type == cudaGraphNodeTypeGraph) {
        if (!may_update(now->work.graph, then->work.graph, out, apply)) return false;
    } else if (!runtime_work_may_become(&now->work, &then->work)) {
        return differ(out, cudaGraphExecUpdateErrorParametersChanged, then);
    }
    for (size_t i = 0; i < now->before.count; i++)
        if (!pair(p, now->before.nodes[i], then->before.nodes[i]))
            return differ(out, cudaGraphExecUpdateErrorTopologyChanged, then);
    return true;
}

// From the leaves, which are paired in the order of adding, backwards.
static bool compare_all(pairing *p, struct CUgraphNode_st **by_number, outcome *out, bool apply) {
    size_t now_at = 0, then_at = 0;
    struct CUgraphNode_st *then;
    while ((then = next_leaf(p->then, p->then->nodes.nodes, &then_at))) {
        struct CUgraphNode_st *now = next_leaf(p->now, by_number, &now_at);
        if (!now) return differ(out, cudaGraphExecUpdateErrorTopologyChanged, then);
        pair(p, now, then);
        for (size_t i = p->waiting_count - 1; i < p->waiting_count; i++)
            if (!compare(p, p->partners[p->waiting[i]->waiting], p->waiting[i], out, apply))
                return false;
    }
    if (p->now->nodes.count != p->then->nodes.count)
        return differ(out, cudaGraphExecUpdateErrorTopologyChanged, NULL);
    return true;
}

// Exchanges the work of nodes: `then` is a copy that is thrown away afterwards.
static void exchange(const pairing *p) {
    for (size_t i = 0; i < p->then->nodes.count; i++) {
        struct CUgraphNode_st *from = p->then->nodes.nodes[i], *to = p->partners[i];
        if (from->work.type == cudaGraphNodeTypeGraph) continue; // done on the way
        runtime_work old = to->work;
        to->work = from->work;
        from->work = old;
    }
}

// Whether the executable graph `now` may become `then`; with `apply` it does.
static bool may_update(const struct CUgraph_st *now, const struct CUgraph_st *then, outcome *out,
                       bool apply) {
    size_t now_count = now->nodes.count, then_count = then->nodes.count;
    void *room = calloc(now_count + 2 * then_count + 1, sizeof(void *));
    if (!room) return differ(out, cudaGraphExecUpdateError, NULL);
    struct CUgraphNode_st **by_number = room;
    pairing p = {.now = now,
                 .then = then,
                 .partners = by_number + now_count,
                 .waiting = by_number + now_count + then_count};
    for (size_t i = 0; i < now_count; i++) by_number[now->nodes.nodes[i]->id] = now->nodes.nodes[i];
    for (size_t i = 0; i < then_count; i++) then->nodes.nodes[i]->waiting = i;
    bool may = compare_all(&p, by_number, out, apply);
    if (may && apply) exchange(&p);
    free(room);
    return may;
}

static cudaError_t update(struct CUgraphExec_st *exec, const struct CUgraph_st *graph,
                          outcome *out) {
    if (!may_update(exec->graph, graph, out, false)) return cudaErrorGraphExecUpdateFailure;
    struct CUgraph_st *copy = runtime_graph_copied(graph);
    if (!copy) return cudaErrorMemoryAllocation;
    may_update(exec->graph, copy, out, true);
    runtime_graph_free(copy);
    return cudaSuccess;
}

cudaError_t cudaGraphExecUpdate(cudaGraphExec_t hGraphExec, cudaGraph_t hGraph,
                                cudaGraphExecUpdateResultInfo *resultInfo) {
    cudaError_t status =
        runtime_enter(RUNTIME_DEVICE, "cudaGraphExecUpdate(%p)", (void *)hGraphExec);
    struct CUgraphExec_st *exec = status ? NULL : runtime_exec_find(hGraphExec);
    const struct CUgraph_st *graph = status ? NULL : runtime_graph_find(hGraph);
    outcome found = {.result = cudaGraphExecUpdateSuccess};
    if (!status && (!exec || !graph || !resultInfo)) status = cudaErrorInvalidValue;
    if (!status) {
        status = update(exec, graph, &found);
        *resultInfo = found;
    }
    return runtime_leave(status);
}

cudaError_t cudaGraphExecChildGraphNodeSetParams(cudaGraphExec_t hGraphExec, cudaGraphNode_t node,
                                                 cudaGraph_t childGraph) {
    cudaError_t status = runtime_enter(RUNTIME_DEVICE, "cudaGraphExecChildGraphNodeSetParams(%p)",
                                       (void *)hGraphExec);
    const struct CUgraphExec_st *exec = status ? NULL : runtime_exec_find(hGraphExec);
    const struct CUgraphNode_st *live = exec ? runtime_node_find(node) : NULL;
    struct CUgraphNode_st *twin = live ? runtime_graph_twin(exec->graph, live) : NULL;
    const struct CUgraph_st *child = status ? NULL : runtime_graph_find(childGraph);
    outcome found;
    if (!status && (!twin || twin->work.type != cudaGraphNodeTypeGraph || !child))
        status = cudaErrorInvalidValue;
    if (!status && !may_update(twin->work.graph, child, &found, false))
        status = cudaErrorInvalidValue;
    if (!status) {
        struct CUgraph_st *copy = runtime_graph_copied(child);
        if (copy)
            may_update(twin->work.graph, copy, &found, true);
        else
            status = cudaErrorMemoryAllocation;
        runtime_graph_free(copy);
    }
    return runtime_leave(status);
}

// ---- switches -----------------------------------------------------------------------------------

// Enters a call about a node that can be switched off: kernels, copies and fills.
static cudaError_t enter_switch(const char *call, cudaGraphExec_t handle, cudaGraphNode_t node,
                                struct CUgraphNode_st **out_node) {
    cudaError_t status = runtime_enter(RUNTIME_DEVICE, "%s(%p)", call, (void *)handle);
    const struct CUgraphExec_st *exec = status ? NULL : runtime_exec_find(handle);
    const struct CUgraphNode_st *live = exec ? runtime_node_find(node) : NULL;
    *out_node = live ? runtime_graph_twin(exec->graph, live) : NULL;
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

// ---- text ---------------------------------------------------------------------------------------

// Sizes as an H100's driver writes them: without the ones at the end.
static void print_size(FILE *file, dim3 size) {
    if (size.z > 1)
        fprintf(file, "\\{%u,%u,%u\\}", size.x, size.y, size.z);
    else if (size.y > 1)
        fprintf(file, "\\{%u,%u\\}", size.x, size.y);
    else
        fprintf(file, "%u", size.x);
}

static void print_kernel(FILE *file, const runtime_launch *launch, unsigned flags) {
    const unsigned wanted = cudaGraphDebugDotFlagsVerbose | cudaGraphDebugDotFlagsKernelNodeParams;
    const struct CUkern_st *kernel = runtime_map_get(&runtime.kernels, launch->function);
    fprintf(file, "%s\n", kernel ? kernel->name : "?");
    if (!(flags & wanted)) return;
    fputs("\\<\\<\\<", file);
    print_size(file, launch->grid);
    fputs(",", file);
    print_size(file, launch->block);
    fprintf(file, ",%zu\\>\\>\\>", launch->shared_bytes);
}

static void print_work(FILE *file, const runtime_work *work, unsigned flags) {
    static const char *const kinds[] = {"HtoH", "HtoD", "DtoH", "DtoD", "Default"};
    switch (work->type) {
    case cudaGraphNodeTypeKernel: print_kernel(file, &work->kernel->launch, flags); break;
    case cudaGraphNodeTypeMemcpy:
        fprintf(file, "MEMCPY\n(%s,%zu)\n", kinds[work->copy.box.kind],
                work->copy.box.width * work->copy.box.height * work->copy.box.depth);
        break;
    case cudaGraphNodeTypeMemset:
        fprintf(file, "MEMSET\n(%u,%zu)\n", work->fill.value,
                work->fill.width * work->fill.element_bytes * work->fill.height);
        break;
    case cudaGraphNodeTypeHost: fputs("HOST\n", file); break;
    case cudaGraphNodeTypeGraph: fprintf(file, "GRAPH\ngraph_%llu\n", work->graph->id); break;
    case cudaGraphNodeTypeWaitEvent: fputs("EVENT WAIT\n", file); break;
    case cudaGraphNodeTypeEventRecord: fputs("EVENT RECORD\n", file); break;
    case cudaGraphNodeTypeMemAlloc: fputs("MEM ALLOC\n", file); break;
    case cudaGraphNodeTypeMemFree: fputs("MEM FREE\n", file); break;
    default: fputs("EMPTY\n", file); break;
    }
}

static void print_shape(FILE *file, enum cudaGraphNodeType type) {
    if (type == cudaGraphNodeTypeKernel)
        fputs("style=\"bold\" shape=\"octagon\" ", file);
    else if (type == cudaGraphNodeTypeMemcpy || type == cudaGraphNodeTypeMemset)
        fputs("style=\"solid\" shape=\"invtrapezium\"", file);
    else
        fputs("style=\"solid\" shape=\"rectangle\" ", file);
}

static void print_graph(FILE *file, const struct CUgraph_st *graph, unsigned flags) {
    const runtime_node_set *all = &graph->nodes;
    fprintf(file, "subgraph cluster_%llu {\nlabel=\"graph_%llu\" graph[style=\"dashed\"];\n",
            graph->id, graph->id);
    for (size_t i = 0; i < all->count; i++) {
        const struct CUgraphNode_st *node = all->nodes[i];
        fprintf(file, "\"graph_%llu_node_%zu\"[", graph->id, node->id);
        print_shape(file, node->work.type);
        fprintf(file, "label=\"%zu\n", node->id);
        print_work(file, &node->work, flags);
        fputs("\"];\n\n", file);
    }
    for (size_t i = 0; i < all->count; i++)
        for (size_t k = 0; k < all->count; k++)
            if (runtime_set_has(&all->nodes[k]->before, all->nodes[i]))
                fprintf(file, "\"graph_%llu_node_%zu\" -> \"graph_%llu_node_%zu\";\n", graph->id,
                        all->nodes[i]->id, graph->id, all->nodes[k]->id);
    for (size_t i = 0; i < all->count; i++)
        if (all->nodes[i]->work.type == cudaGraphNodeTypeGraph)
            print_graph(file, all->nodes[i]->work.graph, flags);
    fputs("}\n", file);
}

cudaError_t cudaGraphDebugDotPrint(cudaGraph_t graph, const char *path, unsigned int flags) {
    cudaError_t status = runtime_enter(RUNTIME_DEVICE, "cudaGraphDebugDotPrint(%p)", (void *)graph);
    const struct CUgraph_st *live = status ? NULL : runtime_graph_find(graph);
    if (!status && (!live || !path)) status = cudaErrorInvalidValue;
    FILE *file = status ? NULL : fopen(path, "w");
    if (!status && !file) status = cudaErrorOperatingSystem;
    if (file) {
        fputs("digraph dot {\n", file);
        print_graph(file, live, flags);
        fputs("}\n", file);
        bool failed = ferror(file) != 0;
        if (fclose(file) != 0 || failed) status = cudaErrorOperatingSystem;
    }
    return runtime_leave(status);
}
