// Pictures of a task graph: see training.h.
#include "drawing.h"
#include "training.h"

enum {
    MARGIN = 18,
    TOP = 76,
    BOX_HEIGHT = 34,
    PITCH = 58,      // from layer to layer
    GAP = 22,        // between boxes
    BEND = 14,       // width that a bend takes
    COLUMN_GAP = 46, // between columns of layers
    COLUMN = 14      // layers of a column at most
};

typedef struct drawing {
    kl_graph_layout layout;
    const kl_task *tasks;
    int columns, rows;   // rows: layers of a column
    double box;          // width of every box
    double *column_left; // [columns + 1]: of column c; the end of the last
    double *x;           // [spot_count]: middle
    double *layer_width; // [layers]
} drawing;

static const char *const kind_words[] = {
#define WORDS(name, words) words,
    KL_TASK_KINDS(WORDS)};
static const char *const kind_classes[] = {"k0", "k1", "k2", "k3", "cell"};
_Static_assert(sizeof kind_classes / sizeof kind_classes[0] == KL_TASK_KIND_COUNT,
               "a class per kind");

// ---- coordinates -----------------------------------------------------------------------------

static double spot_width(const drawing *d, int spot) {
    return d->layout.spots[spot].task >= 0 ? d->box : BEND;
}

static double y_of(const drawing *d, int spot) { // top of the box
    return TOP + d->layout.spots[spot].layer % d->rows * PITCH;
}

static int column_of(const drawing *d, int spot) { return d->layout.spots[spot].layer / d->rows; }

// Left edges within each layer, by order: by counting sort, as orders are 0 .. in_layer - 1.
static void place(drawing *d) {
    const kl_graph_layout *l = &d->layout;
    for (int i = 0; i < l->layers; i++) d->layer_width[i] = -GAP;
    for (int order = 0, placed = 0; placed < l->spot_count; order++) {
        for (int s = 0; s < l->spot_count; s++) {
            if (l->spots[s].order != order) continue;
            double *used = &d->layer_width[l->spots[s].layer];
            d->x[s] = *used + GAP + spot_width(d, s) / 2;
            *used += GAP + spot_width(d, s);
            placed++;
        }
    }
    double left = MARGIN;
    for (int c = 0; c < d->columns; c++) {
        double widest = 0;
        d->column_left[c] = left;
        for (int i = c * d->rows; i < l->layers && i < (c + 1) * d->rows; i++)
            widest = fmax(widest, d->layer_width[i]);
        for (int s = 0; s < l->spot_count; s++)
            if (column_of(d, s) == c)
                d->x[s] += left + (widest - d->layer_width[l->spots[s].layer]) / 2;
        left += widest + COLUMN_GAP;
    }
    d->column_left[d->columns] = left;
}

// Wide enough for the longest text, within reason.
static double box_width(const kl_task *tasks, int count) {
    size_t longest = 8;
    for (int t = 0; t < count; t++) {
        size_t label = strlen(tasks[t].label),
               detail = tasks[t].detail ? strlen(tasks[t].detail) * 4 / 5 : 0;
        longest = label > longest ? label : longest;
        longest = detail > longest ? detail : longest;
    }
    return fmin(6.0 * (double)longest + 18, 230);
}

// ---- drawing ---------------------------------------------------------------------------------

static void put_cut(FILE *out, double x, double y, const char *class, const char *text, int most) {
    if ((int)strlen(text) <= most) kl_paper_text(out, x, y, class, "%s", text);
    else kl_paper_text(out, x, y, class, "%.*s..", most - 2, text);
}

static void draw_task(const drawing *d, int spot, FILE *out) {
    const kl_task *task = &d->tasks[d->layout.spots[spot].task];
    double left = d->x[spot] - d->box / 2, y = y_of(d, spot);
    fputs("<g><title>", out);
    kl_paper_put(out, task->label);
    if (task->detail) {
        fputs(": ", out);
        kl_paper_put(out, task->detail);
    }
    fputs("</title>\n", out);
    kl_paper_rect(out, left, y, d->box, BOX_HEIGHT, kind_classes[task->kind]);
    kl_paper_rect(out, left, y, d->box, BOX_HEIGHT, "frame");
    bool two = task->detail && task->detail[0] != '\0';
    put_cut(out, d->x[spot], y + (two ? 15 : 21), "v m", task->label, (int)(d->box - 12) / 6);
    if (two) put_cut(out, d->x[spot], y + 27, "n m", task->detail, (int)(d->box - 8) / 5);
    fputs("</g>\n", out);
}

// A link ends below its upper spot and above its lower one; at a bend in the middle of its height.
static double lower_end(const drawing *d, int spot) {
    return y_of(d, spot) + (d->layout.spots[spot].task >= 0 ? BOX_HEIGHT : BOX_HEIGHT / 2.0);
}

static double upper_end(const drawing *d, int spot) {
    return y_of(d, spot) + (d->layout.spots[spot].task >= 0 ? 0 : BOX_HEIGHT / 2.0);
}

static void draw_link(const drawing *d, const kl_task_edge *link, FILE *out) {
    double x0 = d->x[link->from], y0 = lower_end(d, link->from);
    double x1 = d->x[link->to], y1 = upper_end(d, link->to);
    bool head = d->layout.spots[link->to].task >= 0;
    double end = head ? y1 - 7 : y1;
    fprintf(out, "<path class=\"arrow\" d=\"M%.1f %.1f", x0, y0);
    if (column_of(d, link->from) == column_of(d, link->to)) {
        double half = (end - y0) / 2;
        fprintf(out, "C%.1f %.1f %.1f %.1f %.1f %.1f\"/>", x0, y0 + half, x1, end - half, x1, end);
    } else { // below the column, up between the columns, down from above
        double gap = d->column_left[column_of(d, link->to)] - COLUMN_GAP / 2.0;
        fprintf(out, "V%.1fH%.1fV%.1fH%.1fV%.1f\"/>", y0 + 12, gap, TOP - 14.0, x1, end);
    }
    if (head) fprintf(out, "<path class=\"head\" d=\"M%.1f %.1fl-3.5 -7h7z\"/>", x1, y1);
    fputc('\n', out);
}

static void draw_key(const drawing *d, int task_count, FILE *out) {
    double x = MARGIN;
    for (int k = 0; k < KL_TASK_KIND_COUNT; k++) {
        int count = 0;
        for (int t = 0; t < task_count; t++) count += (int)d->tasks[t].kind == k;
        if (count == 0) continue;
        kl_paper_rect(out, x, 34, 12, 12, kind_classes[k]);
        kl_paper_text(out, x + 18, 44, "v", "%s (%d)", kind_words[k], count);
        x += 50 + 6.0 * (double)strlen(kind_words[k]);
    }
}

static kl_status draw(drawing *d, const char *title, int task_count, FILE *out, kl_error *err) {
    const kl_graph_layout *l = &d->layout;
    size_t n = (size_t)l->spot_count + 1;
    d->columns = l->layers > 0 ? (l->layers + COLUMN - 1) / COLUMN : 1;
    d->rows = l->layers > 0 ? (l->layers + d->columns - 1) / d->columns : 1;
    d->box = box_width(d->tasks, task_count);
    d->x = calloc(n, sizeof *d->x);
    d->layer_width = calloc((size_t)l->layers + 1, sizeof *d->layer_width);
    d->column_left = calloc((size_t)d->columns + 1, sizeof *d->column_left);
    if (!d->x || !d->layer_width || !d->column_left)
        return kl_fail(err, KL_ERROR_MEMORY, "no memory to draw a graph");
    place(d);
    double width = d->column_left[d->columns] - COLUMN_GAP + MARGIN;
    kl_paper_begin(out, fmax(width, 460), TOP + d->rows * PITCH + 8, title);
    kl_paper_text(out, MARGIN, 22, "t", "%s", title);
    draw_key(d, task_count, out);
    for (int k = 0; k < l->link_count; k++) draw_link(d, &l->links[k], out);
    for (int s = 0; s < l->spot_count; s++)
        if (l->spots[s].task >= 0) draw_task(d, s, out);
    return kl_picture_end(out, err);
}

kl_status kl_draw_tasks(const char *title, const kl_task *tasks, int task_count,
                        const kl_task_edge *edges, int edge_count, FILE *out, kl_error *err) {
    drawing d = {.tasks = tasks};
    TRY(kl_graph_layout_make(task_count, edges, edge_count, &d.layout, err));
    kl_status status = draw(&d, title, task_count, out, err);
    free(d.x);
    free(d.layer_width);
    free(d.column_left);
    kl_graph_layout_free(&d.layout);
    return status;
}

// ---- where the tasks lie ------------------------------------------------------------------------

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
