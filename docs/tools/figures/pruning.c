// The figure that lab 10's application draws, drawn again from the results that it stored
// (ladder.pruning-run/1). See figure.h.
#include "figures/figure.h"
#include "measured.h"
#include "drawing.h"
#include "prune.h"

static void load_bytes(const json_t *bytes, kl_pruned_storage *out) {
    out->dense_bytes = measured_number(bytes, "dense");
    out->bitmap_bytes = measured_number(bytes, "bitmap");
    out->block_bytes = measured_number(bytes, "blocks");
    for (int f = 0; f < KL_SPARSE_FORMATS; f++)
        out->bytes[f] = measured_number(bytes, kl_sparse_format_name((kl_sparse_format)f));
}

static void load_point(const json_t *point, kl_pruning_point *out) {
    size_t k;
    const json_t *us;
    out->sparsity = measured_number(point, "sparsity");
    out->pruned = measured_number(point, "accuracy_pruned");
    out->tuned = measured_number(point, "accuracy_tuned");
    out->blocks = measured_number(point, "accuracy_blocks");
    json_array_foreach(json_object_get(point, "time_us"), k, us) if (k < KL_PRUNING_KERNELS)
        out->us[k] = json_is_number(us) ? json_number_value(us) : NAN;
    load_bytes(json_object_get(point, "bytes"), &out->storage);
}

static int draw(const json_t *record) {
    static kl_pruning_point points[KL_PRUNING_POINTS];
    const char *kernels[KL_PRUNING_KERNELS];
    const json_t *stored = json_object_get(record, "points"), *one;
    const json_t *names = json_object_get(record, "kernels");
    size_t i;
    if (json_array_size(stored) > KL_PRUNING_POINTS ||
        json_array_size(names) > KL_PRUNING_KERNELS) {
        fputs("ladder-docs figure: more points or kernels than are drawn\n", stderr);
        return 1;
    }
    json_array_foreach(stored, i, one) load_point(one, &points[i]);
    json_array_foreach(names, i, one) kernels[i] = measured_text(one, "name");
    const json_t *device = json_object_get(record, "device");
    const kl_pruning loaded = {.network = measured_text(record, "network"),
                               .dataset = measured_text(record, "dataset"),
                               .device = measured_text(device, "name"),
                               .simulated = strcmp(measured_text(device, "kind"), "sim") == 0,
                               .blocks = true,
                               .accuracy = measured_number(record, "accuracy"),
                               .dense_us = measured_number(record, "dense_us"),
                               .weights = json_integer_value(json_object_get(record, "weights")),
                               .batch = json_integer_value(json_object_get(record, "batch")),
                               .kernel_count = (int)json_array_size(names),
                               .kernels = kernels,
                               .count = (int)json_array_size(stored),
                               .points = points};
    kl_error err = {KL_OK, ""};
    if (kl_draw_pruning(&loaded, stdout, &err) == KL_OK) return 0;
    fprintf(stderr, "ladder-docs figure: %s\n", err.text);
    return 1;
}

static const json_t *batch_of(const json_t *run, int batch) {
    size_t i;
    const json_t *record;
    json_array_foreach(json_object_get(run, "batches"), i,
                       record) if (json_integer_value(json_object_get(record, "batch")) ==
                                   batch) return record;
    fprintf(stderr, "ladder-docs figure: the file has no batch of %d\n", batch);
    return NULL;
}

int figure_draw_pruning(const json_t *run, int batch) {
    const json_t *record = batch_of(run, batch);
    return record ? draw(record) : 1;
}

// ---- Times alone, for a deck ----

typedef struct times {
    double x[KL_PRUNING_POINTS], y[KL_PRUNING_KERNELS + 1][KL_PRUNING_POINTS]; // percent, us
    double least, most;
} times;

static void load_times(const json_t *record, times *t) {
    const json_t *points = json_object_get(record, "points"), *point;
    size_t i;
    t->least = t->most = measured_number(record, "dense_us");
    json_array_foreach(points, i, point) {
        kl_pruning_point one = {0};
        load_point(point, &one);
        t->x[i] = 100 * one.sparsity;
        t->y[KL_PRUNING_KERNELS][i] = measured_number(record, "dense_us");
        for (size_t k = 0; k < json_array_size(json_object_get(point, "time_us")); k++) {
            t->y[k][i] = one.us[k];
            t->least = fmin(t->least, one.us[k]); // fmin and fmax leave NaN out
            t->most = fmax(t->most, one.us[k]);
        }
    }
}

int figure_draw_pruned_times(const json_t *run, int batch) {
    const json_t *record = batch_of(run, batch), *name;
    const json_t *names = json_object_get(record, "kernels");
    size_t count = json_array_size(json_object_get(record, "points")), i;
    static times t;
    if (!record || count > KL_PRUNING_POINTS || json_array_size(names) > KL_PRUNING_KERNELS)
        return 1;
    load_times(record, &t);
    kl_chart chart = {.title = "both fully connected layers, microseconds (log)",
                      .x = {"weights at 0, in %", 50, 100, 10, false},
                      .y = {"", exp2(floor(log2(t.least))), exp2(ceil(log2(t.most))), 2, true},
                      .left = 60,
                      .top = 36,
                      .width = 400,
                      .height = 220};
    json_array_foreach(names, i, name) {
        if (!isfinite(t.y[i][0])) continue; // a kernel that does not do this batch
        chart.curves[chart.count++] =
            (kl_curve){measured_text(name, "name"), (int)count, t.x, t.y[i]};
    }
    chart.curves[chart.count++] =
        (kl_curve){"dense, fastest", (int)count, t.x, t.y[KL_PRUNING_KERNELS]};
    figure_words words = {.length = 0};
    figure_say(&words,
               "Times of both fully connected layers against the share of weights at 0, "
               "microseconds; the dense one %.1f",
               t.y[KL_PRUNING_KERNELS][0]);
    json_array_foreach(names, i, name) {
        if (!isfinite(t.y[i][0])) continue;
        figure_say(&words, "; %s", measured_text(name, "name"));
        for (size_t k = 0; k < count; k++)
            figure_value(&words, t.y[i][k], "%.1f (%.0f %% at 0)", t.y[i][k], t.x[k]);
        figure_say_extremes(&words);
    }
    begin_figure(600, 310, words.text);
    kl_chart_draw(&chart, stdout);
    kl_paper_end(stdout);
    return 0;
}
