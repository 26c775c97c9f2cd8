// What tables and figures look up in a lab's run (ladder.run/2, as `ladder run LAB --json` wrote
// it).
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

// labs/measured/*.csv hold documents (JSON objects) as rows: CARD.csv what programs wrote on that
// card, simulator.csv what they wrote on the simulator. A row is an object:
//   LAB,DOCUMENT,LIST,cell,..
// LIST says what it is in the document: "-" is the document itself, "steps" a new last element
// of its list of this name, "steps/results" one in the last element of "steps". A heading
// `lab,document,LIST,member,..` names the members of all rows of LIST that follow; an empty cell is
// no such member. "device/name" is a member of a member, "ci_us[]" a list of numbers with blanks
// between, "shapes[][]" a list of such with semicolons between, "steps[]/us" the members of a list
// of objects, one number or word each, "points[]/us[]" one list of numbers each, "solutions/0/us" a
// member of the first one. What reads as JSON is that value unless it is quoted. "#" begins a
// comment.
//
// A row of a run's "cases" also has what each step took in that case. Its column
// `steps/3/results:time_us` is the member "time_us" of a new last element of the list "results" in
// element 3 (from 0) of "steps"; MEASURED_CASE and MEASURED_SIZE of this element are the row's.

// The case of such an element: its family.
#define MEASURED_CASE "case"
// And its size.
#define MEASURED_SIZE "size"

// The documents of a lab (NULL: of all labs): {"LAB/DOCUMENT": ..}. NULL after a message.
json_t *measured_documents(const char *path, const char *lab);

// The document FILE.csv:LAB/DOCUMENT (FILE.csv:LAB is its "run"), or a file of JSON. NULL after a
// message.
json_t *measured_document(const char *name);
// Whether FILE.csv has it.
bool measured_has(const char *name);

// What a run's rates are, and the ceiling they are held against.
typedef struct measured_rates {
    const char *what;         // the rate, for a table's head
    const char *ceiling_name; // as the run calls it
    const char *unit;         // of both
    const char *share;        // of the ceiling, for a table's head
    double ceiling;           // in `unit`; 0: not measured
} measured_rates;

// The rates of a run (ladder.run/2).
measured_rates measured_rates_of(const json_t *run);
// Whether the row "vendor" is a limit that was measured, not a library (kl_problem.limit).
bool measured_has_limit(const json_t *run);

// The step that the ladder leads to, as kl_problem_last: the last one, or the one before it, where
// that one was timed in the main case and the last was not.
const json_t *measured_last_step(const json_t *run);

// The case of this name and size; NULL when the run has none.
const json_t *measured_case(const json_t *run, const char *family, long long size);
// The case that the ladder's table shows.
const json_t *measured_main_case(const json_t *run);

// The step of this number; NULL when the run has none. And whether it ran cases of a family, or of
// every family of another step.
const json_t *measured_step(const json_t *run, int step);
bool measured_has_family(const json_t *step, const char *family);
bool measured_has_families_of(const json_t *step, const json_t *other);

// A step's result in a case, if it was timed there; else NULL.
const json_t *measured_result(const json_t *step, const char *family, long long size);
// The first one of a size, whatever its family.
const json_t *measured_result_of_size(const json_t *step, long long size);
// Whether the step was timed, but in no family of the last step's: a copy beside transpositions.
bool measured_has_own_families(const json_t *run, const json_t *step);
// The time of the step of this number, in microseconds; 0 when there is none.
double measured_time_us(const json_t *run, int step, const char *family, long long size);

// A number of an object, or NAN; a text, or "?".
double measured_number(const json_t *object, const char *key);
const char *measured_text(const json_t *object, const char *key);

// The document when it is a ladder.run/2; else NULL, without a message for documents of other
// kinds.
json_t *measured_load(const char *name);
bool measured_is_gpu(const json_t *run);
const char *measured_device(const json_t *run); // its name; "?" when the run does not say it

// The documents LAB/DOCUMENT ("run", "micro") of GPUs in LABS/measured, by name of their files; at
// most `most`. Returns how many.
int measured_load_cards(const char *labs, const char *lab, const char *document, json_t **out_runs,
                        int most);

// LABS and LAB of a file in the lab's folder: LABS/LAB/lab.json. `bytes`: of each.
void measured_place(const char *file, char *out_labs, char *out_lab, size_t bytes);

// The document in LABS/measured/simulator.csv that the simulator made of the card of `gpu`, of the
// same lab and schema; NULL when there is none.
json_t *measured_load_model(const char *labs, const char *lab, const json_t *gpu);

// How well modelled times fit measured ones. Measured times that are nearer to each other than by
// the factor MEASURED_DECIDED have no order to agree with.
#define MEASURED_DECIDED 1.15
typedef struct measured_fit {
    int times;         // that both runs have: a step, in a case
    double mean_error; // mean of |modelled / measured - 1|
    int pairs;         // of steps in one case whose measured times differ enough
    int in_order;      // of them, those whose modelled times are in the same order
} measured_fit;

// report: a line for each pair that is in another order; or NULL.
measured_fit measured_compare(const json_t *gpu, const json_t *model, FILE *report);
