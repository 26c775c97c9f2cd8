// What the files of the judge offer each other, from the ground up: attempt.c (engine, runner,
// replies), calls_on_engine.c and calls_by_runner.c (calls on memory of either), case.c (one case,
// verdict), judge.c (all cases of a step).
#pragma once

#include "grade/judge/judge.h"

// ---- attempt.c, calls_*.c, case.c ---------------------------------------------------------------

// Starts engine and runner. False: the end says why not.
bool ladder_attempt_open(ladder_attempt *attempt, ladder_case_end *end);
void ladder_case_end_with(ladder_case_end *end, ladder_outcome outcome, bool dead,
                          const char *text);
// Asks the runner, or (NULL) waits for its first word. True when it did what was asked.
bool ladder_attempt_ask(ladder_attempt *attempt, const ladder_runner_request *request,
                        const int *files, int count, ladder_case_end *end);
// True when the engine itself has ended: its fault, not the submission's.
bool ladder_attempt_engine_lost(ladder_attempt *attempt, ladder_case_end *end);

// Runs the calls of a case on memory that the judge has given, and takes their outputs into
// `outputs`, each as it lay there when its call ended. True when outputs have come. *out_doubt:
// what is wrong with them beside their values, if anything. Kernels of a preparation are no part of
// what is counted: the calls themselves must launch some, read the input, and pay for what they do.
bool ladder_calls_on_engine(ladder_attempt *attempt, const ladder_case *item, int calls,
                            unsigned char *outputs, ladder_case_end *end,
                            ladder_case_end *out_doubt);
// The same where the runner holds the memory, on a GPU and for functions of host memory: there it
// says what came out (runner_protocol.h).
bool ladder_calls_by_runner(ladder_attempt *attempt, const ladder_case *item, int calls,
                            unsigned char *outputs, ladder_case_end *end,
                            ladder_case_end *out_doubt);
