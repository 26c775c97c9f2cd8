// SPDX-License-Identifier: MIT
// `ladder run` has the simulator's checker look at the steps while the lab's program runs them:
// what it found comes in records over a socket (records.h), and is part of the step's row.
#ifndef KL_SIDE_CHECK_H
#define KL_SIDE_CHECK_H

#include <stdbool.h>
#include <stdio.h>

#include "records.h"
#include "table.h"

enum { KL_SIDE_CHECKS = 32 };

// What was found in one step. findings < 0: nothing was checked, and `text` says why.
typedef struct kl_side_check {
    int step;                     // its number
    int findings;                 // how many the checker reported
    char text[KL_RECORD_FINDING]; // of the first finding: "race at 2_strided.cu:37"; with no
                                  // findings, of the first warning, or ""
    bool wrong;                   // the run found a wrong result; set by who collects
} kl_side_check;

// All records of a run.
typedef struct kl_side_checks {
    kl_side_check steps[KL_SIDE_CHECKS]; // [count], in the order in which they came
    int count;                           // steps of which there is a record
} kl_side_checks;

// Asks for a check of a step, which begins when those asked for before are done.
void kl_side_check_ask(int fd, int step);
// At the checker's end: the next step asked for; false when there will be no more.
bool kl_side_check_next(int fd, int *out_step);
// No more steps will be asked for: waits for the records until the other end closes the socket, or
// `limit_s` seconds.
void kl_side_check_collect(int fd, double limit_s, kl_side_checks *out_checks);
// The record of a step, or NULL.
const kl_side_check *kl_side_check_of(const kl_side_checks *checks, int step);
// "check: steps 0 to 8 clean", or a line for each step with findings and the command that
// shows them. Nothing when no step was checked.
void kl_side_check_print(const kl_side_checks *checks, const char *lab, bool solution,
                         const kl_style *style, FILE *out);

#endif
