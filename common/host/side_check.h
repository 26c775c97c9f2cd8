// SPDX-License-Identifier: MIT
// `ladder run` has the simulator's checker look at the steps while the lab's program runs them:
// what it found comes over a socket, and ends the table in one line.
#ifndef KL_SIDE_CHECK_H
#define KL_SIDE_CHECK_H

#include <stdio.h>

#include "table.h"

enum { KL_SIDE_CHECKS = 32, KL_SIDE_CHECK_TEXT = 160 };

// One record of the socket, of one step. findings < 0: nothing was checked, and `text` says why.
typedef struct kl_side_check {
    int step;                      // its number
    int findings;                  // how many the checker reported
    char text[KL_SIDE_CHECK_TEXT]; // of the first finding: "race at 2_strided.cu:37"
} kl_side_check;

// All records of a run.
typedef struct kl_side_checks {
    kl_side_check steps[KL_SIDE_CHECKS]; // [count], in the order in which they came
    int count;                           // steps of which there is a record
} kl_side_checks;

// Lets the checker begin: at once where times are modelled, after the timing on a GPU.
void kl_side_check_allow(int fd);
// Waits for the records until the other end closes the socket, or `limit_s` seconds.
void kl_side_check_collect(int fd, double limit_s, kl_side_checks *out_checks);
// The record of a step, or NULL.
const kl_side_check *kl_side_check_of(const kl_side_checks *checks, int step);
// "check: steps 0 to 8 clean", or a line for each step with findings and the command that
// shows them. Nothing when no step was checked.
void kl_side_check_print(const kl_side_checks *checks, const char *lab, bool solution,
                         const kl_style *style, FILE *out);

#endif
