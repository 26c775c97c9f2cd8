// SPDX-License-Identifier: MIT
// What a run says first: a row for each step, whether it is right, and if not, what is wrong with
// it.
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "compare.h"
#include "ladder.h"

// A finding of the checker as a word: "race at 2_x.cu:37" is a RACE.
static void add_finding(const kl_side_check *check, const char *before, char *text, size_t bytes) {
    size_t used = strlen(text), length = strcspn(check->text, " ");
    snprintf(text + used, bytes - used, "%s%s", before, check->text);
    for (size_t i = used + strlen(before); i < used + strlen(before) + length && i < bytes; i++)
        text[i] = (char)toupper((unsigned char)text[i]);
}

void kl_ladder_wrong_text(const kl_ladder *ladder, const kl_ladder_step *step, char *text,
                          size_t bytes) {
    const kl_verdict *v = &step->cases[step->bad_case].verdict;
    const kl_case *shape = &ladder->plan->cases[step->bad_case].data.shape;
    char got[64], expected[64];
    snprintf(text, bytes, "%s[%llu] is %s, expected %s", shape->outputs[v->output].name,
             (unsigned long long)v->first_wrong, kl_value_text(v->got, got, sizeof got),
             kl_value_text(v->expected, expected, sizeof expected));
}

// Of a text that was cut, the words that are whole.
static void end_with_dots(char *text, size_t bytes) {
    static const char dots[] = " ..";
    size_t end = bytes - sizeof dots;
    while (end > 0 && text[end] != ' ') end--;
    snprintf(text + end, bytes - end, "%s", dots);
}

// The first sentence of why a case failed: the paragraph below has the rest. What stopped it is the
// word that its text begins with: "endless: ..", "stopped after ..".
static void add_failed(const char *why, bool stopped, const char *before, char *text,
                       size_t bytes) {
    size_t used = strlen(text), begin = used + strlen(before);
    size_t word = stopped ? strcspn(why, " :") : 0;
    snprintf(text + used, bytes - used, "%s%s%.*s", before,
             stopped ? "" : "FAILED: ", (int)strcspn(why, "\n"), why);
    for (size_t i = begin; i < begin + word && i < bytes; i++)
        text[i] = (char)toupper((unsigned char)text[i]);
    char *end = strstr(text + used, stopped ? " (" : "; hint: ");
    if (end) *end = '\0';
    if (strlen(text) + 1 == bytes) end_with_dots(text, bytes);
}

const kl_case_result *kl_ladder_stopped(const kl_ladder_step *step) {
    for (int i = 0; i < KL_PLAN_MAX; i++)
        if (step->cases[i].stopped) return &step->cases[i];
    return NULL;
}

kl_tone kl_ladder_verdict(const kl_ladder *ladder, const kl_ladder_step *step, char *text,
                          size_t bytes) {
    const kl_side_check *check = kl_side_check_of(&ladder->checks, step->number);
    const kl_case_result *stopped = kl_ladder_stopped(step);
    bool found = check && check->findings > 0;
    static const char wrong[] = "WRONG: ";
    text[0] = '\0';
    switch (step->state) {
    case KL_RUN_NOT_IMPLEMENTED: snprintf(text, bytes, "not written yet"); return KL_DIM;
    case KL_RUN_MISSING: snprintf(text, bytes, "NOT COMPILED"); return KL_BAD;
    case KL_RUN_LEFT_OUT: snprintf(text, bytes, "left out: %s", step->text); return KL_DIM;
    case KL_RUN_OK:
        if (found)
            add_finding(check, "", text, bytes);
        else
            snprintf(text, bytes, "right");
        return found ? KL_BAD : KL_GOOD;
    case KL_RUN_WRONG:
        strcpy(text, wrong);
        kl_ladder_wrong_text(ladder, step, text + sizeof wrong - 1, bytes - sizeof wrong + 1);
        if (stopped) add_failed(stopped->text, true, "; ", text, bytes);
        if (found) add_finding(check, "; ", text, bytes);
        return KL_BAD;
    case KL_RUN_FAILED:
        add_failed(step->text, stopped && step->cases[step->bad_case].stopped, "", text, bytes);
        return KL_BAD;
    case KL_RUN_NONE:
    case KL_RUN_STARTED: break;
    }
    snprintf(text, bytes, "not run");
    return KL_DIM;
}

static const char *part_title(kl_part part) {
    switch (part) {
    case KL_SMALL: return "verdict (small inputs)";
    case KL_LARGE: return "verdict (large inputs)";
    case KL_ALL: break;
    }
    return "verdict";
}

// Steps from `first` on that are not written yet, one behind the other: one row is enough.
static int last_unwritten(const kl_ladder *ladder, int first) {
    int last = first;
    while (last < ladder->count && ladder->steps[last].state == KL_RUN_NOT_IMPLEMENTED) last++;
    return last - 1;
}

static void add_row(kl_table *table, const kl_ladder *ladder, const kl_ladder_step *step,
                    const kl_ladder_step *last) {
    char text[KL_TABLE_CELL];
    int row = kl_table_row(table);
    kl_tone tone = kl_ladder_verdict(ladder, step, text, sizeof text);
    if (last != step)
        kl_table_cell(table, row, 0, KL_DIM, "%d-%d", step->number, last->number);
    else if (step->number >= 0)
        kl_table_cell(table, row, 0, KL_PLAIN, "%d", step->number);
    kl_table_cell(table, row, 1, last != step ? KL_DIM : KL_PLAIN, "%s%s", step->name,
                  last != step ? " .." : "");
    kl_table_cell(table, row, 2, tone, "%s", text);
}

void kl_ladder_print_verdict(const kl_ladder *ladder, kl_part part, const kl_style *style,
                             FILE *out) {
    kl_table *table = calloc(1, sizeof *table);
    if (!table) return;
    kl_table_column(table, "step", KL_RIGHT);
    kl_table_column(table, "name", KL_LEFT);
    kl_table_column(table, part_title(part), KL_LEFT);
    for (int i = 0; i < ladder->count; i++) {
        const kl_ladder_step *step = &ladder->steps[i];
        bool here = part != KL_LARGE ? !kl_ladder_has_no_case(ladder, step) : step->large_run;
        if (!here) continue;
        int last = last_unwritten(ladder, i);
        last = last > i ? last : i;
        add_row(table, ladder, step, &ladder->steps[last]);
        i = last;
    }
    if (ladder->has_vendor && (part != KL_LARGE || ladder->vendor.large_run))
        add_row(table, ladder, &ladder->vendor, &ladder->vendor);
    if (table->rows > 0) kl_table_print(table, style, out);
    free(table);
}
