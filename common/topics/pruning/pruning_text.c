// A pruned network as a table and as JSON: see prune.h.
#include "prune.h"

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
