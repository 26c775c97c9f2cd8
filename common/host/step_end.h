// SPDX-License-Identifier: MIT
// How a step of a lab came out, and the line in which the lab's program (--say-cases) tells it to
// the command that started it, so that no command reads it out of sentences.
#ifndef KL_STEP_END_H
#define KL_STEP_END_H

#include <stdbool.h>
#include <stdio.h>

// How a step, or one case of it, came out.
typedef enum kl_run_state {
    KL_RUN_NONE,            // not reached
    KL_RUN_STARTED,         // began and was not heard of again: a crash or a time-out
    KL_RUN_OK,              // right
    KL_RUN_WRONG,           // ran, wrong answer
    KL_RUN_FAILED,          // an error of the runtime, or a crash
    KL_RUN_NOT_IMPLEMENTED, // the step says so itself
    KL_RUN_MISSING,         // the step could not be loaded
    KL_RUN_LEFT_OUT,        // it needs more than this toolkit or device has (kl_step_lacks)
} kl_run_state;

// The state as a word of ladder.run/1: "not_implemented".
const char *kl_run_state_word(kl_run_state state);

// What is told of a step.
typedef struct kl_step_end {
    kl_run_state state; // of the whole step
    bool stopped;       // a case was stopped at its ceiling of warp instructions
} kl_step_end;

// Writes the line "ladder-step NUMBER STATE STOPPED".
void kl_step_end_say(FILE *out, int step, const kl_step_end *end);

// Takes a step's last such line from what the program printed. KL_RUN_NONE when there is none.
kl_step_end kl_step_end_read(const char *output, int step);

#endif
