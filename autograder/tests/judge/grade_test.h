// What the files of ladder_grade_test share: grade_main.c has the tests of verdicts and points,
// grade_timed.c those of timed calls.
#pragma once

#include "utilities/files.h"
#include "grade/rubric/rubric.h"

extern int grade_failures;
extern char grade_work[LADDER_PATH]; // a private folder
extern const ladder_lab *grade_lab;  // the lab of this run
extern bool grade_full;              // all of the test, not a sample
extern kl_error grade_err;

#define EXPECT(condition, ...)                                                                     \
    do {                                                                                           \
        if (condition) break;                                                                      \
        grade_failures++;                                                                          \
        fprintf(stderr, "FAILED: " __VA_ARGS__);                                                   \
        fprintf(stderr, " (%s:%d: %s)\n", __FILE__, __LINE__, #condition);                         \
    } while (0)

// Ends the program, with what grade_err says, where a status is none of success.
void grade_must(kl_status status);

// The text of a step's solution; the caller frees it.
char *grade_read_solution(const ladder_rubric_step *step);
// The text of a kernel that an edit of this lab in `kind` (wrong, lazy) makes of the solution; the
// caller frees it.
char *grade_make_kernel(const char *kind, const char *name);

// Timed calls are timed and verified, by clocks of the test's own.
void grade_clock_works(const ladder_lab *lab);
// With every timed family, each step answers for the set of inputs that its call was given.
void grade_timed_inputs(const ladder_lab *lab);
