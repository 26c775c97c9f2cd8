// SPDX-License-Identifier: MIT
// What the grader is held to, and how far the counting went (docs/targets.json), as a table.
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
