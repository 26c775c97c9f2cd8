// SPDX-License-Identifier: MIT
// The time of a whole submission. Each compiler run and each answer has a limit of its own, but a
// submission of many steps could use up all of them: processor time of its steps is added up, and
// when there is none left, no further step begins. What sleeps uses none; so the clock may not go
// on for longer than a minute and LADDER_BUDGET_CLOCK times the limit, either. Steps that run side
// by side count when they end. A limit that is reached because the machine is slow or busy, and not
// because the steps sleep or compute for long, is the machine's fault: then the rest is not graded.
#ifndef LADDER_JUDGE_BUDGET_H
#define LADDER_JUDGE_BUDGET_H

#include <stdbool.h>
#include <stddef.h>

#include "grade/rubric/result.h"
#include "grade/rubric/rubric.h"

// What a submission may use, and has used.
typedef struct ladder_budget {
    double limit_s;                   // of processor time
    double end_s;                     // on kl_now_s
    double slowness;                  // of the machine (machine.h)
    double used_s[LADDER_STEPS_MAX];  // by index, of steps that have ended
    double slept_s[LADDER_STEPS_MAX]; // by index: while an answer was waited for, at least
} ladder_budget;

// Processor time of a submission, where neither the command line nor the rubric says another. The
// solution of a lab takes 10 to 80 s.
#define LADDER_SUBMISSION_SECONDS 600
#define LADDER_BUDGET_CLOCK       4

// Memory that the processes of the steps share. NULL: no limit (0), or no memory.
ladder_budget *ladder_budget_open(double limit_s, double slowness);
void ladder_budget_close(ladder_budget *budget);

// Processor time of this process and those it has waited for.
double ladder_budget_processor_s(void);

// Seconds on the clock that are left, at least 0; infinite without a limit. budget may be NULL.
double ladder_budget_left_s(const ladder_budget *budget);

// What has become of the time.
typedef enum ladder_budget_state {
    LADDER_BUDGET_LEFT,   // some is left
    LADDER_BUDGET_USED,   // by the steps
    LADDER_BUDGET_MACHINE // the machine was too slow or too busy: no step's fault
} ladder_budget_state;

// If nothing is left the text says of what. budget may be NULL.
ladder_budget_state ladder_budget_spent(const ladder_budget *budget, char *out_text, size_t bytes);

#endif
