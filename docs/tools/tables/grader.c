// SPDX-License-Identifier: MIT
// What testing the grader came to: the promises that it is held to and how far the counting went
// (docs/targets.json), as a table, and what grading a large class took (docs/class_bench.json,
// which `ladder bench class -- --json` writes), in two sentences.
#include "measured.h"
#include "tables/tables.h"
#include "targets_store.h"

bool tables_print_targets(FILE *out, const char *root, const char *unused) {
    char path[4096];
    targets_store store;
    kl_error err = {KL_OK, ""};
    int watched = 0;
    (void)unused;
    snprintf(path, sizeof path, "%s/docs/targets.json", root);
    if (targets_store_read(path, &store, &err) != KL_OK) {
        fprintf(stderr, "ladder-tables: %s\n", err.text);
        return false;
    }
    targets_row honest = targets_store_total(&store, "honest", &watched);
    targets_row kills = targets_store_total(&store, "kills", &watched);
    fprintf(out,
            "| promise | command (in `build/autograder/tests`) | counted so far |\n|---|---|---|\n"
            "| A right step is never accused | `ladder_targets_test --store FILE honest 3000` | %d "
            "gradings of steps, each with inputs of its own: %d accused |\n",
            honest.done, honest.wrong);
    fprintf(
        out,
        "| A killed class run loses, doubles and changes nothing | `ladder_targets_test --store "
        "FILE kills 1000` | %d kills, classes of 10 submissions: %d rows lost, doubled or "
        "changed |\n"
        "| and leaves no process for two seconds | the same | %d kills: after %d of them |\n",
        kills.done, kills.wrong, watched, kills.left);
    return true;
}

bool tables_print_class(FILE *out, const char *root, const char *unused) {
    char path[4096];
    (void)unused;
    snprintf(path, sizeof path, "%s/docs/class_bench.json", root);
    json_error_t why;
    json_t *run = json_load_file(path, 0, &why);
    if (!run) {
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
            measured_number(run, "submissions"), measured_text(run, "lab"),
            measured_number(run, "steps"),
            json_is_true(json_object_get(run, "quick")) ? " with the short list of cases" : "",
            measured_number(run, "seconds") / 60, measured_number(run, "processors"),
            measured_number(run, "per_minute"), 1e-6 * growth, measured_number(run, "wrong"));
    json_decref(run);
    return true;
}
