// SPDX-License-Identifier: MIT
// What `ladder check` finds: running a program on a checking engine, the findings as text for a
// terminal and as JSON (ladder.check/1).
#ifndef LADDER_FINDINGS_CHECKS_H
#define LADDER_FINDINGS_CHECKS_H

#include <stdint.h>
#include <stdio.h>

#include "engine/engine.h"
#include "error.h"
#include "grade/rubric/lab_files.h"
#include "grade/rubric/lab.h"
#include "show/findings/verdict.h"
#include "table.h"

// A case that a lab's step was run on, as the lab's program said.
typedef struct ladder_checked_case {
    uint32_t first_launch; // index of its first launch, if it has any
    char family[64];       // what the inputs are like
    int64_t size;          // in the lab's unit
    uint64_t seed;         // of the inputs
} ladder_checked_case;

enum { LADDER_CHECKED_CASES = 128 };

// The findings of one program.
typedef struct ladder_checks {
    sim_check_report *report; // of the usual order of blocks and warps
    int exit_code;            // of the program
    ladder_verdict verdict;   // of a lab's program on its step
    bool unwritten;           // a lab's step that is still to be written
    char forgotten[256];      // of such a step whose file was changed: what is missing
    // With another order that was asked for, or that shows what the usual one does not: its name
    // (else NULL), its report, and the first copy to the host (from 1) whose bytes differ; 0: none.
    const char *order;
    sim_check_report *permuted; // not asked for: what the first one lacks
    uint32_t differing_read;
    bool asked;                                      // for that order
    const kl_problem *problem;                       // NULL: not of a lab
    int step;                                        // of the lab, with problem
    bool solution;                                   // the step is the solution's
    int case_count;                                  // of cases
    ladder_checked_case cases[LADDER_CHECKED_CASES]; // in the order in which they were run
} ladder_checks;

// How a program is checked.
typedef struct ladder_checks_options {
    const char *order;               // a second run with this order of blocks and warps, or NULL
    bool more_orders;                // without one: others, where the first run makes them worth it
    uint64_t max_instructions;       // warp instructions after which a launch counts as endless
    uint64_t max_block_instructions; // likewise a block; 0: only the launch's limit
    bool foreground;                 // the program's output goes to the terminal
    const char *progress;  // what is checked, "step 3": how far it is will be told; NULL: never
    const ladder_lab *lab; // of a lab's program, or NULL: when it refuses its options, so does
                           // the check
    int step;              // of that lab
    bool solution;         // the step is the solution's
} ladder_checks_options;

// Work of a case in operations of a thread: its arithmetic, and a load or a store for each word
// that must move. 0: there is no such case.
double ladder_checks_work(const kl_problem *problem, int family, int64_t size);

// Warp instructions of a launch that none of a lab's steps comes near at these sizes, so that an
// endless loop is stopped within seconds: from the work of the largest case. size -1: the lab's
// quick cases; family NULL: all.
uint64_t ladder_checks_limit(const ladder_lab *lab, int step, const char *family, int64_t size);

// Runs argv on a checking engine. Free with ladder_checks_free, also after a failure.
kl_status ladder_checks_run(const ladder_kit *kit, char *const *argv,
                            const ladder_checks_options *options, ladder_checks *out_checks,
                            kl_error *err);
void ladder_checks_free(ladder_checks *checks);
// Findings of both runs that are errors, those left out among them, and that are only warnings; all
// leaks of a run count as one.
uint64_t ladder_checks_errors(const ladder_checks *checks);
uint64_t ladder_checks_warnings(const ladder_checks *checks);

// The case in which a finding was first seen; NULL when that is not known.
const ladder_checked_case *ladder_checks_case(const ladder_checks *checks,
                                              const sim_finding *finding);

// As text: a paragraph for each finding, those of the second order behind.
void ladder_checks_print(const ladder_checks *checks, const kl_style *style, FILE *out);
// `subjects`: "step 3", or a program.
kl_status ladder_checks_json(const ladder_checks *checks, const char *const *subjects, int count,
                             FILE *out, kl_error *err);

#endif
