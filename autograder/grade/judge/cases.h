// SPDX-License-Identifier: MIT
// The cases that a grading uses, made once from one secret seed and shared by all submissions:
// inputs and reference answers in the judge's memory, and the inputs once more in sealed memory
// files for the runners.
#ifndef LADDER_JUDGE_CASES_H
#define LADDER_JUDGE_CASES_H

#include "grade/rubric/rubric.h"

// A case: its inputs, answer and memory files.
typedef struct ladder_case {
    kl_prepared data;  // inputs and reference answer
    kl_prepared fresh; // of the same shape from another seed, for a second call; has_fresh
    bool has_fresh;    // fresh is there
    int fresh_fd;      // as inputs_fd; -1: none
    int inputs_fd;     // sealed memory file, laid out as sandbox/process/runner_protocol.h says
    bool check;        // part of the correctness check
    char title[96];    // "sum-exact, 1000003 elements"
} ladder_case;

// Inputs for timing on a GPU: several of one shape with different data, together larger than a
// GPU's L2 cache.
typedef struct ladder_speed_sets {
    const char *family; // what the inputs are like
    int64_t size;       // in the lab's unit
    ladder_case *items; // [count], each from another seed
    int count;          // of items
} ladder_speed_sets;

// Inputs below this are run twice: enough for many blocks, and the larger cases of a suite are most
// of what a grading costs.
enum { LADDER_REPEAT_BELOW_BYTES = 1 << 20 };

enum { LADDER_SPEED_SIZES = 8 }; // different (family, size) of speed criteria in one rubric

// All cases of a grading.
typedef struct ladder_cases {
    const ladder_lab *lab; // whose cases these are
    ladder_case *items; // small before large in the main, so that a failure shows on a small case
    int count;          // of items
    uint64_t seed;      // secret; what the inputs are drawn from
    uint64_t workspace_bytes;                    // the largest that a case asks for
    ladder_speed_sets speed[LADDER_SPEED_SIZES]; // empty unless made
    int speed_count;                             // of speed that are made
} ladder_cases;

// The suite's correctness cases (`quick`: its short form), and on top those that count criteria
// measure. Free with ladder_cases_free, also after a failure.
kl_status ladder_cases_make(const ladder_lab *lab, uint64_t seed, bool quick,
                            ladder_cases *out_cases, kl_error *err);
// Adds a correctness case from what the lab's query program printed (query.h).
kl_status ladder_cases_add_query(ladder_cases *cases, const char *text, kl_error *err);
// Adds the inputs of the rubric's speed criteria.
kl_status ladder_cases_make_speed(ladder_cases *cases, kl_error *err);
void ladder_cases_free(ladder_cases *cases);

// One case with its memory file.
kl_status ladder_case_make(const kl_problem *problem, int family, int64_t size, uint64_t seed,
                           ladder_case *out_case, kl_error *err);
void ladder_case_free(ladder_case *item);

// Whether a call of these data is followed by a second one, on other data.
bool ladder_is_called_twice(const kl_prepared *data);
uint64_t ladder_input_bytes(const kl_prepared *data);

// Compares outputs, laid out as sandbox/process/runner_protocol.h says. True when they are right.
bool ladder_outputs_verify(const kl_problem *problem, const kl_prepared *data,
                           const unsigned char *bytes, kl_verdict *out_verdict);

// The case of this family and size, or NULL.
const ladder_case *ladder_cases_find(const ladder_cases *cases, const char *family, int64_t size);

// Inputs for timing this family and size, or NULL.
const ladder_speed_sets *ladder_cases_find_speed(const ladder_cases *cases, const char *family,
                                                 int64_t size);

// A memory file of `bytes` bytes, each `fill`; it can neither grow nor shrink, so that mapping it
// is safe.
kl_status ladder_memory_file(uint64_t bytes, int fill, int *out_fd, unsigned char **out_mapped,
                             kl_error *err);

// 64 bits that nobody can guess.
kl_status ladder_secret_seed(uint64_t *out_seed, kl_error *err);

#endif
