// SPDX-License-Identifier: MIT
// What the files behind judge.h offer each other, from the ground up: attempt.c (engine, runner,
// replies), drive.c (a case's way through memory that the judge has given), case.c (one case,
// verdict), blame.c, judge.c (all cases of a step). Nobody else includes this.
#ifndef LADDER_JUDGE_ATTEMPT_H
#define LADDER_JUDGE_ATTEMPT_H

#include "grade/judge/judge.h"

// Starts engine and runner. False: the end says why not.
bool ladder_attempt_open(ladder_attempt *attempt, ladder_case_end *end);
void ladder_case_end_with(ladder_case_end *end, ladder_outcome outcome, bool dead,
                          const char *text);
// Takes in a reply or its absence. True when the runner did what was asked.
bool ladder_attempt_accept(ladder_attempt *attempt, ladder_answer answer,
                           const ladder_runner_reply *reply, uint32_t first_launch,
                           ladder_case_end *end);
// True when the engine itself has ended: its fault, not the submission's.
bool ladder_attempt_engine_lost(ladder_attempt *attempt, ladder_case_end *end);

// The data that a call of a case finds.
const kl_prepared *ladder_case_data(const ladder_case *item, int call);

// Runs the calls of a case on memory that the judge has given, and takes their outputs into
// `outputs`, each as it lay there when its call ended. True when outputs have come. *out_doubt:
// what is wrong with them beside their values, if anything. Kernels of a preparation are no part of
// what is counted: the calls themselves must launch some, read the input, and pay for what they do.
bool ladder_drive_given(ladder_attempt *attempt, const ladder_case *item, int calls,
                        unsigned char *outputs, ladder_case_end *end, ladder_case_end *out_doubt);

#endif
