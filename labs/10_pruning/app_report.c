// What lab 10's application says: tables, JSON (schema ladder.pruning-run/1), pictures. See app.h.
#include <sys/stat.h>

#include "app.h"
#include "atomic_file.h"
#include "json.h"
#include "table.h"

static void show_batch(const pruning_measured *m, int batch, FILE *out) {
    const kl_pruning *r = &m->records[batch];
    kl_style style = kl_style_for(out);
    fprintf(out, "\nBatches of %lld\n\n", (long long)r->batch);
    kl_show_pruning(r, &style, out);
    fputs("Dense:", out);
    const char *between = " ";
    for (int d = 0; d < PRUNING_DENSE_KERNELS; d++) {
        if (!isfinite(m->dense_us[batch][d])) continue;
        fprintf(out, "%s%s %.1f us", between, pruning_dense_names[d], m->dense_us[batch][d]);
        between = "; ";
    }
    fputs(". The table has the fastest.\n", out);
}

// The records, and of each the dense kernels behind it.
static kl_status write_json(void *context, FILE *out, kl_error *err) {
    const pruning_measured *m = context;
    kl_json json;
    kl_json_begin(&json, out);
    kl_json_object(&json, NULL);
    kl_json_string(&json, "schema", "ladder.pruning-run/1");
    kl_json_row(&json, "device");
    kl_json_string(&json, "kind", m->records[0].simulated ? "sim" : "gpu");
    kl_json_string(&json, "name", m->records[0].device);
    kl_json_end(&json);
    kl_json_array(&json, "dense");
    for (int b = 0; b < PRUNING_BATCHES; b++)
        for (int d = 0; d < PRUNING_DENSE_KERNELS; d++) {
            kl_json_row(&json, NULL);
            kl_json_int(&json, "batch", m->records[b].batch);
            kl_json_string(&json, "kernel", pruning_dense_names[d]);
            kl_json_number(&json, "time_us", m->dense_us[b][d]);
            kl_json_end(&json);
        }
    kl_json_end(&json);
    kl_json_array(&json, "batches");
    for (int b = 0; b < PRUNING_BATCHES; b++) kl_pruning_put(&m->records[b], &json);
    kl_json_end(&json);
    kl_json_end(&json);
    return kl_json_finish(&json, err);
}

static kl_status draw(void *context, FILE *out, kl_error *err) {
    return kl_draw_pruning(context, out, err);
}

static kl_status draw_all(const pruning_options *o, const pruning_measured *m, kl_error *err) {
    char folder[PRUNING_PATH - 64], path[PRUNING_PATH];
    if (o->plot_folder) {
        snprintf(folder, sizeof folder, "%s", o->plot_folder);
    } else {
        TRY(kl_device_program_folder(folder, sizeof folder - 16, err));
        strcat(folder, "/pictures");
    }
    if (mkdir(folder, 0777) != 0 && errno != EEXIST)
        return kl_fail(err, KL_ERROR_SYSTEM, "%s: %s", folder, strerror(errno));
    for (int b = 0; b < PRUNING_BATCHES; b++) {
        snprintf(path, sizeof path, "%s/pruning_%lld.svg", folder, (long long)m->records[b].batch);
        TRY(kl_file_replace(path, draw, (void *)&m->records[b], err));
    }
    fprintf(stderr, "pictures: %s/pruning_*.svg\n", folder);
    return KL_OK;
}

kl_status pruning_report(const pruning_options *o, const pruning_measured *measured, FILE *out,
                         kl_error *err) {
    for (int b = 0; b < PRUNING_BATCHES; b++) show_batch(measured, b, out);
    if (o->json_file) TRY(kl_file_put(o->json_file, write_json, (void *)measured, err));
    return draw_all(o, measured, err);
}
