// A pruned network in pictures: see prune.h.
#include "drawing.h"
#include "prune.h"

enum {
    WIDTH = 760,
    TOP = 76,
    FRAME = 190,
    PITCH = 276,
    LEFT = 62,
    FRAME_WIDTH = 570,
    CURVES = KL_CHART_CURVES
};

// A frame with its curves' numbers.
typedef struct panel {
    kl_chart chart;
    double x[KL_PRUNING_POINTS], y[CURVES][KL_PRUNING_POINTS];
    double least, most; // of all finite numbers above 0
} panel;

static void add(panel *p, const kl_pruning *r, const char *name, kl_pruning_what what, int index) {
    if (p->chart.count == CURVES) return;
    double *y = p->y[p->chart.count];
    int taken = 0;
    kl_pruning_column(r, what, index, y);
    for (int i = 0; i < r->count; i++) {
        if (!isfinite(y[i]) || y[i] <= 0) continue;
        p->least = fmin(p->least, y[i]);
        p->most = fmax(p->most, y[i]);
        taken++;
    }
    if (taken == 0) return;
    p->chart.curves[p->chart.count++] = (kl_curve){name, r->count, p->x, y};
}

static void begin(panel *p, const kl_pruning *r, const char *title, int row) {
    p->least = INFINITY;
    p->most = 0;
    double first = r->count > 0 ? 100 * r->points[0].sparsity : 50;
    p->chart = (kl_chart){.title = title,
                          .x = kl_axis_over("% of the weights taken out", first, 100, 10),
                          .left = LEFT,
                          .top = TOP + row * PITCH,
                          .width = FRAME_WIDTH,
                          .height = FRAME};
    kl_pruning_column(r, KL_SPARSITY, 0, p->x);
}

static void draw_accuracy(const kl_pruning *r, FILE *out) {
    panel p;
    begin(&p, r, "Accuracy", 0);
    add(&p, r, "after pruning", KL_PRUNED, 0);
    add(&p, r, "after fine-tuning", KL_TUNED, 0);
    if (r->blocks) add(&p, r, "blocks, tuned", KL_BLOCKS, 0);
    add(&p, r, "before pruning", KL_UNPRUNED, 0);
    p.chart.y = kl_axis_over("% of the test images", p.most > 0 ? p.least : 0, 100, 5);
    kl_chart_draw(&p.chart, out);
}

static kl_axis decades(const panel *p, const char *title) {
    return p->most > 0 ? kl_axis_decades(title, p->least, p->most) : kl_axis_decades(title, 1, 10);
}

static void draw_time(const kl_pruning *r, FILE *out) {
    panel p;
    begin(&p, r, "Time of the pruned layers", 1);
    add(&p, r, "dense", KL_DENSE_US, 0);
    for (int k = 0; k < r->kernel_count; k++) add(&p, r, r->kernels[k], KL_KERNEL_US, k);
    p.chart.y = decades(&p, r->simulated ? "us, modelled" : "us");
    kl_chart_draw(&p.chart, out);
}

static void draw_storage(const kl_pruning *r, FILE *out) {
    panel p;
    begin(&p, r, "Storage of the pruned layers", 2);
    add(&p, r, "dense", KL_DENSE_KB, 0);
    for (int f = 0; f < KL_SPARSE_FORMATS; f++)
        add(&p, r, kl_sparse_format_name((kl_sparse_format)f), KL_FORMAT_KB, f);
    add(&p, r, "bitmap", KL_BITMAP_KB, 0);
    if (r->blocks) add(&p, r, "blocks", KL_BLOCKS_KB, 0);
    p.chart.y = decades(&p, "kB");
    kl_chart_draw(&p.chart, out);
}

// What the curves show, for those who cannot see them: what is left of the accuracy.
static void say_accuracies(const kl_pruning *r, char *text, size_t bytes) {
    int most = -1, least = -1;
    int at = snprintf(
        text, bytes, "Accuracy, time and storage of a network against the share of pruned weights");
    for (int i = 0; i < r->count; i++) {
        if (!isfinite(r->points[i].tuned)) continue;
        if (most < 0 || r->points[i].tuned > r->points[most].tuned) most = i;
        if (least < 0 || r->points[i].tuned < r->points[least].tuned) least = i;
    }
    if (most < 0 || at < 0 || (size_t)at >= bytes) return;
    snprintf(text + at, bytes - (size_t)at,
             "; accuracy after tuning: highest %.1f %% (%.0f %% pruned), lowest %.1f %% (%.0f %%)",
             100 * r->points[most].tuned, 100 * r->points[most].sparsity,
             100 * r->points[least].tuned, 100 * r->points[least].sparsity);
}

kl_status kl_draw_pruning(const kl_pruning *pruning, FILE *out, kl_error *err) {
    const kl_pruning *r = pruning;
    if (r->count < 0 || r->count > KL_PRUNING_POINTS || r->kernel_count < 0 ||
        r->kernel_count > KL_PRUNING_KERNELS)
        return kl_fail(err, KL_ERROR_USAGE, "%d points of %d kernels; drawn are up to %d of %d",
                       r->count, r->kernel_count, KL_PRUNING_POINTS, KL_PRUNING_KERNELS);
    char words[300];
    say_accuracies(r, words, sizeof words);
    kl_paper_begin(out, WIDTH, TOP + 3 * PITCH - 36, words);
    kl_paper_text(out, 18, 22, "t", "%s on %s, pruned by magnitude", r->network, r->dataset);
    kl_paper_text(out, 18, 40, "v", "%lld weights may be taken out; batches of %lld; %s",
                  (long long)r->weights, (long long)r->batch, r->device);
    draw_accuracy(r, out);
    draw_time(r, out);
    draw_storage(r, out);
    return kl_picture_end(out, err);
}
