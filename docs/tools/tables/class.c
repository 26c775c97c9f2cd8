// SPDX-License-Identifier: MIT
// What grading a large class took (docs/class_bench.json, which `ladder bench class -- --json`
// writes), in two sentences.
#include "measured/measured.h"
#include "tables/tables.h"

bool tables_print_class(FILE *out, const char *root, const char *unused) {
    char path[4096];
    (void)unused;
    snprintf(path, sizeof path, "%s/docs/class_bench.json", root);
    json_error_t why;
    json_t *run = json_load_file(path, 0, &why);
    if (run == NULL) {
        fprintf(stderr, "ladder-tables: %s: %s\n", path, why.text);
        return false;
    }
    const json_t *parts = json_object_get(run, "parts");
    double growth =
        measured_number(json_array_get(parts, json_array_size(parts) - 1), "judge_bytes") -
        measured_number(json_array_get(parts, 0), "judge_bytes");
    fprintf(out,
            "%.0f made-up submissions of `%s`, %.0f steps each%s, took %.0f minutes on %.0f "
            "processors of a machine with other work: %.0f per minute. The judge's own memory "
            "grew by %.1f MB after the first tenth, and %.0f of the results were wrong.\n",
            measured_number(run, "submissions"), json_string_value(json_object_get(run, "lab")),
            measured_number(run, "steps"),
            json_is_true(json_object_get(run, "quick")) ? " with the short list of cases" : "",
            measured_number(run, "seconds") / 60, measured_number(run, "processors"),
            measured_number(run, "per_minute"), 1e-6 * growth, measured_number(run, "wrong"));
    json_decref(run);
    return true;
}
