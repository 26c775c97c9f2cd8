// Tables of lab 10's application (its document `pruning` of each card, ladder.pruning-run/1):
// accuracy and storage against sparsity, and times for each batch. See tables.h.
#include "measured.h"
#include "tables/tables.h"

static const char *const formats[] = {"dense", "COO", "CSR", "ELL", "bitmap", "blocks"};
enum { FORMATS = sizeof formats / sizeof formats[0] };

static double percent(const json_t *object, const char *key) {
    return 100 * measured_number(object, key);
}

static void print_accuracy(FILE *out, const json_t *record) {
    size_t i;
    const json_t *point;
    fputs("\n| sparsity | before tuning | after | blocks, after |", out);
    for (int f = 0; f < FORMATS; f++) fprintf(out, " %s, kB |", formats[f]);
    fputs("\n|---:|---:|---:|---:|", out);
    for (int f = 0; f < FORMATS; f++) fputs("---:|", out);
    fputc('\n', out);
    json_array_foreach(json_object_get(record, "points"), i, point) {
        fprintf(out, "| %.0f %% | %.1f %% | %.1f %% | %.1f %% |", percent(point, "sparsity"),
                percent(point, "accuracy_pruned"), percent(point, "accuracy_tuned"),
                percent(point, "accuracy_blocks"));
        for (int f = 0; f < FORMATS; f++)
            fprintf(out, " %.1f |",
                    1e-3 * measured_number(json_object_get(point, "bytes"), formats[f]));
        fputc('\n', out);
    }
}

static void put_us(FILE *out, double us, double dense) {
    if (isnan(us)) fputs(" |", out);
    else fprintf(out, us < dense ? " **%.1f** |" : " %.1f |", us);
}

static void print_times(FILE *out, const json_t *record) {
    double dense = measured_number(record, "dense_us");
    size_t i, k;
    const json_t *point, *kernel, *us;
    fprintf(out,
            "\nBatches of %lld; the fastest dense kernel takes %.1f us, shorter times are in bold "
            "type:\n\n| sparsity |",
            json_integer_value(json_object_get(record, "batch")), dense);
    json_array_foreach(json_object_get(record, "kernels"), k, kernel)
        fprintf(out, " %s |", measured_text(kernel, "name"));
    fputs("\n|---:|", out);
    for (k = 0; k < json_array_size(json_object_get(record, "kernels")); k++) fputs("---:|", out);
    fputc('\n', out);
    json_array_foreach(json_object_get(record, "points"), i, point) {
        fprintf(out, "| %.0f %% |", percent(point, "sparsity"));
        json_array_foreach(json_object_get(point, "time_us"), k, us)
            put_us(out, json_is_number(us) ? json_number_value(us) : NAN, dense);
        fputc('\n', out);
    }
    fputs("| faster from |", out);
    json_array_foreach(json_object_get(record, "kernels"), k, kernel) {
        double from = percent(kernel, "faster_from");
        fprintf(out, isnan(from) ? " - |" : " %.1f %% |", from);
    }
    fputc('\n', out);
}

// "Dense kernels, batches of 1, 64, 512: step 0 58.9, 103.3, 112.0; ..."
static void print_dense(FILE *out, const json_t *run) {
    const json_t *dense = json_object_get(run, "dense"), *one, *other;
    size_t i, k;
    fputs("\nDense kernels, microseconds by batch: ", out);
    json_array_foreach(dense, i, one) {
        const char *name = json_string_value(json_object_get(one, "kernel"));
        if (measured_number(one, "batch") != measured_number(json_array_get(dense, 0), "batch"))
            break;
        fprintf(out, "%s%s", i > 0 ? "; " : "", name);
        json_array_foreach(
            dense, k,
            other) if (strcmp(name, json_string_value(json_object_get(other, "kernel"))) == 0)
            fprintf(out, " %.1f", measured_number(other, "time_us"));
    }
    fputs(".\n", out);
}

static void print_card(FILE *out, const json_t *run) {
    const json_t *batches = json_object_get(run, "batches"), *record;
    const json_t *first = json_array_get(batches, 0);
    size_t i;
    fprintf(out, "\n%s, %s on %s: %.1f %% of the test images before pruning.\n",
            json_string_value(json_object_get(first, "network")),
            json_string_value(json_object_get(first, "dataset")), measured_device(run),
            percent(first, "accuracy"));
    print_accuracy(out, first);
    json_array_foreach(batches, i, record) print_times(out, record);
    print_dense(out, run);
}

bool tables_print_pruning(FILE *out, const char *root, const char *lab) {
    return tables_each_card(out, root, lab, "pruning", "ladder.pruning-run/1", print_card);
}
