// SPDX-License-Identifier: MIT
// Which devices a lab was measured on: see tables.h.
#include <stdlib.h>
#include <string.h>

#include "device/device.h"
#include "measured.h"
#include "stored/card.h"
#include "tables/tables.h"

void tables_fold(FILE *out, const char *card) {
    fprintf(out, "\n<details><summary>%s</summary>\n", card);
}

void tables_unfold(FILE *out) {
    fputs("</details>\n", out);
}

// The course's card comes first.
static void put_card_first(json_t **runs, int count) {
    const sim_device *card = sim_device_find(card_id);
    for (int i = 1; card && i < count; i++) {
        json_t *run = runs[i];
        if (strcmp(measured_device(run), card->name) != 0) continue;
        memmove(runs + 1, runs, (size_t)i * sizeof *runs);
        runs[0] = run;
    }
}

int tables_load_devices(const char *root, const char *lab, const char *document, const char *schema,
                        json_t *out_runs[TABLES_DEVICES]) {
    char labs[2048];
    snprintf(labs, sizeof labs, "%s/labs", root);
    int count = measured_load_cards(labs, lab, document, out_runs, TABLES_DEVICES);
    bool good = count > 0;
    if (!good)
        fprintf(stderr, "ladder-tables: %s/measured: no %s of %s on a GPU\n", labs, document, lab);
    for (int i = 0; i < count; i++) {
        const char *has = measured_text(out_runs[i], "schema");
        if (strcmp(has, schema) == 0) continue;
        fprintf(stderr, "ladder-tables: %s/measured: %s of %s is a %s, not a %s\n", labs, document,
                lab, has, schema);
        good = false;
    }
    put_card_first(out_runs, count);
    if (good) return count;
    for (int i = 0; i < count; i++) json_decref(out_runs[i]);
    return 0;
}
