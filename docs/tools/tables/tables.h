// Tables of measured figures in Markdown files (ladder-docs tables): what its source files share.
#pragma once

#include <jansson.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A lab's document of labs/measured/simulator.csv; NULL after a message when it cannot be read or
// its schema is another.
json_t *tables_load(const char *root, const char *lab, const char *document, const char *schema);

// The documents of this name and schema in labs/measured/CARD.csv, that of the course's card first.
// Returns how many; 0 after a message.
enum { TABLES_DEVICES = 16 };
int tables_load_devices(const char *root, const char *lab, const char *document, const char *schema,
                        json_t *out_runs[TABLES_DEVICES]);

// The same for tables that are folded by card: that of the course's card alone, all of them for the
// site, so that a page in the tree has one card's tables.
int tables_load_folded(const char *root, const char *lab, const char *document, const char *schema,
                       json_t *out_runs[TABLES_DEVICES]);

// What the tables of one card stand between: a page shows the card's name, and the rest when asked.
void tables_fold(FILE *out, const char *card);
void tables_unfold(FILE *out);

// The text of a file, to be freed; NULL after a message.
char *tables_read_file(const char *path);

// The tables, from a kit's folder `root`. name: behind the kind, a lab where tables.def says
// nothing else. False after a message.
#define TABLE(kind) bool tables_print_##kind(FILE *out, const char *root, const char *name);
#include "tables/tables.def"
#undef TABLE

// For the documents of each card (tables_load_folded), between the lines that fold them: print's
// table and an empty line. False after a message.
bool tables_each_card(FILE *out, const char *root, const char *lab, const char *document,
                      const char *schema, void (*print)(FILE *out, const json_t *run));

// ---- forms of a ladder's table, and the cells that they share ----

// " 12 |", empty without a value; and a rate, in the digits that fit it.
void tables_cell(FILE *out, double value, const char *format);
void tables_rate_cell(FILE *out, double rate);

// A timed case of a run that has cases of several families.
typedef struct tables_column {
    const char *family;
    long long size;
} tables_column;
enum { TABLES_COLUMNS_MAX = 64 };

// " square, 2^12 |".
void tables_case_title(FILE *out, const char *family, long long size);

// The timed cases of the last step, in the run's order, which is by size; behind them those of one
// beside the ladder, and a column without a family. Returns how many there are before that.
int tables_find_columns(const json_t *run, tables_column columns[TABLES_COLUMNS_MAX]);

// families.c: a row for each timed case of the last step. columns: [count], put into order.
void tables_print_families(FILE *out, const json_t *run, tables_column *columns, int count);
// Microseconds measured and modelled in the cases that the simulator timed.
void tables_print_modelled(FILE *out, const json_t *gpu, const json_t *simulator);

// cases.c: a row for each step and case, for ladders of which more than a fifth of what was timed
// is in none of the last step's cases. simulator: NULL for a card without a model.
bool tables_last_is_apart(const json_t *gpu, const tables_column *columns, int count);
void tables_print_cases(FILE *out, const json_t *gpu, const json_t *simulator);
