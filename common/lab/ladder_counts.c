// SPDX-License-Identifier: MIT
// The table of counts below a ladder: what the simulator counted at the main case, a row a step.
#include <stdlib.h>

#include "ladder.h"

static const kl_counts *counts_of(const kl_ladder *ladder, const kl_ladder_step *step) {
    int m = kl_plan_main_for(ladder->plan, step->number);
    bool has = m >= 0 && step->state == LADDER_CORRECT && step->cases[m].counts.count > 0;
    return has ? &step->cases[m].counts : NULL;
}

static void add_row(kl_table *table, const kl_ladder_step *step, const kl_counts *counts,
                    bool named) {
    int row = kl_table_row(table), column = 0;
    kl_table_cell(table, row, column++, KL_PLAIN, "%d", step->number);
    if (named) kl_table_cell(table, row, column++, KL_PLAIN, "%s", step->name);
    for (int i = 0; i < kl_count_columns(); i++) {
        char text[32];
        kl_table_cell(table, row, column++, KL_PLAIN, "%s",
                      kl_count_column_text(counts, i, text, sizeof text));
    }
}

static void fill(const kl_ladder *ladder, bool named, kl_table *table) {
    kl_table_clear(table);
    kl_table_column(table, "step", KL_RIGHT);
    if (named) kl_table_column(table, "counted", KL_LEFT);
    for (int i = 0; i < kl_count_columns(); i++)
        kl_table_column(table, kl_count_column_title(i), KL_RIGHT);
    for (int i = 0; i < ladder->count; i++) {
        const kl_counts *counts = counts_of(ladder, &ladder->steps[i]);
        if (counts) add_row(table, &ladder->steps[i], counts, named);
    }
}

void kl_ladder_print_counts(const kl_ladder *ladder, const kl_style *style, FILE *out) {
    kl_table *table = calloc(1, sizeof *table);
    if (!table) {
        fprintf(out, "no memory for the table\n");
        return;
    }
    fill(ladder, true, table);
    bool named = kl_table_width(table) <= style->width; // else the numbers of the steps must do
    if (!named) fill(ladder, false, table);
    if (table->rows > 0) {
        fprintf(out, "%s", named ? "\n" : "\nCounted, by step:\n");
        kl_table_print(table, style, out);
    }
    free(table);
}
