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

// The ladder of a lab. False after a message.
bool tables_print_run(FILE *out, const char *root, const char *lab);

// Whether a run's steps but the last serve different products, with no case in common; and its
// tables then, one row for each case.
bool tables_has_products(const json_t *run);
// model: the simulator's run of the same card, or NULL.
void tables_print_products(FILE *out, const json_t *run, const json_t *model);

// The micro-ladders of a lab, one table a sweep. False after a message.
bool tables_print_micro(FILE *out, const char *root, const char *lab);

// The grid of shapes of a lab: average times, cases won, and the sweep of a block's width. False
// after a message.
bool tables_print_grid(FILE *out, const char *root, const char *lab);

// Lab 04's application: time per iteration and of the transfer by order, the paper's order in full,
// and the simulator's times beside. False after a message.
bool tables_print_jacobi(FILE *out, const char *root, const char *lab);

// Which element each thread multiplies in which iteration. False after a message.
bool tables_print_indices(FILE *out, const char *root, const char *lab);

// How long one thread waits for a result of each kind (ladder.latency/1). False after a message.
bool tables_print_latency(FILE *out, const char *root, const char *lab);

// How many warps hide a latency: Little's law with the ceilings of the lab's runs and the latencies
// of lab 00. False after a message.
bool tables_print_hiding(FILE *out, const char *root, const char *lab);

// The steps beside PyTorch: kernel times, times with transfers, the last step at other shapes.
// False after a message.
bool tables_print_torch(FILE *out, const char *root, const char *lab);

// What a multiply-add costs in each step of a lab, as the simulator counted its main case. False
// after a message.
bool tables_print_mix(FILE *out, const char *root, const char *lab);

// The steps of a lab whose steps are different operations: one table of those that a single step
// has, one for each set of steps that share cases. False after a message.
bool tables_print_operations(FILE *out, const char *root, const char *lab);

// Lab 10's application: accuracy, storage and times against sparsity. False after a message.
bool tables_print_pruning(FILE *out, const char *root, const char *lab);

// The wrong kernels of all labs (autograder/tests/wrong): how many, and what they
// are failed as. False after a message.
bool tables_print_wrong(FILE *out, const char *root, const char *unused);

// What noise makes of verdicts on speed.
bool tables_print_noise(FILE *out, const char *root, const char *unused);

// How far the counting of the grader's promises went (docs/targets.json). False after a message.
bool tables_print_targets(FILE *out, const char *root, const char *unused);

// What grading a large class took (docs/class_bench.json). False after a message.
bool tables_print_class(FILE *out, const char *root, const char *unused);

// The attacks on the grader (autograder/tests/attacks): how many of each class, what stops each
// one, what it gains without. what: "all", or "count" for the first table only. False after a
// message.
bool tables_print_attacks(FILE *out, const char *root, const char *what);

// The text of a file, to be freed; NULL after a message.
char *tables_read_file(const char *path);

// The simulated cards. what: "rows", "sources", "banks", "coalescing", "registers" of the device
// rows and counting rules; "gemv", "blocks", "softmax" of the runs stored in docs/cards. False
// after a message.
bool tables_print_cards(FILE *out, const char *root, const char *what);

// The timing model. what: "summary", "kinds", "kernels" of modelled and measured times of the
// kernels in common/validation/timing; "labs" of the labs' steps; "constants" of its
// micro-benchmarks. False after a message.
bool tables_print_timing(FILE *out, const char *root, const char *what);

// What kernels read off their clocks on the simulator, beside a card. what: "summary" or "rows".
// False after a message.
bool tables_print_clocks(FILE *out, const char *root, const char *what);

// On which systems which commands ran, with which toolkit (docs/systems.txt, rows of the full
// tier's tests). False after a message.
bool tables_print_systems(FILE *out, const char *root, const char *unused);
// What the solutions' steps count under a toolkit beside another one (docs/toolkit_counts.txt, rows
// of the full tier's tests). False after a message.
bool tables_print_toolkits(FILE *out, const char *root, const char *unused);

// Counters of Nsight Compute. what: "equal" to a card's, "other", "absent". False after a message.
bool tables_print_permission(FILE *out, const char *root, const char *what);

// All labs: docs/labs.json says topic, hours and which measured case stands for the ladder. The
// form is "all", or "cards" for the site's first page. False after a message.
bool tables_print_labs(FILE *out, const char *root, const char *form);

// ---- forms of a ladder's table, and the cells that they share ----

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

// The timed cases of the last step, in the run's order, which is by size; behind them those of one
// beside the ladder, and a column without a family. Returns how many there are before that.
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
