// Updates of executable graphs from another graph: the nodes of both are paired from the leaves
// backwards, then exchange their work.
#include "runtime/graph/graph.h"
#include "advice.h"

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

static bool is_cooperative(const runtime_work *work) {
    return work->kernel->attributes[cudaLaunchAttributeCooperative].cooperative;
}

static bool compare(pairing *p, struct CUgraphNode_st *now, struct CUgraphNode_st *then,
                    outcome *out, bool apply) {
    if (now->before.count != then->before.count)
        return differ(out, cudaGraphExecUpdateErrorTopologyChanged, then);
    if (now->work.type != then->work.type)
        return differ(out, cudaGraphExecUpdateErrorNodeTypeChanged, then);
    size_t count, then_count;
    struct CUgraph_st *const *inside = runtime_work_graphs(&now->work, &count);
    struct CUgraph_st *const *then_inside = runtime_work_graphs(&then->work, &then_count);
    bool conditional = now->work.type == cudaGraphNodeTypeConditional;
    if (count != then_count ||
        (conditional && now->work.condition.kind != then->work.condition.kind))
        return differ(out, cudaGraphExecUpdateErrorParametersChanged, then);
    for (size_t i = 0; i < count; i++)
        if (!may_update(inside[i], then_inside[i], out, apply)) return false;
    if (now->work.type == cudaGraphNodeTypeKernel &&
        is_cooperative(&now->work) != is_cooperative(&then->work))
        return differ(out, cudaGraphExecUpdateErrorAttributesChanged, then);
    if (count == 0 && !runtime_work_may_become(&now->work, &then->work))
        return differ(out, cudaGraphExecUpdateErrorParametersChanged, then);
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
        if (!now) return differ(out, cudaGraphExecUpdateErrorTopologyChanged, NULL);
        pair(p, now, then);
        for (size_t i = p->waiting_count - 1; i < p->waiting_count; i++)
            if (!compare(p, p->partners[p->waiting[i]->waiting], p->waiting[i], out, apply))
                return false;
    }
    if (p->now->nodes.count != p->then->nodes.count)
        return differ(out, cudaGraphExecUpdateErrorTopologyChanged, NULL);
    return true;
}

static bool same_clusters(dim3 a, dim3 b) {
    unsigned blocks[] = {a.x ? a.x : 1, a.x ? a.y : 1, a.x ? a.z : 1};
    unsigned others[] = {b.x ? b.x : 1, b.x ? b.y : 1, b.x ? b.z : 1};
    return memcmp(blocks, others, sizeof blocks) == 0;
}

void runtime_cluster_keep(const runtime_kernel_work *now, runtime_kernel_work *then, dim3 asked) {
    dim3 kept = now->launch.cluster;
    char text[512], words[2][32];
    then->launch.cluster = kept;
    if (same_clusters(kept, asked)) return;
    snprintf(words[0], sizeof words[0], "%u x %u x %u", kept.x ? kept.x : 1, kept.x ? kept.y : 1,
             kept.x ? kept.z : 1);
    snprintf(words[1], sizeof words[1], "%u x %u x %u", asked.x ? asked.x : 1,
             asked.x ? asked.y : 1, asked.x ? asked.z : 1);
    kl_advise(KL_ADVICE_INSTANTIATE_AGAIN, KL_WORDS(runtime_call_name(), words[0], words[1]), text,
              sizeof text);
    runtime_tell(SIM_CHECK_KEPT_CLUSTER, "%s", text);
}

// Exchanges the work of nodes, and the conditions: `then` is a copy that is thrown away afterwards.
static void exchange(const pairing *p) {
    struct CUgraph_st *now = (struct CUgraph_st *)p->now, *then = (struct CUgraph_st *)p->then;
    const struct CUgraph_st old_graph = *now;
    now->conditions = then->conditions;
    now->condition_count = then->condition_count;
    then->conditions = old_graph.conditions;
    then->condition_count = old_graph.condition_count;
    for (size_t i = 0; i < p->then->nodes.count; i++) {
        struct CUgraphNode_st *from = p->then->nodes.nodes[i], *to = p->partners[i];
        size_t count;
        runtime_work_graphs(&from->work, &count);
        if (from->work.type == cudaGraphNodeTypeConditional)
            to->work.condition.handle = from->work.condition.handle;
        if (count) continue; // done on the way
        if (from->work.type == cudaGraphNodeTypeKernel)
            runtime_cluster_keep(to->work.kernel, from->work.kernel,
                                 from->work.kernel->launch.cluster);
        runtime_work old = to->work;
        to->work = from->work;
        from->work = old;
    }
}

// Whether the executable graph `now` may become `then`; with `apply` it does.
static bool may_update(const struct CUgraph_st *now, const struct CUgraph_st *then, outcome *out,
                       bool apply) {
    size_t now_count = now->nodes.count, then_count = then->nodes.count;
    void *memory = calloc(now_count + 2 * then_count + 1, sizeof(void *));
    if (!memory) return differ(out, cudaGraphExecUpdateError, NULL);
    struct CUgraphNode_st **by_number = memory;
    pairing p = {.now = now,
                 .then = then,
                 .partners = by_number + now_count,
                 .waiting = by_number + now_count + then_count};
    for (size_t i = 0; i < now_count; i++) by_number[now->nodes.nodes[i]->id] = now->nodes.nodes[i];
    for (size_t i = 0; i < then_count; i++) then->nodes.nodes[i]->waiting = i;
    bool may = compare_all(&p, by_number, out, apply);
    if (may && apply) exchange(&p);
    free(memory);
    return may;
}

cudaError_t runtime_graph_update(struct CUgraph_st *now, const struct CUgraph_st *then,
                                 outcome *out) {
    if (!may_update(now, then, out, false)) return cudaErrorGraphExecUpdateFailure;
    struct CUgraph_st *copy = runtime_graph_copied(then);
    if (!copy) return cudaErrorMemoryAllocation;
    may_update(now, copy, out, true);
    runtime_graph_free(copy);
    return cudaSuccess;
}
