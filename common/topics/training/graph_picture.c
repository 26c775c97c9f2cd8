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
