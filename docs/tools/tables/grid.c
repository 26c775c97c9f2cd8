// SPDX-License-Identifier: MIT
// Tables of a lab's grid of shapes in Markdown (its document `grid` of each card,
// as `ladder run LAB --grid --json` wrote them), and of the indices that its threads touch
// (its document `indices` of the simulator): see tables.h.
#include <string.h>

#include "measured.h"
#include "tables/tables.h"

static void print_methods(FILE *out, const json_t *run) {
    size_t i;
    json_t *method;
    int cases =
        (int)(json_array_size(json_object_get(run, "shapes")) * measured_number(run, "seeds"));
    fprintf(out,
            "\nMeasured on %s: %zu shapes, %d seeds each, cold L2. The average is over all %d "
            "cases, the gain the geometric mean over the shapes.\n\n",
            measured_text(run, "device"), json_array_size(json_object_get(run, "shapes")),
            (int)measured_number(run, "seeds"), cases);
    fputs("| product | method | average us | cases faster than naive | than the library | gain "
          "over the library | least |\n|---|---|---:|---:|---:|---:|---:|\n",
          out);
    json_array_foreach(json_object_get(run, "methods"), i, method) {
        if (json_object_get(method, "width")) continue;
        fprintf(out, "| %s | %s | %.1f |", measured_text(method, "product"),
                measured_text(method, "name"), measured_number(method, "average_us"));
        fprintf(out, " %d of %d |", (int)measured_number(method, "wins_over_naive"), cases);
        if (measured_number(method, "step") < 0)
            fputs(" | | |\n", out);
        else
            fprintf(out, " %d of %d | %.2f x | %.2f x |\n",
                    (int)measured_number(method, "wins_over_library"), cases,
                    measured_number(method, "gain_over_library"),
                    measured_number(method, "least_gain_over_library"));
    }
}

// One row a method, one column a width, in the order of the file.
static void print_widths(FILE *out, const json_t *run) {
    size_t i;
    json_t *method;
    const char *row = "";
    fputs("\n| BLOCK_WIDTH |", out);
    json_array_foreach(json_object_get(run, "methods"), i, method) {
        if (!json_object_get(method, "width")) continue;
        if (*row && strcmp(row, measured_text(method, "name")) != 0) break;
        row = measured_text(method, "name");
        fprintf(out, " %d |", (int)measured_number(method, "width"));
    }
    fputs("\n|---|", out);
    row = "";
    json_array_foreach(json_object_get(run, "methods"), i, method) {
        if (!json_object_get(method, "width")) continue;
        if (*row && strcmp(row, measured_text(method, "name")) != 0) break;
        row = measured_text(method, "name");
        fputs("---:|", out);
    }
    row = "";
    json_array_foreach(json_object_get(run, "methods"), i, method) {
        if (!json_object_get(method, "width")) continue;
        if (strcmp(row, measured_text(method, "name")) != 0) {
            row = measured_text(method, "name");
            fprintf(out, "\n| %s, us |", row);
        }
        fprintf(out, " %.1f |", measured_number(method, "average_us"));
    }
    fputc('\n', out);
}

bool tables_print_grid(FILE *out, const char *root, const char *lab) {
    json_t *devices[TABLES_DEVICES];
    int count = tables_load_devices(root, lab, "grid", "ladder.grid/1", devices);
    for (int i = 0; i < count; i++) {
        tables_fold(out, measured_text(devices[i], "device"));
        print_methods(out, devices[i]);
        print_widths(out, devices[i]);
        fputc('\n', out);
        tables_unfold(out);
        json_decref(devices[i]);
    }
    return count > 0;
}

bool tables_print_indices(FILE *out, const char *root, const char *lab) {
    json_t *run = tables_load(root, lab, "indices", "ladder.indices/1"), *step, *thread, *index;
    size_t s, t, k;
    if (!run) return false;
    json_array_foreach(json_object_get(run, "steps"), s, step) {
        const json_t *threads = json_object_get(step, "index");
        fprintf(out, "\nStep %d, %s: indices into %s\n\n| |", (int)measured_number(step, "step"),
                measured_text(step, "name"), measured_text(step, "array"));
        for (k = 0; k < json_array_size(json_array_get(threads, 0)); k++)
            fprintf(out, " iteration %zu |", k);
        fputs("\n|---|", out);
        for (k = 0; k < json_array_size(json_array_get(threads, 0)); k++) fputs("---:|", out);
        fputc('\n', out);
        json_array_foreach(threads, t, thread) {
            fprintf(out, "| thread %zu |", t);
            json_array_foreach(thread, k, index)
                fprintf(out, " %d |", (int)json_integer_value(index));
            fputc('\n', out);
        }
    }
    fputc('\n', out);
    json_decref(run);
    return true;
}
