// SPDX-License-Identifier: MIT
// What tables and figures look up in a lab's run (ladder.run/1, as `ladder run LAB --json` wrote
// it).
#ifndef KL_MEASURED_H
#define KL_MEASURED_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

// What a run's rates are, and the ceiling they are held against.
typedef struct measured_rates {
    const char *what;         // the rate, for a table's head
    const char *ceiling_name; // as the run calls it
    const char *unit;         // of both
    const char *share;        // of the ceiling, for a table's head
    double ceiling;           // in `unit`; 0: not measured
} measured_rates;

// The rates of a run (ladder.run/1).
measured_rates measured_rates_of(const json_t *run);

// The step whose number is the highest.
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

// The file's run when it is a ladder.run/1; else NULL, without a message for files of other kinds.
json_t *measured_load(const char *path);
bool measured_is_gpu(const json_t *run);
const char *measured_device(const json_t *run); // its name; "?" when the run does not say it

// The runs on GPUs in this folder, by name of their files; at most `most`. Returns how many.
int measured_load_cards(const char *folder, json_t **out_runs, int most);

// The run in labs/LAB/measured that the simulator made of the card of `gpu`, of the same schema;
// NULL when there is none.
json_t *measured_load_model(const char *folder, const json_t *gpu);

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

#endif
