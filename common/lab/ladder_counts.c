// SPDX-License-Identifier: MIT
// The table of counts below a ladder: what the simulator counted at the main case, a row a step.
#include <stdlib.h>

#include "ladder.h"

enum { FIRST_COUNT = 2 }; // columns before the counts: step, name

static const kl_counts *counts_of(const kl_ladder *ladder, const kl_ladder_step *step) {
    int m = kl_plan_main_for(ladder->plan, step->number);
    bool has = m >= 0 && step->state == KL_RUN_OK && step->cases[m].counts.count > 0;
    return has ? &step->cases[m].counts : NULL;
}

static void add_row(kl_table *table, const kl_ladder_step *step, const kl_counts *counts) {
    int row = kl_table_row(table);
    kl_table_cell(table, row, 0, KL_PLAIN, "%d", step->number);
    kl_table_cell(table, row, 1, KL_PLAIN, "%s", step->name);
    for (int i = 0; i < kl_count_columns(); i++) {
        char text[32];
        kl_table_cell(table, row, FIRST_COUNT + i, KL_PLAIN, "%s",
                      kl_count_column_text(counts, i, text, sizeof text));
    }
}

void kl_ladder_print_counts(const kl_ladder *ladder, const kl_style *style, FILE *out) {
    kl_table *table = calloc(1, sizeof *table);
    if (table == NULL) {
        fprintf(out, "no memory for the table\n");
        return;
    }
    kl_table_column(table, "step", KL_RIGHT);
    kl_table_column(table, "counted", KL_LEFT);
    for (int i = 0; i < kl_count_columns(); i++)
        kl_table_column(table, kl_count_column_title(i), KL_RIGHT);
    int rows = 0;
    for (int i = 0; i < ladder->count; i++) {
        const kl_counts *counts = counts_of(ladder, &ladder->steps[i]);
        if (counts != NULL) {
            add_row(table, &ladder->steps[i], counts);
            rows++;
        }
    }
    if (rows > 0) {
        fprintf(out, "\n");
        kl_table_print(table, style, out);
    }
    free(table);
}
