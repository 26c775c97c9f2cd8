// SPDX-License-Identifier: MIT
// What the files of the judge offer each other, from the ground up: case_buffers.c, attempt.c
// (engine, runner, replies), calls_on_engine.c and calls_by_runner.c (calls on memory of either),
// case.c (one case, verdict), judge.c, judge.c (all cases of a step).
#ifndef LADDER_JUDGE_INTERNAL_H
#define LADDER_JUDGE_INTERNAL_H

#include "engine/engine.h"
#include "grade/judge/judge.h"
#include "problem.h"
#include "sandbox/process/runner_protocol.h"

// ---- case_buffers.c -----------------------------------------------------------------------------
// The buffers of one case in the engine's memory: made, filled, looked after and read by the judge
// over its own connection. The program gets their addresses, may not free them, and is not answered
// by the engine while the judge looks (engine/engine.h, sim_call_end).

typedef struct ladder_case_buffers {
    sim_engine *engine;
    const kl_prepared *data; // whose shape all has
    int slots;
    uint64_t
        inputs[KL_MAX_BUFFERS]; // addresses of the allocations: the offset lies before the data
    uint64_t outputs[LADDER_RUNNER_GIVEN][KL_MAX_BUFFERS];
} ladder_case_buffers;

// Bytes of an answer by who wrote them last (sim_writers_get), of all its buffers.
typedef struct ladder_writers {
    uint64_t nobody, fill, host, earlier, kernel;
} ladder_writers;

// Makes memory for a case with `slots` outputs; nothing is in it but poison. places: the seed of
// random gaps between the buffers; 0: none, so that counts are those of every other time. Free with
// ladder_buffers_free, also after a failure.
sim_status ladder_buffers_make(sim_engine *engine, const kl_prepared *data, int slots,
                               uint64_t places, ladder_case_buffers *out_buffers, kl_error *err);
void ladder_buffers_free(ladder_case_buffers *buffers);
// The addresses, for the program.
void ladder_buffers_tell(const ladder_case_buffers *buffers, ladder_runner_request *request);

// Puts inputs first to end - 1 of these data there.
sim_status ladder_buffers_put(const ladder_case_buffers *buffers, const kl_prepared *data,
                              int first, int end, kl_error *err);
sim_status ladder_buffers_poison(const ladder_case_buffers *buffers, int slot, kl_error *err);
// Outputs of one slot, laid out as sandbox/process/runner_protocol.h says.
sim_status ladder_buffers_fetch(const ladder_case_buffers *buffers, int slot, unsigned char *bytes,
                                kl_error *err);
// Which input is not what these data say, or -1. Only what was written to is read again.
sim_status ladder_buffers_changed(const ladder_case_buffers *buffers, const kl_prepared *data,
                                  int *out_input, kl_error *err);
sim_status ladder_buffers_writers(const ladder_case_buffers *buffers, int slot,
                                  ladder_writers *out_writers, kl_error *err);

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

// The data that a call of a case finds.
const kl_prepared *ladder_case_data(const ladder_case *item, int call);

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

#endif
