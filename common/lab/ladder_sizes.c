// The tables below a ladder, a row a step: what the simulator counted at the main case; the rates
// of all timed cases, a column a case, and what preparations cost. What is wider than the terminal
// goes on in a further table, which leaves out the steps that have none of its cases.
#include "ladder.h"

enum {
    FIRST_RATE = 2,
    GAP = 2,
    RATE_WIDTH = 5,
    TITLE = 48
}; // columns before the rates: step, name

typedef struct timed_cases {
    int plan_index[KL_PLAN_MAX];
    char titles[KL_PLAN_MAX][TITLE];
    int count;
} timed_cases;

// What the cells of a table are; NaN leaves one empty.
typedef struct sheet {
    const char *heading; // over the steps' names
    const char *above;   // a line above the first table, or ""
    double (*value)(const kl_ladder *ladder, const kl_ladder_step *step, int plan_index);
} sheet;

static double preparation_in_calls(const kl_ladder *ladder, const kl_ladder_step *step,
                                   int plan_index) {
    (void)ladder;
    const kl_case_result *c = &step->cases[plan_index];
    return c->time_us.mid > 0.0 ? c->prepare_us / c->time_us.mid : NAN;
}

// What a timed case is called in the head of a column: by what tells it from the others.
static void set_title(const kl_ladder *ladder, timed_cases *timed, int at) {
    const kl_case *shape = &ladder->plan->cases[timed->plan_index[at]].data.shape;
    bool families_differ = false, sizes_differ = false;
    for (int i = 0; i < timed->count; i++) {
        const kl_case *other = &ladder->plan->cases[timed->plan_index[i]].data.shape;
        families_differ = families_differ || other->family != shape->family;
        sizes_differ = sizes_differ || other->size != shape->size;
    }
    char size[32] = "";
    const char *family = families_differ ? ladder->problem->families[shape->family].name : "";
    if (sizes_differ || !families_differ) kl_format_size(shape->size, size, sizeof size);
    snprintf(timed->titles[at], TITLE, "%s%s%s", family, families_differ && sizes_differ ? " " : "",
             size);
}

// By family, and in it by size: neighbouring columns are of one kind.
static void find_cases(const kl_ladder *ladder, timed_cases *out) {
    out->count = 0;
    for (int f = 0; f < ladder->problem->family_count; f++) {
        for (int i = 0; i < ladder->plan->count; i++) {
            const kl_planned *planned = &ladder->plan->cases[i];
            if (planned->timed && planned->data.shape.family == f)
                out->plan_index[out->count++] = i;
        }
    }
    for (int t = 0; t < out->count; t++) set_title(ladder, out, t);
}

static void add_row(const kl_ladder *ladder, const kl_ladder_step *s, const sheet *sheet,
                    const timed_cases *timed, int first, int end, kl_table *table) {
    int row = -1;
    for (int t = first; t < end && s->state == LADDER_CORRECT; t++) {
        double value = sheet->value(ladder, s, timed->plan_index[t]);
        if (!isfinite(value)) continue;
        if (row < 0) {
            row = kl_table_row(table);
            if (s->number >= 0) kl_table_cell(table, row, 0, KL_PLAIN, "%d", s->number);
            kl_table_cell(table, row, 1, KL_PLAIN, "%s", s->name);
        }
        char text[32];
        kl_table_cell(table, row, FIRST_RATE + t - first, KL_PLAIN, "%s",
                      kl_format_rate(value, text, sizeof text));
    }
}

// Columns from `first` on that fit beside the steps' names; at least one.
static int end_of_table(const kl_ladder *ladder, const kl_style *style, const sheet *sheet,
                        const timed_cases *timed, int first) {
    int name = kl_text_width(sheet->heading);
    for (int i = 0; i <= ladder->count; i++) {
        const char *text = i < ladder->count    ? ladder->steps[i].name
                           : ladder->has_vendor ? ladder->vendor.name
                                                : "";
        name = kl_text_width(text) > name ? kl_text_width(text) : name;
    }
    int width = kl_text_width("step") + GAP + name, end = first;
    while (end < timed->count && end - first < KL_TABLE_COLUMNS - FIRST_RATE) {
        int title = kl_text_width(timed->titles[end]);
        width += GAP + (title > RATE_WIDTH ? title : RATE_WIDTH);
        if (width > style->width && end > first) break;
        end++;
    }
    return end;
}

// False when no step of this run has one of the cases.
static bool print_table(const kl_ladder *ladder, const kl_style *style, const sheet *sheet,
                        const timed_cases *timed, int first, int end, const char *above,
                        kl_table *table, FILE *out) {
    kl_table_clear(table);
    kl_table_column(table, "step", KL_RIGHT);
    kl_table_column(table, sheet->heading, KL_LEFT);
    for (int t = first; t < end; t++) kl_table_column(table, timed->titles[t], KL_RIGHT);
    for (int i = 0; i < ladder->count; i++)
        add_row(ladder, &ladder->steps[i], sheet, timed, first, end, table);
    if (ladder->has_vendor) add_row(ladder, &ladder->vendor, sheet, timed, first, end, table);
    if (table->rows == 0) return false;
    fprintf(out, "\n%s", above);
    kl_table_print(table, style, out);
    return true;
}

static void print_sheet(const kl_ladder *ladder, const kl_style *style, const sheet *sheet,
                        const timed_cases *timed, kl_table *table, FILE *out) {
    const char *above = sheet->above;
    for (int first = 0, end = 0; first < timed->count; first = end) {
        end = end_of_table(ladder, style, sheet, timed, first);
        if (print_table(ladder, style, sheet, timed, first, end, above, table, out)) above = "";
    }
}

void kl_ladder_print_sizes(const kl_ladder *ladder, const kl_ladder_unit *unit,
                           const kl_style *style, FILE *out) {
    const sheet rates = {unit->rate_at, "", kl_ladder_rate};
    const sheet preparations = {"calls at", "Preparation, in times of one call:\n",
                                preparation_in_calls};
    kl_table *table = calloc(1, sizeof *table);
    timed_cases *timed = calloc(1, sizeof *timed);
    if (table && timed) {
        find_cases(ladder, timed);
        if (timed->count > 1) print_sheet(ladder, style, &rates, timed, table, out);
        print_sheet(ladder, style, &preparations, timed, table, out);
    }
    free(table);
    free(timed);
}

// ---- counts -------------------------------------------------------------------------------------

static const kl_counts *counts_of(const kl_ladder *ladder, const kl_ladder_step *step) {
    int m = ladder->plan->main_of[1 + step->number];
    bool has = m >= 0 && step->state == LADDER_CORRECT && step->cases[m].counts.count > 0;
    return has ? &step->cases[m].counts : NULL;
}

static void add_count_row(kl_table *table, const kl_ladder_step *step, const kl_counts *counts,
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

static void fill_counts(const kl_ladder *ladder, bool named, kl_table *table) {
    kl_table_clear(table);
    kl_table_column(table, "step", KL_RIGHT);
    if (named) kl_table_column(table, "counted", KL_LEFT);
    for (int i = 0; i < kl_count_columns(); i++)
        kl_table_column(table, kl_count_column_title(i), KL_RIGHT);
    for (int i = 0; i < ladder->count; i++) {
        const kl_counts *counts = counts_of(ladder, &ladder->steps[i]);
        if (counts) add_count_row(table, &ladder->steps[i], counts, named);
    }
}

void kl_ladder_print_counts(const kl_ladder *ladder, const kl_style *style, FILE *out) {
    kl_table *table = calloc(1, sizeof *table);
    if (!table) {
        fprintf(out, "no memory for the table\n");
        return;
    }
    fill_counts(ladder, true, table);
    bool named = kl_table_width(table) <= style->width; // else the numbers of the steps must do
    if (!named) fill_counts(ladder, false, table);
    if (table->rows > 0) {
        fprintf(out, "%s", named ? "\n" : "\nCounted, by step:\n");
        kl_table_print(table, style, out);
    }
    free(table);
}
