// A pruned network in pictures, as a table and as JSON: see prune.h.
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

// ---- as a table and as JSON ---------------------------------------------------------------------

static void put_percent(kl_table *table, int row, int column, double share) {
    if (isfinite(share)) kl_table_cell(table, row, column, KL_PLAIN, "%.1f", 100 * share);
    else kl_table_cell(table, row, column, KL_DIM, "-");
}

// us or kB: three digits.
static void put_number(kl_table *table, int row, int column, double value, double limit) {
    if (isfinite(value))
        kl_table_cell(table, row, column, value < limit ? KL_GOOD : KL_PLAIN, "%.*f",
                      value < 10    ? 2
                      : value < 100 ? 1
                                    : 0,
                      value);
    else kl_table_cell(table, row, column, KL_DIM, "-");
}

static void show_crossover(double from, const char *what, const char *name, const kl_style *style,
                           FILE *out) {
    char text[160];
    if (isfinite(from))
        snprintf(text, sizeof text, "%s is %s than dense from %.1f %% on", name, what, 100 * from);
    else snprintf(text, sizeof text, "%s is not %s than dense at the highest sparsity", name, what);
    kl_print_wrapped(out, style, 2, text);
}

static bool was_timed(const kl_pruning *r, int kernel) {
    bool timed = false;
    for (int i = 0; i < r->count; i++) timed = timed || isfinite(r->points[i].us[kernel]);
    return timed;
}

void kl_show_pruning(const kl_pruning *pruning, const kl_style *style, FILE *out) {
    const kl_pruning *r = pruning;
    kl_table table;
    kl_table_clear(&table);
    kl_table_column(&table, "sparsity %", KL_RIGHT);
    kl_table_column(&table, "pruned %", KL_RIGHT);
    kl_table_column(&table, "tuned %", KL_RIGHT);
    if (r->blocks) kl_table_column(&table, "blocks %", KL_RIGHT);
    int left = r->blocks ? 4 : 3; // columns before those of the kernels
    for (int k = 0; k < r->kernel_count; k++) kl_table_column(&table, r->kernels[k], KL_RIGHT);
    kl_table_column(&table, "CSR kB", KL_RIGHT);
    int dense = kl_table_row(&table), last = left + r->kernel_count;
    kl_table_cell(&table, dense, 0, KL_PLAIN, "dense");
    put_percent(&table, dense, 1, r->accuracy);
    put_percent(&table, dense, 2, NAN);
    for (int k = 0; k < r->kernel_count; k++) put_number(&table, dense, left + k, r->dense_us, 0);
    put_number(&table, dense, last, r->count > 0 ? 1e-3 * r->points[0].storage.dense_bytes : NAN,
               0);
    for (int i = 0; i < r->count; i++) {
        const kl_pruning_point *p = &r->points[i];
        int row = kl_table_row(&table);
        put_percent(&table, row, 0, p->sparsity);
        put_percent(&table, row, 1, p->pruned);
        put_percent(&table, row, 2, p->tuned);
        if (r->blocks) put_percent(&table, row, 3, p->blocks);
        for (int k = 0; k < r->kernel_count; k++)
            put_number(&table, row, left + k, p->us[k], r->dense_us);
        put_number(&table, row, last, 1e-3 * p->storage.bytes[KL_CSR],
                   1e-3 * p->storage.dense_bytes);
    }
    kl_table_print(&table, style, out);
    fprintf(out, "Times in us%s, of the pruned layers; batches of %lld.\n",
            r->simulated ? ", modelled" : "", (long long)r->batch);
    for (int k = 0; k < r->kernel_count; k++)
        if (was_timed(r, k))
            show_crossover(kl_pruning_faster_from(r, k), "faster", r->kernels[k], style, out);
    for (int f = 0; f < KL_SPARSE_FORMATS; f++)
        show_crossover(kl_pruning_smaller_from(r, (kl_sparse_format)f), "smaller",
                       kl_sparse_format_name((kl_sparse_format)f), style, out);
}

// ---- JSON ------------------------------------------------------------------------------------

static void put_point(const kl_pruning *r, const kl_pruning_point *p, kl_json *json) {
    kl_json_put(json, "(sparsity %g accuracy_pruned %g accuracy_tuned %g", p->sparsity, p->pruned,
                p->tuned);
    if (r->blocks) kl_json_number(json, "accuracy_blocks", p->blocks);
    kl_json_array(json, "time_us");
    for (int k = 0; k < r->kernel_count; k++) kl_json_number(json, NULL, p->us[k]);
    kl_json_put(json, "] bytes {dense %g", p->storage.dense_bytes);
    for (int f = 0; f < KL_SPARSE_FORMATS; f++)
        kl_json_number(json, kl_sparse_format_name((kl_sparse_format)f), p->storage.bytes[f]);
    kl_json_number(json, "bitmap", p->storage.bitmap_bytes);
    if (r->blocks) kl_json_number(json, "blocks", p->storage.block_bytes);
    kl_json_put(json, "})");
}

void kl_pruning_put(const kl_pruning *r, kl_json *json) {
    kl_json_put(json,
                "{device (kind %s name %s) time_kind %s network %s dataset %s weights %ld "
                "batch %ld accuracy %g dense_us %g kernels [",
                r->simulated ? "sim" : "gpu", r->device, r->simulated ? "modelled" : "measured",
                r->network, r->dataset, r->weights, r->batch, r->accuracy, r->dense_us);
    for (int k = 0; k < r->kernel_count; k++)
        kl_json_put(json, "(name %s faster_from %g)", r->kernels[k], kl_pruning_faster_from(r, k));
    kl_json_put(json, "] points [");
    for (int i = 0; i < r->count; i++) put_point(r, &r->points[i], json);
    kl_json_put(json, "]}");
}
