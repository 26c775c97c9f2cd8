// SPDX-License-Identifier: MIT
// The forms of a ladder's table, of which run.c chooses one by the run's cases; and the cells that
// they share.
#ifndef LADDER_TOOLS_TABLES_FORMS_H
#define LADDER_TOOLS_TABLES_FORMS_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

// " 12 |", empty without a value; and a rate, in the digits that fit it.
void tables_cell(FILE *out, double value, const char *format);
void tables_rate_cell(FILE *out, double rate);
// The title of the column of modelled times, which there is with a model of the card only.
const char *tables_modelled_title(const json_t *simulator);

// A timed case of a run that has cases of several families.
typedef struct tables_column {
    const char *family;
    long long size;
} tables_column;
enum { TABLES_COLUMNS_MAX = 64, TABLES_CASES_MAX = 12 };

// " square, 2^12 |".
void tables_case_title(FILE *out, const char *family, long long size);

// The timed cases of the last step, in the run's order, which is by size. Returns how many.
int tables_find_columns(const json_t *run, tables_column columns[TABLES_COLUMNS_MAX]);

// families.c: a row for each timed case of the last step. columns: [count], put into order.
bool tables_has_families(const tables_column *columns, int count);
void tables_print_families(FILE *out, const json_t *run, tables_column *columns, int count);
// Microseconds measured and modelled in the cases that the simulator timed.
void tables_print_modelled(FILE *out, const json_t *gpu, const json_t *simulator);

// cases.c: runs whose steps have different families, the last step one of them. Fills cases[] with
// the timed cases and *out_main with the table's; false when they are of one family.
bool tables_several_families(const json_t *run, const json_t *cases[TABLES_CASES_MAX],
                             int *out_count, const json_t **out_main);
// Whether most timed steps have none of the last step's cases.
bool tables_last_is_apart(const json_t *gpu, const tables_column *columns, int count);
// A column for each timed case. simulator: NULL for a card without a model.
void tables_print_cases(FILE *out, const json_t *gpu, const json_t *simulator,
                        const json_t *const *cases, int count, const json_t *main_case);
// Whether steps have few cases in common; and a row for each step and case then.
bool tables_is_sparse(const json_t *gpu, const json_t *const *cases, int count);
void tables_print_sparse(FILE *out, const json_t *gpu, const json_t *simulator,
                         const json_t *const *cases, int count);

#endif
