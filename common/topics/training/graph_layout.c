// Where tasks of a graph lie: see training.h.
#include "training.h"

enum { SPOTS_MAX = 100000, SWEEPS = 12 };

// Longest paths in rounds: a layer moves down until no edge goes up or sideways. More rounds than
// tasks: a circle.
static kl_status kl_task_layers(int task_count, const kl_task_edge *edges, int edge_count,
                                int *out_layer, int *out_layers, kl_error *err) {
    if (task_count > KL_TASKS_MAX || edge_count > KL_TASK_EDGES_MAX) {
        return kl_fail(err, KL_ERROR_LIMIT,
                       "a graph of %d tasks and %d edges; drawn are up to %d and %d", task_count,
                       edge_count, KL_TASKS_MAX, KL_TASK_EDGES_MAX);
    }
    for (int e = 0; e < edge_count; e++) {
        if (edges[e].from < 0 || edges[e].from >= task_count || edges[e].to < 0 ||
            edges[e].to >= task_count)
            return kl_fail(err, KL_ERROR_INPUT, "edge %d goes from task %d to %d of %d tasks", e,
                           edges[e].from, edges[e].to, task_count);
    }
    for (int t = 0; t < task_count; t++) out_layer[t] = 0;
    int changed = 1;
    for (int round = 0; changed != 0; round++) {
        if (round > task_count)
            return kl_fail(err, KL_ERROR_INPUT, "the tasks wait for each other in a circle");
        changed = 0;
        for (int e = 0; e < edge_count; e++) {
            if (out_layer[edges[e].to] > out_layer[edges[e].from]) continue;
            out_layer[edges[e].to] = out_layer[edges[e].from] + 1;
            changed = 1;
        }
    }
    *out_layers = 0;
    for (int t = 0; t < task_count; t++)
        *out_layers = out_layer[t] >= *out_layers ? out_layer[t] + 1 : *out_layers;
    return KL_OK;
}

// An edge as links from layer to layer, with a bend in each layer that it passes.
static void add_links(kl_graph_layout *l, const kl_task_edge *edge) {
    int at = edge->from;
    while (l->spots[at].layer + 1 < l->spots[edge->to].layer) {
        int bend = l->spot_count++;
        l->spots[bend] = (kl_spot){.task = -1, .layer = l->spots[at].layer + 1};
        l->links[l->link_count++] = (kl_task_edge){at, bend};
        at = bend;
    }
    l->links[l->link_count++] = (kl_task_edge){at, edge->to};
}

// ---- order -----------------------------------------------------------------------------------

typedef struct key {
    double mean; // order of the neighbours, or the spot's own without any
    int before, spot;
} key;

static int compare_keys(const void *a, const void *b) {
    const key *x = a, *y = b;
    if (x->mean != y->mean) return x->mean < y->mean ? -1 : 1;
    return (x->before > y->before) - (x->before < y->before);
}

// Orders one layer by its neighbours in the layer above (down) or below. keys, sums, counts:
// [spot_count] each.
static void order_layer(kl_graph_layout *l, int layer, int down, key *keys, double *sums,
                        int *counts) {
    int n = 0;
    for (int s = 0; s < l->spot_count; s++) sums[s] = counts[s] = 0;
    for (int k = 0; k < l->link_count; k++) {
        int here = down ? l->links[k].to : l->links[k].from;
        int there = down ? l->links[k].from : l->links[k].to;
        if (l->spots[here].layer != layer) continue;
        // In the middle of its own layer, so that wide and narrow layers can be compared.
        sums[here] += l->spots[there].order - (l->in_layer[l->spots[there].layer] - 1) / 2.0;
        counts[here]++;
    }
    for (int s = 0; s < l->spot_count; s++) {
        if (l->spots[s].layer != layer) continue;
        double own = l->spots[s].order - (l->in_layer[layer] - 1) / 2.0;
        keys[n++] = (key){counts[s] > 0 ? sums[s] / counts[s] : own, l->spots[s].order, s};
    }
    qsort(keys, (size_t)n, sizeof *keys, compare_keys);
    for (int i = 0; i < n; i++) l->spots[keys[i].spot].order = i;
}

static kl_status order_layers(kl_graph_layout *l, kl_error *err) {
    size_t n = (size_t)l->spot_count + 1;
    key *keys = malloc(n * sizeof *keys);
    double *sums = malloc(n * sizeof *sums);
    int *counts = malloc(n * sizeof *counts);
    if (keys && sums && counts) {
        for (int sweep = 0; sweep < SWEEPS; sweep++) {
            for (int i = 1; i < l->layers; i++)
                order_layer(l, sweep % 2 == 0 ? i : l->layers - 1 - i, sweep % 2 == 0, keys, sums,
                            counts);
        }
    }
    bool made = keys && sums && counts;
    free(keys);
    free(sums);
    free(counts);
    return made ? KL_OK : kl_fail(err, KL_ERROR_MEMORY, "no memory to lay out a graph");
}

// ---- all -------------------------------------------------------------------------------------

static kl_status reserve(kl_graph_layout *l, int task_count, const int *layer,
                         const kl_task_edge *edges, int edge_count, kl_error *err) {
    int64_t links = 0;
    for (int e = 0; e < edge_count; e++) links += layer[edges[e].to] - layer[edges[e].from];
    int64_t spots = task_count + links - edge_count;
    if (links > SPOTS_MAX)
        return kl_fail(err, KL_ERROR_LIMIT,
                       "a graph whose edges pass %lld layers is too large to draw",
                       (long long)links);
    l->spots = malloc((size_t)(spots + 1) * sizeof *l->spots);
    l->links = malloc((size_t)(links + 1) * sizeof *l->links);
    l->in_layer = calloc((size_t)l->layers + 1, sizeof *l->in_layer);
    if (!l->spots || !l->links || !l->in_layer)
        return kl_fail(err, KL_ERROR_MEMORY, "no memory to lay out a graph");
    return KL_OK;
}

static kl_status make(kl_graph_layout *l, int task_count, const kl_task_edge *edges, int edge_count,
                      int *layer, kl_error *err) {
    TRY(kl_task_layers(task_count, edges, edge_count, layer, &l->layers, err));
    TRY(reserve(l, task_count, layer, edges, edge_count, err));
    for (int t = 0; t < task_count; t++) l->spots[t] = (kl_spot){.task = t, .layer = layer[t]};
    l->spot_count = task_count;
    for (int e = 0; e < edge_count; e++) add_links(l, &edges[e]);
    for (int s = 0; s < l->spot_count; s++) l->spots[s].order = l->in_layer[l->spots[s].layer]++;
    return order_layers(l, err);
}

kl_status kl_graph_layout_make(int task_count, const kl_task_edge *edges, int edge_count,
                               kl_graph_layout *out_layout, kl_error *err) {
    *out_layout = (kl_graph_layout){.layers = 0};
    int *layer = malloc(((size_t)(task_count > 0 ? task_count : 0) + 1) * sizeof *layer);
    if (!layer) return kl_fail(err, KL_ERROR_MEMORY, "no memory to lay out a graph");
    kl_status status = make(out_layout, task_count, edges, edge_count, layer, err);
    free(layer);
    if (status != KL_OK) kl_graph_layout_free(out_layout);
    return status;
}

void kl_graph_layout_free(kl_graph_layout *layout) {
    free(layout->spots);
    free(layout->links);
    free(layout->in_layer);
    *layout = (kl_graph_layout){.layers = 0};
}
